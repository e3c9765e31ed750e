"""The same scenarios on every client: what is held, what passes, what fails."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from interlock.agents import adapter_of
from tests import samples
from tests.client.brief import BRIEF, is_whole
from tests.client.conftest import PYTHON, install
from tests.client.kits import INSTALLED, KITS, Kit, Use, patch
from tests.client.personal import REFUSED, all_refused, prepare
from tests.client.runner import Client
from tests.client.script import Step, say, script, use
from tests.client.seen import Seen
from tests.conftest import Repo
from tests.spaces import TASK, Space

HOOK = '.git/hooks/pre-commit'
ACQUIRE = 'interlock lock acquire main --operation git-operation'
# what a session is told at its start
FACT = 'In progress (1): Bravo at Stage 2.'
NO_VERIFY = 'git commit --allow-empty --no-verify -m é'
# commits that no guard of a client reads
SAVING = {
    'tools/save': '#!/bin/sh\ngit commit -am "chore: é"\n',
    'Makefile': 'save:\n\t./tools/save\n',
}
# what starts a command in another directory
ELSEWHERE = {'codex': ('workdir',), 'opencode': ('workdir',)}
# one of each client is enough where its tools do not matter
CLIENTS = [name for name in KITS if '-' not in name]
EVERY = pytest.mark.parametrize('name', KITS)
EACH = pytest.mark.parametrize('name', CLIENTS)


def step(id: str, called: Use) -> Step:
    tool, given = called
    return use(id, tool, **given)


class Attempt(NamedTuple):
    id: str
    use: Use
    # what the model reads; '' where the client itself refuses before
    code: str


def wiring(kit: Kit) -> str:
    """The file that calls us, as `init` writes it for one machine."""
    client = adapter_of(kit.agent)
    return client.own_settings or client.settings


def attempts(kit: Kit, top: Path) -> Iterator[Attempt]:
    line = samples.contract('Bravo', 'creative_brief').splitlines()[0]
    brief, settings = top / BRIEF, top / wiring(kit)
    yield Attempt('commit', kit.shell(NO_VERIFY), 'CLD001')
    for field in ELSEWHERE.get(kit.agent, ()):
        tool, given = kit.shell(f'git -C {top} commit --allow-empty -nm é')
        yield Attempt(f'commit-{field}', (tool, {**given, field: '/'}), 'CLD001')
    yield Attempt('hook', kit.shell(f'echo "exit 0" > {HOOK}'), 'CLD003')
    # this client writes nothing below .git
    code = '' if kit.agent == 'gemini' else 'CLD003'
    yield Attempt('hook-by-tool', kit.write(top / HOOK, 'exit 0\n'), code)
    yield Attempt('contract', kit.shell(f'sed -i s/é/e/ {BRIEF}'), 'CON006')
    for tool, edit in kit.edits.items():
        yield Attempt(f'contract-by-{tool}', edit(brief, line, 'x'), 'CON006')
    yield Attempt('contract-again', kit.write(brief, 'autre\n'), 'CON006')
    update = patch(f'*** Update File: {BRIEF}', '@@', f'-{line}', '+x')
    command = f"apply_patch <<'EOF'\n{update}EOF"
    yield Attempt('contract-by-patch', kit.shell(command), 'CON006')
    workflow = top / '.interlock.yaml'
    yield Attempt('workflow', kit.write(workflow, 'version: 1\n'), 'CLD004')
    # by the hook of git, which the client has to let run
    yield Attempt('broken-commit', kit.shell('git commit -am "chore: é"'), 'REG001')
    yield Attempt('commit-by-script', kit.shell('./tools/save'), 'REG001')
    yield Attempt('commit-by-make', kit.shell('make -s save'), 'REG001')
    yield Attempt('wiring', kit.write(settings, '{}\n'), 'CLD003')
    yield Attempt('wiring-by-shell', kit.shell(f'rm {settings}'), 'CLD003')


def name_committer(repo: Repo) -> None:
    """One of the clients hides the user's configuration from git."""
    repo.git('config', 'user.name', 'Zoë')
    repo.git('config', 'user.email', 'zoe@example.invalid')


def guarded(repo: Repo, kit: Kit, preset: str = 'plugin-workflow') -> None:
    name_committer(repo)
    install(repo, preset, '--git-hooks', '--agent', kit.agent)


def state(top: Path) -> dict[str, bytes]:
    """The files that must not change."""
    kept = (HOOK, BRIEF, '.interlock.yaml', '.git/refs/heads/main')
    return {name: (top / name).read_bytes() for name in kept if (top / name).exists()}


def read_first(kit: Kit, *paths: Path) -> list[Step]:
    if kit.read is None:
        return []
    return [step(f'read-{path.name.strip(".")}', kit.read(path)) for path in paths]


def play(client: Client, steps: list[Step]) -> Seen:
    return client.play(script(*steps, say('done')))


@EVERY
def test_what_must_not_happen_is_held(name: str, project: Repo, tmp_path: Path) -> None:
    kit, top = KITS[name], project.path
    guarded(project, kit)
    project.write(SAVING)
    (top / 'tools/save').chmod(0o755)
    project.commit(SAVING)
    text = (top / 'PLUGINS.md').read_text()
    project.write({'PLUGINS.md': text.replace('Stage 2', 'Stage 3', 1)})
    before = state(top)
    tried = list(attempts(kit, top))
    files = read_first(kit, top / BRIEF, top / '.interlock.yaml', top / HOOK)
    steps = [*files, *(step(each.id, each.use) for each in tried)]
    steps.append(step('restore', kit.shell('git checkout PLUGINS.md')))
    seen = play(Client(top, tmp_path / 'client', kit), steps)
    assert {each.id: each.code in seen.results[each.id].text for each in tried} == (
        dict.fromkeys((each.id for each in tried), True)
    ), {each.id: seen.results[each.id].text for each in tried}
    assert state(top) == before
    changed = project.git('diff', '--name-only', 'HEAD').splitlines()
    # a client may write settings of its own beside ours
    assert set(changed) <= {wiring(kit)}


@EVERY
def test_without_us_all_of_it_happens(name: str, project: Repo, tmp_path: Path) -> None:
    """Else nothing would be shown by what is held."""
    kit, top = KITS[name], project.path
    project.write({HOOK: '#!/bin/sh\nexit 1\n'})
    (top / HOOK).chmod(0o755)
    name_committer(project)
    line = samples.contract('Bravo', 'creative_brief').splitlines()[0]
    first = next(iter(kit.edits.values()))
    steps = [
        *read_first(kit, top / BRIEF),
        step('edit', first(top / BRIEF, line, 'x')),
        step('commit', kit.shell(NO_VERIFY)),
        step('hook', kit.shell(f'echo "exit 0" > {HOOK}')),
    ]
    play(Client(top, tmp_path / 'client', kit), steps)
    assert not is_whole(project)
    assert project.git('log', '-1', '--format=%s') == 'é'
    assert (top / HOOK).read_text() == 'exit 0\n'


def others(seen: Seen) -> list[int]:
    """How many messages besides calls and results each request has."""
    return [
        sum(
            1
            for message in turn.body['messages']
            for block in message['content']
            if isinstance(block, dict) and block.get('type') == 'text'
            if message['role'] != 'assistant'
        )
        for turn in seen.turns()
    ]


@EVERY
def test_honest_work_passes_in_silence(
    name: str, project: Repo, tmp_path: Path
) -> None:
    kit, top = KITS[name], project.path
    guarded(project, kit)
    notes = top / 'notes.md'
    steps = [
        step('write', kit.write(notes, 'un\n')),
        *read_first(kit, notes),
        *(
            step(f'by-{tool}', edit(notes, 'un', 'deux'))
            for tool, edit in list(kit.edits.items())[:1]
        ),
        step('look', kit.shell('ls && git status')),
        step('test', kit.shell('python3 -c "print(2)" > out.txt && sort out.txt')),
        step('stage', kit.shell('git checkout -b x && git add notes.md')),
        step('commit', kit.shell('git add notes.md && git commit -m "docs: é"')),
    ]
    seen = play(Client(top, tmp_path / 'client', kit), steps)
    assert notes.read_text() == 'deux\n'
    assert project.git('log', '-1', '--format=%s') == 'docs: é'
    for result in seen.results.values():
        assert 'CLD' not in result.text
        assert 'nterlock' not in result.text
        # as a client tells its agent of a command that was changed
        assert 'by a hook' not in result.text
    assert FACT in seen.turns()[0].text
    # nothing but the calls and their results is added to the conversation
    counts = others(seen)
    assert max(counts) == counts[0]


@EACH
def test_a_commit_knows_its_session(name: str, space: Space, tmp_path: Path) -> None:
    """The hook of the client, the shell and the hook of git name the same one."""
    kit, main = KITS[name], space.main
    (space.path / '.interlock.yaml').unlink()
    guarded(main, kit, 'task-protocol')
    file = main.path / 'a.txt'
    commit = 'git add a.txt && git commit -m "chore: é"'
    steps = [
        step('early', kit.write(file, 'é\n')),
        step('acquire', kit.shell(ACQUIRE)),
        step('write', kit.write(file, 'é\n')),
        step('commit', kit.shell(commit)),
        # else the agent is not let go
        step('release', kit.shell('interlock lock release main')),
    ]
    seen = play(Client(main.path, tmp_path / 'client', kit), steps)
    texts = {id: result.text for id, result in seen.results.items()}
    assert 'LCK007' in texts['early'], texts
    assert file.exists(), texts
    assert main.git('log', '-1', '--format=%s') == 'chore: é', texts


def personal(kit: Kit, space: Space) -> Iterator[tuple[str, Use]]:
    """What only a person may do, or only who holds the lock."""
    code = space.file('code')
    yield 'write', kit.write(code / 'src/Y.java', 'class Y {}\n')
    commit = 'echo é > a && git add a && git commit -m "chore: é"'
    yield 'commit', kit.shell(f'cd {code} && {commit}')
    for command in (f'approve {TASK}', f'lock release {TASK}', 'uninstall'):
        yield command.split()[0], kit.shell(f'interlock {command}')
    yield 'forged', kit.shell('env -i PATH="$PATH" HOME="$HOME" interlock uninstall')
    # in a script that says it, and in one that computes it
    yield 'script', kit.shell('sh tools/plain')
    yield 'unseen', kit.shell('./tools/ask')
    yield 'apart', kit.shell('setsid ./tools/ask < /dev/null')
    yield 'loose', kit.shell('./tools/ask-loose')
    yield 'waits', kit.shell('until [ -e loose.done ]; do sleep 0.1; done')
    if kit.agent == 'codex':
        for command in (f'approve {TASK}', 'uninstall'):
            tool, given = kit.shell(f'interlock {command}')
            yield f'tty-{command[:4]}', (tool, {**given, 'tty': True})


@EACH
def test_what_only_a_person_may_do(name: str, space: Space, tmp_path: Path) -> None:
    kit, main = KITS[name], space.main
    (space.path / '.interlock.yaml').unlink()
    guarded(main, kit, 'task-protocol')
    code = prepare(space)
    lock, hook = space.read(), (main.path / HOOK).read_bytes()
    head = code.git('rev-parse', 'HEAD')
    tried = dict(personal(kit, space))
    steps = [step(id, called) for id, called in tried.items()]
    seen = play(Client(main.path, tmp_path / 'client', kit), steps)
    texts = {id: seen.results[id].text for id in tried}
    assert space.read() == lock, texts
    assert (main.path / HOOK).read_bytes() == hook, texts
    assert (main.path / wiring(kit)).exists(), texts
    assert code.git('rev-parse', 'HEAD') == head, texts
    assert not (code.path / 'src/Y.java').exists(), texts
    assert list(space.tasks.rglob('*approv*')) == [], texts
    assert 'LCK001' in texts['commit'], texts['commit']
    for id in ('approve', 'uninstall', 'script'):
        assert REFUSED in texts[id], texts[id]
    assert all_refused(space, 'seen', 2)
    assert all_refused(space, 'loose', 1)
    assert all_refused(space, 'shown', 1)


def copied(project: Repo, kit: Kit, top: Path) -> Path:
    """The package of the wheel, in a copy that the wiring calls."""
    (found,) = INSTALLED.glob('venv/lib/python*/site-packages/interlock')
    package = top / 'interlock'
    shutil.copytree(found, package)
    replace(project, kit, str(found), str(package))
    return package


def replace(project: Repo, kit: Kit, old: str, new: str) -> None:
    file = project.path / wiring(kit)
    text = file.read_text()
    assert old in text, text
    file.write_text(text.replace(old, new))


def crash(project: Repo, kit: Kit, top: Path) -> str:
    package = copied(project, kit, top)
    code = 'raise RuntimeError("é")\n'
    (package / 'guard/guards/file_writes.py').write_text(code)
    return 'RuntimeError: é'


def slow(project: Repo, kit: Kit, top: Path) -> str:
    package = copied(project, kit, top)
    code = 'import time\ntime.sleep(60)\n'
    (package / 'guard/guards/file_writes.py').write_text(code)
    with (package / 'guard/event.py').open('a') as file:
        file.write("PATIENCE = {'': 1.0}\n")
    return 'it took too long'


def missing(project: Repo, kit: Kit, top: Path) -> str:
    replace(project, kit, str(PYTHON), '/nowhere/python')
    return 'CLD014'


def torn(project: Repo, kit: Kit, top: Path) -> str:
    """Half an answer, and no end that says what it means."""
    package = copied(project, kit, top)
    code = "import os\nos.write(1, b'{\"permis')\nos.kill(os.getpid(), 9)\n"
    (package / 'guard/guards/file_writes.py').write_text(code)
    return TORN.get(kit.agent, 'CLD014')


# what they say instead: the exit code, and the half itself
TORN = {'copilot': 'hook exited with code 2', 'gemini': 'blocked: {"permis'}
FAILURES = {'crash': crash, 'slow': slow, 'missing': missing, 'torn': torn}


@EACH
@pytest.mark.parametrize('failure', FAILURES)
def test_what_fails_refuses(
    name: str, failure: str, project: Repo, tmp_path: Path
) -> None:
    kit = KITS[name]
    guarded(project, kit)
    reason = FAILURES[failure](project, kit, tmp_path)
    file = project.path / 'é.txt'
    steps = (step('write', kit.write(file, 'é\n')), say('done'))
    client = Client(project.path, tmp_path / 'client', kit)
    seen = client.play(script(*steps))
    assert not file.exists()
    assert reason in seen.results['write'].text
