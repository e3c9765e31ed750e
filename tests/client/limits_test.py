"""Where the hooks of a client end: what it reads, trusts and waits for."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from interlock.agents import adapter_of
from interlock.agents.codex import ASK, question
from tests.client.every_client_test import (
    CLIENTS,
    EACH,
    NO_VERIFY,
    copied,
    guarded,
    step,
    wiring,
)
from tests.client.kits import KITS
from tests.client.runner import SCRIPTS, Client, environment
from tests.client.script import say, script
from tests.conftest import Repo

# whether it reads the hooks of the repository in a directory of it
BELOW = {
    **dict.fromkeys(('claude', 'codex', 'copilot', 'opencode'), True),
    **dict.fromkeys(('qwen', 'gemini'), False),
}
# it waits for us as long as we take
PATIENT = ('opencode',)
LATER = [name for name in CLIENTS if name != 'claude']
# without the user's word: hooks that nobody trusts are left out in silence
UNTRUSTED = {'codex': '--dangerously-bypass-hook-trust', 'copilot': '--trust-folder'}
TRUSTED = {'.copilot/config.json': '{"trustedFolders": ["PROJECT"]}'}


@EACH
def test_hooks_in_a_directory_below(name: str, project: Repo, tmp_path: Path) -> None:
    kit = KITS[name]
    guarded(project, kit)
    before = project.git('rev-parse', 'HEAD')
    # the whole repository, not only where it is started
    if name == 'copilot':
        words = tuple(word for word in kit.command if word != UNTRUSTED[name])
        kit = kit._replace(home={**kit.home, **TRUSTED}, command=words)
    client = Client(project.path, tmp_path / 'client', kit)
    client.project = project.path / 'plugins'
    seen = client.play(script(step('commit', kit.shell(NO_VERIFY)), say('done')))
    assert ('CLD001' in seen.results['commit'].text) is BELOW[name]
    assert (project.git('rev-parse', 'HEAD') == before) is BELOW[name]


@pytest.mark.parametrize('name', LATER)
def test_a_client_that_gives_up_before_us(
    name: str, project: Repo, tmp_path: Path
) -> None:
    kit = KITS[name]
    guarded(project, kit)
    package = copied(project, kit, tmp_path)
    code = 'import time\ntime.sleep(6)\n'
    (package / 'guard/guards/file_writes.py').write_text(code)
    settings = project.path / wiring(kit)
    soon = adapter_of(kit.agent).unit
    text = settings.read_text()
    settings.write_text(re.sub(r'("timeout(?:Sec)?": )\d+', rf'\g<1>{soon}', text))
    file = project.path / 'é.txt'
    client = Client(project.path, tmp_path / 'client', kit)
    client.play(script(step('write', kit.write(file, 'é\n')), say('done')))
    assert file.exists() is (name not in PATIENT)


@pytest.mark.parametrize('name', LATER)
def test_hooks_of_a_session_stay(name: str, project: Repo, tmp_path: Path) -> None:
    """Whatever a script makes of the file while the session runs."""
    kit, top = KITS[name], project.path
    guarded(project, kit)
    # a name that it computes is not read
    forget = f'#!/bin/sh\nrm "$(echo {wiring(kit)[::-1]} | rev)"\n'
    project.write({'tools/forget': forget})
    (top / 'tools/forget').chmod(0o755)
    before = project.git('rev-parse', 'HEAD')
    steps = [
        step('forget', kit.shell('./tools/forget')),
        step('commit', kit.shell(NO_VERIFY)),
        say('done'),
    ]
    seen = Client(top, tmp_path / 'client', kit).play(script(*steps))
    assert not (top / wiring(kit)).exists()
    assert 'CLD001' in seen.results['commit'].text
    assert project.git('rev-parse', 'HEAD') == before


@pytest.mark.parametrize('name', UNTRUSTED)
def test_hooks_that_nobody_trusts_are_not_run(
    name: str, project: Repo, tmp_path: Path
) -> None:
    kit = KITS[name]
    words = tuple(word for word in kit.command if word != UNTRUSTED[name])
    assert words != kit.command
    guarded(project, kit)
    client = Client(project.path, tmp_path / 'client', kit._replace(command=words))
    client.play(script(step('commit', kit.shell(NO_VERIFY)), say('done')))
    assert project.git('log', '-1', '--format=%s') == 'é'


def test_a_folder_that_nobody_trusts_is_not_entered(
    project: Repo, tmp_path: Path
) -> None:
    kit = KITS['gemini']
    home = {name: text for name, text in kit.home.items() if 'trusted' not in name}
    guarded(project, kit)
    before = project.git('rev-parse', 'HEAD')
    client = Client(project.path, tmp_path / 'client', kit._replace(home=home))
    steps = script(step('commit', kit.shell(NO_VERIFY)), say('done'))
    seen = client.play(steps, whole=False)
    assert seen.outcome.code not in (0, None)
    assert project.git('rev-parse', 'HEAD') == before


# what git calls for a commit that it takes over
RECORDED = ('post-commit', 'post-applypatch', 'post-rewrite', 'applypatch-msg')
RECORDER = '#!/bin/sh\necho "${0##*/}" >> "$(git rev-parse --git-common-dir)/ran"\n'


def test_hooks_run_for_commits_that_are_taken_over(
    project: Repo, tmp_path: Path
) -> None:
    """In the client whose shells hide them, as in a shell of the user."""
    kit, top = KITS['gemini'], project.path
    guarded(project, kit)
    for branch in ('picked', 'sent', 'moved'):
        project.git('checkout', '-q', '-b', branch, 'main')
        project.commit({f'{branch}.txt': 'é\n'}, f'chore: {branch}')
    patch = tmp_path / 'sent.patch'
    project.git('format-patch', '-1', 'sent', '--output', str(patch))
    taking = (
        'git cherry-pick picked',
        f'git am --quiet {patch}',
        'git rebase --quiet main moved',
    )
    project.git('checkout', '-q', 'main')
    for name in RECORDED:
        (top / '.git/hooks' / name).write_text(RECORDER)
        (top / '.git/hooks' / name).chmod(0o755)
    plain = tmp_path / 'plain'
    shutil.copytree(top, plain, symlinks=True)
    for command in taking:
        subprocess.run(command.split(), cwd=plain, check=True)
    expected = (plain / '.git/ran').read_text()
    assert {'post-commit', 'post-applypatch', 'post-rewrite'} <= {*expected.split()}
    steps = [step(word.split()[1], kit.shell(word)) for word in taking]
    Client(top, tmp_path / 'client', kit).play(script(*steps, say('done')))
    assert (top / '.git/ran').read_text() == expected


def test_hooks_that_the_user_told_git_of(project: Repo, tmp_path: Path) -> None:
    """This client says in every shell that there are no hooks; what the user says
    before it starts counts more, and no command has to be changed."""
    kit = KITS['gemini']
    guarded(project, kit)
    hooks = f"'core.hooksPath'='{project.path}/.git/hooks'"
    text = (project.path / 'PLUGINS.md').read_text()
    project.write({'PLUGINS.md': text.replace('Stage 2', 'Stage 3', 1)})
    commit = 'git add notes.md && git commit -m "docs: é"'
    steps = [
        step('broken', kit.shell('git commit -am "chore: é"')),
        step('restore', kit.shell('git checkout PLUGINS.md')),
        step('write', kit.write(project.path / 'notes.md', 'un\n')),
        step('commit', kit.shell(commit)),
    ]
    client = Client(project.path, tmp_path / 'client', kit)
    told = {'GIT_CONFIG_PARAMETERS': hooks}
    seen = client.play(script(*steps, say('done')), environ=told)
    texts = {id: result.text for id, result in seen.results.items()}
    assert 'REG001' in texts['broken'], texts
    assert project.git('log', '-1', '--format=%s') == 'docs: é', texts
    assert not any('by a hook' in text for text in texts.values()), texts


def test_hooks_that_init_told_git_of(project: Repo, tmp_path: Path) -> None:
    """The file of variables that the client loads names them: the agent reads what
    the command printed, and nothing else."""
    kit, linked = KITS['gemini'], tmp_path / 'é linked'
    # a repository that tests make, in which the hooks of the project fail
    other = Repo(tmp_path / 'other')
    other.path.mkdir()
    other.git('init', '-q')
    other.git('config', 'user.name', 'é')
    other.git('config', 'user.email', 'e@example.org')
    guarded(project, kit)
    told = (project.path / '.gemini/.env').read_text()
    assert f"'{project.path}/.git/interlock/hooks.config'" in told
    project.git('worktree', 'add', '-q', '-b', 'linked', str(linked))
    text = (project.path / 'PLUGINS.md').read_text()
    broken = text.replace('Stage 2', 'Stage 3', 1)
    commit, there = 'git commit -qam "docs: é"', f"cd '{linked}' &&"
    steps = [
        step('plain', kit.shell('true')),
        step('honest', kit.shell('echo un > notes.md; git add notes.md; ' + commit)),
        step('linked', kit.shell(f'{there} echo un > a.md; git add a.md; {commit}')),
        step('push', kit.shell('git push -q origin HEAD:x')),
        step('other', kit.shell(f"cd '{other.path}' && {commit} --allow-empty")),
        step('unset', kit.shell(f'env -u GIT_CONFIG_PARAMETERS {commit}')),
        step('export', kit.shell(f'export GIT_CONFIG_PARAMETERS=; {commit}')),
        step('remove', kit.shell('rm .gemini/.env')),
        step('write', kit.write(project.path / '.gemini/.env', 'A=1\n')),
    ]
    project.git('init', '-q', '--bare', str(tmp_path / 'remote'))
    project.git('remote', 'add', 'origin', str(tmp_path / 'remote'))
    project.git('push', '-q', 'origin', 'HEAD:x')
    client = Client(project.path, tmp_path / 'client', kit)
    seen = client.play(script(*steps, say('done')))
    texts = {id: result.text for id, result in seen.results.items()}
    for id in ('honest', 'linked', 'push', 'other'):
        # but for the number of a process
        plain, found = (re.sub(r'\d+', 'N', texts[each]) for each in ('plain', id))
        assert found == plain, texts
    for id, code in (('unset', 'CLD001'), ('export', 'CLD001'), ('remove', 'CLD003')):
        assert code in texts[id], texts
    for top in (project.path, linked):
        assert Repo(top).git('log', '-1', '--format=%s') == 'docs: é', texts
    assert (project.path / '.gemini/.env').read_text() == told
    # a person broke it in both worktrees; git's hook says so
    for top in (project.path, linked):
        (top / 'PLUGINS.md').write_text(broken)
    steps = [
        step('broken', kit.shell(commit)),
        step('too', kit.shell(f'{there} {commit}')),
        # else the agent is not let go
        step('restore', kit.shell(f'git checkout . && {there} git checkout .')),
    ]
    seen = Client(project.path, tmp_path / 'again', kit).play(
        script(*steps, say('done'))
    )
    texts = {id: result.text for id, result in seen.results.items()}
    for id in ('broken', 'too'):
        assert 'REG001' in texts[id], texts
        assert 'by a hook' not in texts[id], texts


def installed(client: Client) -> dict[str, str]:
    environ = environment(client.home, client.top)
    found = f'{client.kit.program.parent}:{environ["PATH"]}'
    return {**environ, **client.environ, 'PATH': found}


def trust_said(client: Client) -> str:
    """What doctor says about the trust of a client that is installed."""
    done = subprocess.run(
        (str(SCRIPTS / 'interlock'), 'doctor'),
        cwd=client.project,
        env=installed(client),
        capture_output=True,
        text=True,
    )
    (line,) = (line for line in done.stdout.splitlines() if ' trust ' in line)
    return line


def test_doctor_asks_the_client_which_hooks_it_trusts(
    project: Repo, tmp_path: Path
) -> None:
    """Only the client knows how it counts a hook; the user's answer is written here
    as the client writes it."""
    kit = KITS['codex']
    guarded(project, kit)
    client = Client(project.path, tmp_path / 'client', kit)
    assert 'hooks are not trusted' in trust_said(client)
    said = subprocess.run(
        ('sh', '-c', ASK),
        input=question(str(project.path)),
        env=installed(client),
        capture_output=True,
        text=True,
    ).stdout
    hooks = re.findall(r'"key":"([^"]+)".*?"currentHash":"([^"]+)"', said)
    assert hooks
    config = client.home / '.codex/config.toml'
    project_trust = config.read_text()
    states = (
        f'[hooks.state."{key}"]\ntrusted_hash = "{hash}"\n' for key, hash in hooks
    )
    trusted = project_trust + ''.join(states)
    config.write_text(trusted)
    assert f'{len(hooks)} hooks are trusted' in trust_said(client)
    config.write_text(project_trust.replace('"trusted"', '"untrusted"'))
    assert 'reads no hooks' in trust_said(client)
    config.write_text(f'{trusted}[features]\nhooks = false\n')
    assert 'switched off' in trust_said(client)
