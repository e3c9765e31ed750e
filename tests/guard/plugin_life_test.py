"""A complex plugin from Stage 0 to Installed: what its hooks say in all."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest

from tests import samples, spaces
from tests.conftest import SCRIPTS, Interlock, Repo
from tests.guard.agents import failures
from tests.guard.session import Session

pytestmark = pytest.mark.slow

ITEM = 'MinimalKick'
FOLDER = f'plugins/{ITEM}'
RECORDS = [samples.handoff_path(ITEM), 'PLUGINS.md']
PHASES = {'3': ('3.1', '3.2', '3.3'), '4': ('4.1', '4.2', '4.3')}
PLAN = '# Plan\n\n' + ''.join(
    f'### Phase {phase}: part\n\n' for each in PHASES.values() for phase in each
)
AGENTS = {
    '0': 'research-planning-agent',
    '2': 'foundation-shell-agent',
    '3': 'dsp-agent',
    '4': 'gui-agent',
}
BUDGET = 2000
Work = Callable[[], dict[str, Any]]
# by which an agent writes the state that it reached
Update = Callable[..., None]
# stage -> what the documents count for it in tokens: as it was before agents
# wrote the state, and as it was meant to be
TOKENS = {
    '0': (15_000, 1_000),
    '2': (12_000, 1_000),
    '3': (15_000, 1_500),
    '4': (12_000, 1_200),
    '5': (3_500, 300),
}


@pytest.fixture
def session(
    repo: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> Session:
    monkeypatch.setenv('PATH', f'{SCRIPTS}{os.pathsep}{os.environ["PATH"]}')
    repo.commit({'PLUGINS.md': samples.registry({})})
    done = interlock('init', '--preset', 'plugin-workflow', '--git-hooks', '--claude')
    assert done.code == 0, done.err
    repo.commit({}, 'chore: installer')
    return Session(repo.path)


def report(agent: str, stage: str, files: list[str]) -> dict[str, Any]:
    number, dot, _ = stage.partition('.')
    return {
        'agent': agent,
        'status': 'success',
        'outputs': {
            'stage_completed': int(number),
            'phase_completed': stage if dot else None,
            'files_modified': files,
            'state_files_updated': RECORDS,
        },
        'stateUpdated': True,
        'issues': [],
        'ready_for_next_stage': True,
    }


def by_command(session: Session, *command: str) -> None:
    session.run(f'interlock handoff {" ".join(command)}')


def by_hand(session: Session, *command: str) -> None:
    """Record by record, as the documents tell an agent to write them."""
    files = [session.project / name for name in RECORDS]
    before = [file.read_bytes() if file.exists() else None for file in files]
    spaces.run('handoff', *command, cwd=session.project)
    after = [file.read_text(encoding='UTF-8') for file in files]
    for file, old in zip(files, before, strict=True):
        file.unlink()
        if old is not None:
            file.write_bytes(old)
    session.write(RECORDS[0], after[0])
    text = (before[1] or b'').decode()
    for old_line, line in zip(text.splitlines(), after[1].splitlines(), strict=False):
        if old_line != line and line.startswith(f'| {ITEM} '):
            session.write(RECORDS[1], text.replace(old_line, line))
    session.write(RECORDS[1], after[1])


def planning(session: Session, update: Update) -> Work:
    """The agent of Stage 0: contracts, and the handoff that seals them."""

    def work() -> dict[str, Any]:
        files = {
            'parameter-spec.md': '# Paramètres\n',
            'architecture.md': '# Architecture\n',
            'plan.md': PLAN,
        }
        for name, text in files.items():
            session.write(f'{FOLDER}/.ideas/{name}', text)
        update(session, 'create', ITEM, '0', '--complexity', '5.0')
        update(session, 'update', ITEM, '0')
        paths = [f'{FOLDER}/.ideas/{name}' for name in files]
        return report(AGENTS['0'], '0', paths)

    return work


def building(session: Session, update: Update, stage: str) -> Work:
    """The agent of a later stage: code, and the state that it reached."""

    def work() -> dict[str, Any]:
        files = [f'{FOLDER}/CMakeLists.txt', f'{FOLDER}/Source/Main.cpp']
        for name in files:
            session.write(name, f'// {ITEM} {stage}\n')
        update(session, 'update', ITEM, stage)
        return report(AGENTS[stage[0]], stage, files)

    return work


def commit(session: Session, stage: str) -> None:
    session.run(f'interlock commit-stage {ITEM} {stage} -m "part {stage}"')


def proven(session: Session, stage: str) -> None:
    session.run(
        f'interlock evidence add {ITEM} --kind test --result passed '
        f'--stage {stage} --text "45 of 45"'
    )


def ideated(session: Session) -> None:
    brief = '# Idée\n\nUn bouton.\n'
    session.write(f'{FOLDER}/.ideas/creative-brief.md', brief)
    session.run(f'interlock registry add {ITEM} --type "Audio Effect"')
    session.run(f'git add -A && git commit -qm "docs: {ITEM} imaginé"')


def stages(session: Session, update: Update) -> None:
    session.part = '0'
    ideated(session)
    session.delegate(AGENTS['0'], f'Plan {ITEM}.', planning(session, update))
    commit(session, '0')
    for stage in ('2', '3', '4'):
        session.rest()
        session.part = stage
        # the user's word, or the number of the menu
        session.prompt('continue' if stage != '4' else '1')
        phases = PHASES.get(stage, (stage,))
        for each in phases:
            prompt = f'Build {ITEM}, stage {each}.'
            work = building(session, update, each)
            session.delegate(AGENTS[stage], prompt, work)
            commit(session, each)
        if stage in PHASES:
            # the leading agent tests the stage, and closes it
            proven(session, stage)
            commit(session, stage)


def validated(session: Session) -> None:
    """The last stage is done by the leading agent."""
    session.rest()
    session.part = '5'
    session.prompt('continue')
    session.write(f'{FOLDER}/CHANGELOG.md', '# 1.0.0\n')
    proven(session, '5')
    commit(session, '5')
    session.rest()
    session.prompt('install it')
    session.run(f'interlock registry set-status {ITEM} Installed')
    session.run(f'git add -A && git commit -qm "feat: {ITEM} Installed"')
    session.rest()


def table(session: Session) -> str:
    lines = ['stage  characters by hooks  tokens meant  tokens before']
    for stage, (before, meant) in TOKENS.items():
        said = session.characters(stage)
        lines.append(f'{stage:>5}  {said:>19}  {meant:>12,}  {before:>13,}')
    meant, before = (sum(pair[number] for pair in TOKENS.values()) for number in (1, 0))
    lines.append(f'  all  {session.characters():>19}  {meant:>12,}  {before:>13,}')
    return '\n'.join(lines)


@pytest.mark.parametrize('update', (by_command, by_hand))
def test_a_whole_workflow_costs_next_to_nothing(
    session: Session,
    update: Update,
    repo: Repo,
    interlock: Interlock,
    record_property: Callable[[str, object], None],
) -> None:
    start = repo.git('rev-parse', 'HEAD')
    session.part = 'start'
    session.start()
    session.prompt(f'Build {ITEM}.')
    stages(session, update)
    validated(session)
    session.end()
    record_property('table', f'{update.__name__}\n{table(session)}')
    assert session.characters() < BUDGET, session.heard
    assert failures(repo.path / '.git') == ''
    # it did happen, and nothing of it is wrong
    assert repo.git('status', '--porcelain') == ''
    assert '📦 Installed' in interlock('registry', 'show', ITEM).out
    done = interlock.check('--range', f'{start}..HEAD')
    assert (done.code, done.codes) == (0, ['HND009'])
    subjects = repo.git('log', '--format=%s', f'{start}..HEAD').splitlines()
    assert len(subjects) == 13
    said = repo.git('log', '--format=%(trailers:key=Interlock-Confirmed)')
    assert said.count('Interlock-Confirmed: ') == 4
    # and the hooks did look
    answered = (repo.path / '.git/interlock/claude').iterdir()
    events = {each.event for each in session.heard}
    assert events <= {path.name for path in answered}


def test_what_hooks_do_say_is_counted(project: Repo) -> None:
    session = Session(project.path)
    session.part = 'start'
    session.start()
    session.part = 'half'
    registry = {'Alpha': 'Ideated', 'Bravo': 'Stage 2', 'Charlie': 'Installed'}
    text = samples.registry(registry, {'Bravo': 'Stage 3'})
    session.write('PLUGINS.md', text)
    heard = [each for each in session.heard if each.text]
    assert [each.event for each in heard] == ['SessionStart', 'PostToolUse']
    assert 'Bravo at Stage 2' in heard[0].text
    assert 'REG001' in heard[1].text
    assert session.characters('half') == len(heard[1].text)
    assert session.characters() == sum(len(each.text) for each in heard)
