from __future__ import annotations

import os
from pathlib import Path

import pytest

from interlock.documents import section_edit
from interlock.model.errors import OUTSIDE
from interlock.project import project as projects
from tests import samples
from tests.conftest import Interlock, Repo
from tests.operations.kicks import HANDOFF, ITEM, PHASES, PLAN, handoff

DAY = '2026-03-04'
SIMPLE = {'complexity_score': '1.2', 'phased_implementation': 'false'}
PHASED = {'complexity_score': '5.0', 'phased_implementation': 'true'}


@pytest.fixture(autouse=True)
def a_day(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(projects, 'today', lambda: DAY)


def items(
    status: str, text: str | bytes | None = None
) -> dict[str, str | bytes | None]:
    files: dict[str, str | bytes | None] = {
        '.interlock.yaml': samples.WORKFLOW,
        'PLUGINS.md': samples.registry({ITEM: status}),
        **samples.item_files(ITEM),
        PLAN: PHASES,
    }
    if text is not None:
        files[HANDOFF] = text
    return files


def text_of(repo: Repo, path: str = HANDOFF) -> str:
    return (repo.path / path).read_bytes().decode()


def section(repo: Repo, title: str) -> list[str]:
    return section_edit.body(text_of(repo), title)


def errors(interlock: Interlock) -> list[str]:
    result = interlock.check('--worktree')
    assert result.code in {0, 1}
    import json

    return [
        finding['code']
        for finding in json.loads(result.out)['findings']
        if finding['severity'] == 'error'
    ]


def test_the_life_of_a_handoff(repo: Repo, interlock: Interlock) -> None:
    repo.commit(items('Ideated'))
    assert interlock('handoff', 'create', ITEM).code == 0
    assert errors(interlock) == []
    result = interlock(
        'handoff',
        'update',
        ITEM,
        '--status',
        'complete',
        '--complexity',
        '1.2',
        '--gui-type',
        'webview',
        '--text',
        'Recherche faite',
    )
    assert result.code == 0
    assert errors(interlock) == []
    repo.commit({}, f'feat: {ITEM} Stage 0 - recherche')
    result = interlock(
        'handoff',
        'update',
        ITEM,
        '2',
        '--expect',
        '0',
        '--completed',
        'Fundament steht',
        '--next-step',
        'Klang bauen',
        '--next-step',
        'hören',
        '--current',
        'Baut.',
        '--build-artifact',
        'VST3',
        '--build-artifact',
        'CLAP=b/x.clap',
        '--test-done',
        'Lädt',
        '--context',
        'Werkbank 3',
        '--next-action',
        'invoke_dsp_agent',
        '--no-phased',
    )
    assert result.code == 0
    assert result.err.startswith(f'{ITEM}: Stage 0 -> Stage 2\n')
    assert errors(interlock) == []
    assert section(repo, 'Completed So Far') == [
        '- **Stage 0:** Recherche faite',
        '- **Stage 2:** Fundament steht',
    ]
    assert section(repo, 'Next Steps') == ['1. Klang bauen', '2. hören']
    assert section(repo, 'Current State') == ['Baut.']
    assert section(repo, 'Build Artifacts')[1] == '- CLAP: b/x.clap'
    assert section(repo, 'Testing Checklist') == [
        '- [ ] Stage 3: the audio engine',
        '- [ ] Stage 4: the interface',
        '- [ ] Stage 5: the validation',
        '- [x] Lädt',
    ]
    assert section(repo, 'Context to Preserve') == [
        '- Complexity: 1.2',
        '- Phased: false',
        f'- Architecture: plugins/{ITEM}/.ideas/architecture.md',
        f'- Plan: plugins/{ITEM}/.ideas/plan.md',
        '- Werkbank 3',
    ]
    repo.commit({}, f'feat: {ITEM} Stage 2 - Fundament')
    result = interlock('handoff', 'delete', ITEM)
    assert (result.code, result.err) == (0, f'{HANDOFF}: deleted\n')
    assert errors(interlock) == ['HND011']
    assert not (repo.path / HANDOFF).exists()
    assert f'- **{DAY}:** Handoff deleted\n' in text_of(repo, 'PLUGINS.md')


def test_a_field_of_any_workflow_can_be_given(repo: Repo, interlock: Interlock) -> None:
    repo.commit(items('Stage 2', handoff('2', **SIMPLE)))
    result = interlock('handoff', 'update', ITEM, '--field', 'gui_type=headless')
    assert result.code == 0
    assert '\norchestration_mode: true\ngui_type: headless\n' in text_of(repo)
    result = interlock('handoff', 'update', ITEM, '--field', 'gui_type')
    assert result.code == 2
    assert '`gui_type` is not KEY=VALUE' in result.err


@pytest.mark.parametrize(
    ('args', 'code', 'sentence'),
    (
        pytest.param(
            ('create', 'Gross Caisse'),
            2,
            f'no item `Gross Caisse`; did you mean `{ITEM}`?',
            id='item',
        ),
        pytest.param(('create', '../x'), 2, 'cannot be the name', id='path'),
        pytest.param(
            ('update', ITEM, '9'), 2, '`9` is not a stage; there are', id='stage'
        ),
        pytest.param(
            ('update', ITEM, 'Working'), 2, '`Working` is not a stage', id='no stage'
        ),
        pytest.param(
            ('update', ITEM, '4'), 1, 'after Stage 2 comes Stage 3', id='illegal'
        ),
        pytest.param(
            ('update', ITEM, '3.1', '--expect', '3'),
            1,
            'is at Stage 2, not at Stage 3',
            id='expected',
        ),
        pytest.param(
            ('update', ITEM, '3.9'), 1, 'the first phase is Stage 3.1', id='phase'
        ),
        pytest.param(('create', ITEM), 1, 'has a handoff', id='exists'),
        pytest.param(('migrate',), 2, 'give an ITEM, or --all', id='neither'),
        pytest.param(
            ('migrate', ITEM, '--all'), 2, 'give an ITEM, or --all', id='both'
        ),
        pytest.param(('restore', ITEM), 1, 'is valid', id='readable'),
        pytest.param(('regenerate', ITEM), 1, 'is valid', id='whole'),
    ),
)
def test_bad_input_is_a_sentence_and_changes_nothing(
    repo: Repo, interlock: Interlock, args: tuple[str, ...], code: int, sentence: str
) -> None:
    repo.commit(items('Stage 2', handoff('2', **SIMPLE)))
    result = interlock('handoff', *args)
    assert sentence in result.err
    assert result.code == code
    assert repo.git('status', '--porcelain') == ''


@pytest.mark.parametrize('name', ('PLUGINS.md', HANDOFF))
def test_a_read_only_file_leaves_both_as_they_were(
    repo: Repo, interlock: Interlock, name: str
) -> None:
    repo.commit(items('Stage 2', handoff('2', **SIMPLE)))
    (repo.path / name).chmod(0o444)
    result = interlock('handoff', 'update', ITEM, '--context', 'x')
    if name == HANDOFF:
        assert f'{name} is read-only' in result.err
        assert result.code == 2
    result = interlock('handoff', 'delete', ITEM)
    assert f'{name} is read-only' in result.err
    assert result.code == 2
    (repo.path / name).chmod(0o644)
    assert text_of(repo, 'PLUGINS.md').count('Handoff deleted') == 0


@pytest.mark.parametrize('missing', ('git', 'repository'))
def test_without_git_the_files_are_written_and_it_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, interlock: Interlock, missing: str
) -> None:
    place = Repo(tmp_path / 'lose')
    place.write(items('Ideated'))
    monkeypatch.chdir(place.path)
    if missing == 'git':
        place.git('init', '-q')
        (tmp_path / 'leer').mkdir()
        monkeypatch.setenv('PATH', str(tmp_path / 'leer'))
        said = 'git is not installed, or not on the PATH\n    next: install'
    else:
        said = f'{OUTSIDE}\n    next: git init\n'
    result = interlock('handoff', 'create', ITEM)
    assert f'interlock: nothing is committed: {said}' in result.err
    assert result.code == 0
    assert 'stage: 0\n' in text_of(place)
    result = interlock('handoff', 'update', ITEM, '--status', 'complete')
    assert result.code == 0
    for args in (('restore', ITEM), ('regenerate', ITEM)):
        assert interlock('handoff', *args).code == 1
    (place.path / HANDOFF).unlink()
    result = interlock('handoff', 'restore', ITEM)
    assert f"next: interlock handoff regenerate '{ITEM}'" in result.err
    assert result.code == 1
    assert interlock('handoff', 'regenerate', ITEM).code == 0
    assert 'stage: 0\n' in text_of(place)


def test_checksums_are_of_what_git_stores(repo: Repo, interlock: Interlock) -> None:
    repo.commit({**items('Ideated'), '.gitattributes': '*.md text eol=crlf\n'})
    brief = f'plugins/{ITEM}/.ideas/creative-brief.md'
    stored = samples.contract(ITEM, 'creative_brief')
    repo.write({brief: stored.replace('\n', '\r\n')})
    assert interlock('handoff', 'create', ITEM).code == 0
    assert f'creative_brief: {samples.checksum(stored)}\n' in text_of(repo)


def test_every_older_handoff_is_migrated_at_once(
    repo: Repo, interlock: Interlock
) -> None:
    old = f'---\nplugin: {ITEM}\nstage: 2\nstatus: complete\n---\n'
    broken = samples.handoff_path('Kaputt')
    repo.commit(
        {
            **items('Stage 2', old),
            samples.handoff_path('Neu'): samples.handoff('Neu'),
            broken: '# Kaputt\n',
            'PLUGINS.md': samples.registry(
                dict.fromkeys((ITEM, 'Neu', 'Kaputt', 'Ohne'), 'Stage 2')
            ),
        }
    )
    result = interlock('handoff', 'migrate', '--all')
    assert f'{HANDOFF}: migrated (phase, ' in result.err
    assert f'{samples.handoff_path("Neu")}: already migrated\n' in result.err
    assert (
        f'interlock: {broken} has no frontmatter\n'
        f'    next: interlock handoff restore Kaputt\n'
    ) in result.err
    assert result.code == 1
    assert text_of(repo, broken) == '# Kaputt\n'
    repo.git('rm', '-q', broken)
    result = interlock('handoff', 'migrate', '--all')
    assert result.err.count('already migrated') == 2
    assert result.code == 0


def test_the_last_handoff_that_could_be_read_is_restored(
    repo: Repo, interlock: Interlock
) -> None:
    repo.commit(items('Stage 0', handoff('0')))
    good = handoff('2')
    repo.commit({HANDOFF: good, 'PLUGINS.md': samples.registry({ITEM: 'Stage 2'})})
    repo.commit({HANDOFF: '---\nstage: [\n---\n'})
    repo.commit({HANDOFF: 'zerstört\n'})
    result = interlock('handoff', 'restore', ITEM)
    commit = repo.git('rev-parse', '--short=10', 'HEAD~2')
    assert result.err == f'{HANDOFF}: restored from {commit}\n'
    assert result.code == 0
    assert text_of(repo) == good
    (repo.path / HANDOFF).unlink()
    assert interlock('handoff', 'restore', ITEM).code == 0
    assert text_of(repo) == good


def test_a_restored_handoff_ends_lines_as_the_checkout_does(
    repo: Repo, interlock: Interlock
) -> None:
    repo.commit(
        {
            **items('Stage 2', handoff('2')),
            '.gitattributes': '.continue-here.md text eol=crlf\n',
        }
    )
    (repo.path / HANDOFF).unlink()
    assert interlock('handoff', 'restore', ITEM).code == 0
    assert text_of(repo) == handoff('2').replace('\n', '\r\n')
    repo.git('add', '-A')
    assert repo.git('status', '--porcelain') == ''


def test_a_handoff_at_an_older_place_is_restored_there(
    repo: Repo, interlock: Interlock
) -> None:
    older = f'plugins/{ITEM}/.ideas/.continue-here.md'
    repo.commit({**items('Stage 2'), older: handoff('2')})
    (repo.path / older).unlink()
    assert interlock('handoff', 'restore', ITEM).code == 0
    assert text_of(repo, older) == handoff('2')


def test_a_restored_handoff_that_is_behind_is_warned_of(
    repo: Repo, interlock: Interlock
) -> None:
    repo.commit(items('Stage 2', handoff('2')))
    repo.commit({HANDOFF: None, 'PLUGINS.md': samples.registry({ITEM: 'Stage 3'})})
    result = interlock('handoff', 'restore', ITEM)
    assert result.code == 0
    assert (
        f'interlock: warning: the handoff is at Stage 2, PLUGINS.md says '
        f"Stage 3; next: interlock handoff update '{ITEM}' 3\n"
    ) in result.err


@pytest.mark.parametrize('name', ('restore', 'regenerate'))
def test_a_finished_item_gets_no_handoff_back(
    repo: Repo, interlock: Interlock, name: str
) -> None:
    repo.commit(items('Working', handoff('5')))
    repo.commit({HANDOFF: None, 'PLUGINS.md': samples.registry({ITEM: 'Installed'})})
    result = interlock('handoff', name, ITEM)
    assert f'{ITEM} is Installed and needs no handoff' in result.err
    assert result.code == 1


def test_a_lost_handoff_is_rebuilt(repo: Repo, interlock: Interlock) -> None:
    evidence = '\n  3.test: "passed 2026-01-02: 4 von 4"'
    repo.commit(items('Stage 2', handoff('2', **PHASED)))
    repo.commit(
        {
            HANDOFF: handoff(
                '3', '3.1', gui_type='headless', evidence=evidence, **PHASED
            ),
            'PLUGINS.md': samples.registry({ITEM: 'Stage 3.1'}).replace(
                '- **2026-01-01:** Brief\n',
                '- **2026-01-01:** Brief\n'
                '- **2026-01-01 (Stage 2):** Fundament steht\n',
            ),
        },
        f'feat: {ITEM} Stage 3.1 - Oszillator',
    )
    repo.commit({HANDOFF: None}, 'chore: hoppla')
    result = interlock('handoff', 'regenerate', ITEM)
    assert (result.code, result.err) == (0, f'{HANDOFF}: rebuilt\n')
    commit = repo.git('rev-parse', '--short=10', 'HEAD~1')
    text = text_of(repo)
    assert text.startswith(
        f'---\nplugin: {ITEM}\nstage: 3\nphase: 3.1\nstatus: complete\n'
        f'last_updated: {DAY}\ncomplexity_score: 5.0\n'
        f'phased_implementation: true\norchestration_mode: true\n'
        f'gui_type: headless\nnext_action: continue_dsp_phase_3.2\n'
        f'next_phase: 3.2\nevidence:\n'
        f"  3.test: 'passed 2026-01-02: 4 von 4'\ncontract_checksums:\n"
    )
    assert section(repo, 'Completed So Far') == [
        '- **Stage 2:** Fundament steht',
        f'- **Stage 3.1:** feat: {ITEM} Stage 3.1 - Oszillator ({commit})',
    ]
    assert section(repo, 'Next Steps') == ['1. Invoke dsp-agent for Stage 3.2']
    assert section(repo, 'Current State') == [
        f'Rebuilt on {DAY} from the registry, the history and the contracts'
    ]
    assert errors(interlock) == []
    assert 'not known' not in text


def test_what_is_not_known_is_marked(repo: Repo, interlock: Interlock) -> None:
    repo.commit(items('Stage 2'))
    result = interlock('handoff', 'regenerate', ITEM)
    assert result.code == 0
    unknown = 'complexity_score, phased_implementation, status, evidence'
    assert f'interlock: warning: not known: {unknown}\n' in result.err
    text = text_of(repo)
    assert 'status: in_progress # not known\n' in text
    assert 'complexity_score: null # not known\n' in text
    assert section(repo, 'Context to Preserve') == [
        f'- Not known when this was rebuilt: {unknown}'
    ]
    assert section(repo, 'Next Steps') == [
        '1. Find out where work stopped: see the plan and the last commits'
    ]
    assert errors(interlock) == []


def test_what_was_sealed_is_not_sealed_anew(repo: Repo, interlock: Interlock) -> None:
    repo.commit(items('Stage 2', handoff('2')))
    brief = f'plugins/{ITEM}/.ideas/creative-brief.md'
    repo.write({brief: 'heimlich anders\n', HANDOFF: None})
    result = interlock('handoff', 'regenerate', ITEM)
    assert (
        f'interlock: warning: {brief} differs from its seal; next: '
        f"interlock contracts verify '{ITEM}'\n"
    ) in result.err
    assert samples.checksums(ITEM)['creative_brief'] in text_of(repo)
    assert errors(interlock) == ['CON001']


@pytest.mark.parametrize(
    ('broken', 'kept'),
    (
        pytest.param(
            '# Notizen\n\n## Next Steps\n\n1. weiter\n',
            '\n---\n\n# Notizen\n\n## Next Steps\n\n1. weiter\n',
            id='no frontmatter',
        ),
        pytest.param(
            '# Notizen\r\n\r\n## Next Steps\r\n\r\n1. weiter\r\n',
            '\r\n---\r\n\r\n# Notizen\r\n\r\n## Next Steps\r\n\r\n1. weiter\r\n',
            id='CRLF',
        ),
        pytest.param(
            '---\nstage: [\n---\n\n# Notizen\n',
            '\n---\n\n# Notizen\n',
            id='broken frontmatter',
        ),
        pytest.param(
            '\ufeff---\nstage: 2\n---\n\n# Notizen\n',
            '\n---\n\n# Notizen\n',
            id='a byte order mark',
        ),
        pytest.param('---\nstage: 2\n', ': where work stands\n', id='open'),
        pytest.param(b'\xff\xfe', ': where work stands\n', id='no text'),
    ),
)
def test_what_can_be_read_of_a_broken_handoff_is_kept(
    repo: Repo, interlock: Interlock, broken: str | bytes, kept: str
) -> None:
    repo.commit(items('Stage 2', broken))
    assert interlock('handoff', 'regenerate', ITEM).code == 0
    text = text_of(repo)
    assert kept in text
    assert text.count('\r\n') in {0, text.count('\n')}
    assert errors(interlock) == []


@pytest.mark.parametrize(
    ('status', 'sentence'),
    (
        pytest.param('Ideated', 'there is nothing to hand over', id='before'),
        pytest.param('Archived', 'there is nothing to hand over', id='after'),
        pytest.param('Wroking', 'is not understood', id='unknown'),
    ),
)
def test_there_is_not_always_a_handoff_to_rebuild(
    repo: Repo, interlock: Interlock, status: str, sentence: str
) -> None:
    repo.commit(items(status))
    result = interlock('handoff', 'regenerate', ITEM)
    assert sentence in result.err
    assert result.code in {1, 2}
    assert not (repo.path / HANDOFF).exists()


def test_the_handoff_of_a_finished_item_is_rebuilt_at_its_last_stage(
    repo: Repo, interlock: Interlock
) -> None:
    repo.commit(items('Working'))
    assert interlock('handoff', 'regenerate', ITEM).code == 0
    assert 'stage: 5\nphase: null\nstatus: workflow_complete\n' in (text_of(repo))
    assert errors(interlock) == []


def test_both_places_of_a_handoff_are_cleared(repo: Repo, interlock: Interlock) -> None:
    older = f'plugins/{ITEM}/.ideas/.continue-here.md'
    repo.commit({**items('Stage 3', handoff('3')), older: handoff('0')})
    assert interlock('handoff', 'delete', ITEM).code == 0
    assert not os.path.exists(older)
    assert errors(interlock) == ['HND011']
    result = interlock('handoff', 'delete', ITEM)
    assert (result.code, result.err.splitlines()[0]) == (
        1,
        f'interlock: refused: {ITEM} has no handoff',
    )


def test_a_handoff_of_an_item_without_an_entry_is_deleted(
    repo: Repo, interlock: Interlock
) -> None:
    repo.commit(
        {
            **items('Stage 2', handoff('2')),
            'PLUGINS.md': samples.HEAD + samples.row(ITEM, 'Stage 2'),
        }
    )
    assert interlock('handoff', 'delete', ITEM).code == 0
    assert repo.git('status', '--porcelain', '-z') == f' D {HANDOFF}\0'
