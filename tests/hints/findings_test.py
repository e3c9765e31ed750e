"""The fix of a finding, run as it is printed, settles the finding."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from tests import samples
from tests.conftest import Repo
from tests.hints.ways import STAGED, WORKTREE, Surface, Walk, with_message

BRAVO = samples.handoff_path('Bravo')
CHARLIE = samples.handoff_path('Charlie')
ALPHA = samples.handoff_path('Alpha')
IDEAS = 'plugins/Bravo/.ideas'
ARCHITECTURE = f'{IDEAS}/architecture.md'
OLDER = f'{IDEAS}/.continue-here.md'
# a directory below the top, and what lies beside it
BELOW = IDEAS

Make = Callable[[Repo], 'Surface | None']


def registry(rows: dict[str, str] | None = None, **statuses: str) -> str:
    return samples.registry({**samples.STATUSES, **statuses}, rows)


def handoff(stage: str = '2', **fields: Any) -> str:
    return samples.handoff('Bravo', stage, **fields)


def written(**files: str | None) -> Make:
    """Files on disk, by the names they have here."""
    names = {
        'registry': 'PLUGINS.md',
        'bravo': BRAVO,
        'charlie': CHARLIE,
        'alpha': ALPHA,
        'older': OLDER,
        'architecture': ARCHITECTURE,
    }

    def make(repo: Repo) -> None:
        repo.write({names[key]: text for key, text in files.items()})

    return make


def staged(make: Make) -> Make:
    def make_and_stage(repo: Repo) -> Surface:
        make(repo)
        repo.git('add', '-A')
        return STAGED

    return make_and_stage


def committed(make: Make) -> Make:
    """Past the hooks: HEAD has what is wrong."""

    def make_and_commit(repo: Repo) -> None:
        make(repo)
        repo.commit({})

    return make_and_commit


def only_staged(make: Make) -> Make:
    """Mended on disk, and still in the index."""

    def stage_and_undo(repo: Repo) -> Surface:
        make(repo)
        repo.git('add', '-A')
        tree = repo.git('write-tree')
        repo.git('reset', '-q', '--hard')
        repo.git('read-tree', tree)
        return STAGED

    return stage_and_undo


def saying(subject: str, make: Make) -> Make:
    def make_and_say(repo: Repo) -> Surface:
        make(repo)
        repo.git('add', '-A')
        return with_message(repo, f'{subject}\n')

    return make_and_say


def worked(repo: Repo) -> None:
    repo.write({'plugins/Bravo/Source/Main.cpp': '// moteur\n'})


def worked_unstaged(repo: Repo) -> Surface:
    """The records are staged, and the work is not."""
    repo.stage({'PLUGINS.md': registry(Bravo='Stage 3'), BRAVO: handoff('3')})
    worked(repo)
    return with_message(repo, 'feat: Bravo Stage 3 - moteur\n')


NO_ROW = registry().replace(samples.row('Bravo', 'Stage 2'), '')
NO_ENTRY = registry().replace(samples.entry('Bravo', 'Stage 2'), '')
UNREGISTERED = NO_ROW.replace(samples.entry('Bravo', 'Stage 2'), '')
OTHER = 'autre chose\n'


class Case(NamedTuple):
    code: str
    make: Make


CASES: dict[str, Case] = {
    # Q1: records that say nothing, or nothing that fits
    'a stage that is none': Case('HND008', written(bravo=handoff('foo'))),
    'a stage beyond the last': Case('HND003', written(bravo=handoff('9'))),
    'no stage': Case('HND003', written(bravo=handoff(''))),
    'no stage, committed': Case('HND003', committed(written(bravo=handoff('')))),
    'another item': Case(
        'HND004', written(bravo=handoff().replace('plugin: Bravo', 'plugin: Other'))
    ),
    'a status that is none': Case('HND003', written(bravo=handoff(status='done'))),
    'no date': Case('HND003', written(bravo=handoff(last_updated='soon'))),
    'stage and phase in one': Case(
        'HND003', written(registry=registry(Bravo='Stage 4'), bravo=handoff('4.3'))
    ),
    'a stage before the first': Case(
        'REG010', written(registry=registry(Bravo='Ideated'))
    ),
    'a stage before the first, committed': Case(
        'REG010',
        committed(written(registry=registry(Bravo='Ideated'), bravo=handoff('3'))),
    ),
    'a low stage beside a finished item': Case(
        'REG010', written(registry=registry(Bravo='Improving'))
    ),
    'a misspelled status': Case(
        'REG005', written(registry=registry().replace('Stage 2', 'Staeg 2'))
    ),
    # Q4: the step that is legal
    'the handoff is ahead': Case('REG010', written(bravo=handoff('3'))),
    'the handoff is behind': Case(
        'REG010', committed(written(registry=registry(Bravo='Stage 3')))
    ),
    'behind a finished item': Case(
        'REG010',
        committed(written(registry=registry(Bravo='Working'), bravo=handoff('4'))),
    ),
    'far behind a finished item': Case(
        'REG010', committed(written(registry=registry(Bravo='Working')))
    ),
    'the phase is behind': Case(
        'REG015',
        committed(
            written(
                registry=registry(Bravo='Stage 3.2'), bravo=handoff('3', phase='3.1')
            )
        ),
    ),
    'only the registry moved': Case(
        'COM001', staged(written(registry=registry(Bravo='Stage 3')))
    ),
    'only the handoff moved': Case('COM001', staged(written(bravo=handoff('3')))),
    # Q14
    'a contract changed': Case('CON001', written(architecture=OTHER)),
    'a contract changed, committed': Case(
        'CON001', committed(written(architecture=OTHER))
    ),
    'a contract is gone, committed': Case(
        'CON002', committed(written(architecture=None))
    ),
    'a checksum that is none': Case(
        'CON003',
        committed(
            written(
                bravo=handoff(
                    sums={
                        **samples.checksums('Bravo'),
                        'architecture': 'sha256:pending',
                    }
                )
            )
        ),
    ),
    'sealed by what no commit has': Case(
        'CON001',
        committed(
            written(
                bravo=handoff(
                    sums={
                        **samples.checksums('Bravo'),
                        'architecture': samples.checksum('never'),
                    }
                )
            )
        ),
    ),
    # Q15
    'no score although the plan stands': Case(
        'HND010', written(bravo=handoff(complexity_score='null'))
    ),
    'no score of what is done in phases': Case(
        'HND010',
        written(bravo=handoff(complexity_score='null', phased_implementation='true')),
    ),
    'a score out of range': Case(
        'HND010',
        written(bravo=handoff(complexity_score='9.5', phased_implementation='true')),
    ),
    'phased against its score': Case(
        'HND010', written(bravo=handoff(phased_implementation='true'))
    ),
    'an action that is none': Case(
        'HND010', written(bravo=handoff(next_action='dance'))
    ),
    # Q16
    'a stage commit without records': Case(
        'COM002', saying('feat: Bravo Stage 3 - moteur', worked)
    ),
    'a stage that has ended': Case(
        'COM002', saying('feat: Bravo Stage 2 - encore', worked)
    ),
    'the work is not staged': Case('COM003', worked_unstaged),
    # Q17
    'a handoff appears, untracked': Case(
        'HND005', written(charlie=samples.handoff('Charlie', '6'))
    ),
    'a handoff appears, staged': Case(
        'HND005', staged(written(charlie=samples.handoff('Charlie', '6')))
    ),
    'a handoff appears, committed': Case(
        'HND005', committed(written(charlie=samples.handoff('Charlie', '6')))
    ),
    'a handoff is only in the index': Case(
        'HND005', only_staged(written(charlie=samples.handoff('Charlie', '6')))
    ),
    'kept until it is installed': Case(
        'HND009',
        committed(written(registry=registry(Bravo='Working'), bravo=handoff('5'))),
    ),
    'a leftover, untracked': Case('HND007', written(older=handoff('1'))),
    'a leftover, committed': Case('HND007', committed(written(older=handoff('1')))),
    'misplaced, untracked': Case('HND007', written(bravo=None, older=handoff())),
    # Q18
    'no row': Case('REG003', written(registry=NO_ROW)),
    'no row, committed': Case('REG003', committed(written(registry=NO_ROW))),
    'no entry': Case('REG002', written(registry=NO_ENTRY)),
    'no entry, committed': Case('REG002', committed(written(registry=NO_ENTRY))),
    # others whose remedies were files to edit
    'not registered': Case('REG014', written(registry=UNREGISTERED)),
    'no frontmatter': Case('HND001', written(bravo='# rien\n')),
    'broken frontmatter': Case('HND002', written(bravo='---\n{: ]\n---\n')),
    'row and entry differ': Case(
        'REG001', written(registry=registry({'Bravo': 'Stage 1'}))
    ),
}


# of those that name files, and of some that do not
FROM_BELOW = (
    'another item',
    'the handoff is behind',
    'only the registry moved',
    'a contract changed, committed',
    'the work is not staged',
    'a handoff appears, staged',
    'a handoff is only in the index',
)


@pytest.mark.parametrize(
    ('name', 'directory'),
    [*((name, '') for name in CASES), *((name, BELOW) for name in FROM_BELOW)],
)
def test_the_fix_of_a_finding_works(project: Repo, name: str, directory: str) -> None:
    case = CASES[name]
    surface = case.make(project) or WORKTREE
    Walk(project, directory).until_gone(case.code, surface)


def test_an_item_that_was_never_registered_is_registered_as_it_is(
    project: Repo,
) -> None:
    """And the commit that registers it passes."""
    project.commit({'PLUGINS.md': UNREGISTERED})
    Walk(project).until_gone('REG014', WORKTREE)
    project.git('add', '-A')
    assert STAGED.findings(project, '') == []


def test_a_handoff_that_appears_without_an_item_is_refused(project: Repo) -> None:
    project.stage(
        {samples.handoff_path('Délay'): samples.handoff('Délay', '3', sums={})}
    )
    Walk(project).until_gone('STG002', STAGED)
