"""Registries, handoffs, contracts and wiring, as a tool would leave them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from interlock.files.settings_record import record_path
from tests import samples
from tests.conftest import Repo
from tests.guard.asking import edit, use, write

BRIEF = 'plugins/Bravo/.ideas/creative-brief.md'
PLAN = 'plugins/Bravo/.ideas/plan.md'
HANDOFF = 'plugins/Bravo/.continue-here.md'
REGISTRY = 'PLUGINS.md'


def registry(status: str, row: str = '') -> str:
    """The registry of the project, with another status of one item."""
    return samples.registry(
        {'Alpha': 'Ideated', 'Bravo': status, 'Charlie': 'Installed'},
        {'Bravo': row or status},
    )


@pytest.mark.parametrize(
    'path',
    [
        BRIEF,
        'plugins/Bravo/.ideas/parameter-spec.md',
        'plugins/Bravo/.ideas/architecture.md',
    ],
)
def test_a_frozen_contract_is_not_changed(path: str, project: Repo) -> None:
    file = project.path / path
    reply = write(file, 'anders\n')
    assert reply.decision == 'deny'
    assert reply.reason.startswith('CON006')
    assert edit(file, 'Décidé', 'Choisi').decision == 'deny'


@pytest.mark.parametrize(
    ('command', 'decision'),
    (('perl -pi -e s/a/b/', 'deny'), ('sed -i s/^/x/', 'ask'), ('rm', 'ask')),
)
def test_the_user_is_asked_about_a_frozen_contract_that_lost_its_seal(
    project: Repo, command: str, decision: str
) -> None:
    project.commit({samples.handoff_path('Bravo'): None})
    reply = use('Bash', project.path, command=f'{command} {BRIEF}')
    assert (reply.decision, reply.reason[:6]) == (decision, 'CON007')
    reply = write(project.path / BRIEF, 'anders\n')
    assert (reply.decision, reply.reason[:6]) == ('ask', 'CON007')


@pytest.mark.parametrize(
    ('command', 'what'),
    (
        pytest.param('sed -i s/a/b/', 'change', id='changed'),
        pytest.param('cp README.md', 'change', id='replaced'),
        pytest.param('rm', 'remove', id='removed'),
    ),
)
def test_only_the_user_changes_a_frozen_contract(
    project: Repo, command: str, what: str
) -> None:
    """It stays refused after the command, which seals what the user did."""
    reply = use('Bash', project.path, command=f'{command} {BRIEF}')
    assert (reply.decision, reply.reason[:6]) == ('deny', 'CON006')
    amend = "interlock handoff update Bravo --amend 'WHY'"
    assert f'next: ask the user to {what} it; then: {amend}' in reply.reason


def test_what_restores_a_contract_is_allowed(project: Repo) -> None:
    file = project.path / BRIEF
    file.write_text('tampered\n')
    text = samples.contract('Bravo', 'creative_brief')
    assert write(file, text).is_silent
    assert edit(file, 'tampered', 'more of it').decision == 'deny'


@pytest.mark.parametrize(
    'path',
    [
        pytest.param(PLAN, id='a free contract'),
        pytest.param('plugins/Bravo/.ideas/notes.md', id='no contract'),
        pytest.param('plugins/Bravo/Source/a.cpp', id='a deliverable'),
        pytest.param('plugins/Delta/.ideas/creative-brief.md', id='a new item'),
        pytest.param('README.md', id='anything else'),
    ],
)
def test_what_may_change(path: str, project: Repo) -> None:
    assert write(project.path / path, 'x\n', cwd=project.path).is_silent


def test_a_contract_that_is_not_frozen_yet(project: Repo) -> None:
    project.write({HANDOFF: samples.handoff('Bravo', stage='0')})
    assert write(project.path / BRIEF, 'x\n').is_silent


@pytest.mark.parametrize(
    ('status', 'refused'),
    [
        ('Stage 3', False),
        ('Stage 2', False),
        ('Stage 5', True),
        ('Working', True),
        ('Stage 0', True),
        ('Installed', True),
    ],
)
def test_a_step_in_the_registry(status: str, refused: bool, project: Repo) -> None:
    text = registry(status)
    reply = write(project.path / REGISTRY, text)
    assert (reply.decision == 'deny') is refused
    if refused:
        assert reply.reason.startswith('STG001 Bravo: ')


def test_the_first_half_of_a_change_is_allowed(project: Repo) -> None:
    """Row, then entry: that they differ in between is for the commit."""
    file = project.path / REGISTRY
    row = samples.row('Bravo', 'Stage 2')
    assert edit(file, row, samples.row('Bravo', 'Stage 3')).is_silent
    file.write_text(registry('Stage 2', row='Stage 3'))
    assert edit(file, '**Stage 2**', '**Stage 3**').is_silent
    assert edit(file, '**Stage 2**', '**Stage 5**').decision == 'deny'


@pytest.mark.parametrize(
    ('stage', 'refused'),
    [('3', False), ('2', False), ('4', True), ('0', True), ('', True)],
)
def test_a_step_in_the_handoff(stage: str, refused: bool, project: Repo) -> None:
    text = samples.handoff('Bravo', stage=stage)
    reply = write(project.path / HANDOFF, text)
    assert (reply.decision == 'deny') is refused


def test_all_places_of_a_text_are_replaced(project: Repo) -> None:
    file = project.path / REGISTRY
    both = edit(file, 'Stage 2', 'Stage 5')
    # it stands twice, so it is not known which one is meant
    assert both.reason.startswith('CLD016')
    reply = edit(file, 'Stage 2', 'Stage 5', replace_all=True)
    assert reply.decision == 'deny'
    assert edit(file, 'Stage 2', 'Stage 3', replace_all=True).is_silent


@pytest.mark.parametrize('old', ('stage:  2', ' stage: 2', 'stage: 7'))
def test_an_edit_that_matches_roughly(old: str, project: Repo) -> None:
    """Some clients apply it, and nobody knows where."""
    reply = edit(project.path / HANDOFF, old, 'stage: 5')
    assert reply.reason.startswith('CLD016 this edit does not match the text of')
    assert edit(project.path / 'README.md', old, 'x').is_silent


def test_a_write_without_a_content(project: Repo) -> None:
    path = str(project.path / HANDOFF)
    reply = use('Write', project.path, file_path=path, text='x')
    assert reply.reason.startswith('CLD016')


def test_line_ends_of_a_checkout_make_no_difference(project: Repo) -> None:
    file = project.path / REGISTRY
    text = registry('Stage 2')
    file.write_bytes(text.replace('\n', '\r\n').encode())
    old = '### Bravo\n\n**Status:** 🚧 **Stage 2**'
    assert edit(file, old, old.replace('Stage 2', 'Stage 5')).decision == 'deny'


def test_a_link_is_followed(project: Repo) -> None:
    link = project.path / 'innocent.md'
    link.symlink_to(BRIEF)
    assert write(link, 'x').decision == 'deny'
    folder = project.path / 'elsewhere'
    folder.symlink_to('plugins/Bravo/.ideas')
    assert write(folder / 'creative-brief.md', 'x').decision == 'deny'


def test_a_path_with_dots_in_it(project: Repo) -> None:
    path = project.path / 'plugins' / '..' / BRIEF
    assert write(path, 'x', cwd=project.path).decision == 'deny'
    assert use('Write', project.path, file_path=BRIEF, content='x').decision == 'deny'


def test_a_linked_worktree_is_judged_by_itself(project: Repo) -> None:
    other = project.path.parent / 'other'
    project.git('worktree', 'add', '-q', str(other))
    assert write(other / BRIEF, 'x').decision == 'deny'
    assert write(other / REGISTRY, registry('Stage 5')).decision == 'deny'
    assert write(other / 'README.md', 'x').is_silent


def test_another_project_is_not_ours(project: Repo) -> None:
    other = project.path.parent / 'foreign'
    other.mkdir()
    Repo(other).git('init', '-q')
    assert write(other / REGISTRY, 'anything', cwd=project.path).is_silent


@pytest.mark.parametrize(
    'name',
    [
        '.git/hooks/pre-commit',
        '.git/hooks/commit-msg',
        '.git/hooks/new',
        '.git/interlock/cache/x.json',
        '.git/interlock/confirmations.jsonl',
    ],
)
def test_what_git_runs_is_not_written(name: str, project: Repo) -> None:
    reply = write(project.path / name, 'exit 0\n', cwd=project.path)
    assert reply.decision == 'deny'
    assert reply.reason.startswith('CLD003')


@pytest.mark.parametrize(
    ('content', 'refused'),
    [
        ('[core]\n\thooksPath = /dev/null\n', True),
        ('[include]\n\tpath = /x\n', True),
        ('[user]\n\tname = Zoë\n', False),
    ],
)
def test_where_git_looks_for_hooks(content: str, refused: bool, project: Repo) -> None:
    file = project.path / '.git' / 'config'
    reply = write(file, file.read_text() + content, cwd=project.path)
    assert (reply.decision == 'deny') is refused


def test_hooks_at_another_place(project: Repo) -> None:
    project.git('config', 'core.hooksPath', '.husky')
    hook = project.path / '.husky' / 'pre-commit'
    assert write(hook, 'x', cwd=project.path).decision == 'deny'


def test_other_files_of_git(project: Repo) -> None:
    message = project.path / '.git' / 'COMMIT_EDITMSG'
    assert write(message, 'feat: x', cwd=project.path).is_silent


PRE_COMMIT = """\
repos:
- repo: local
  hooks:
  - id: interlock
    name: interlock
    entry: interlock hook
    language: system
- repo: other
  rev: v1
  hooks:
  - id: ruff
"""


@pytest.mark.parametrize(
    ('old', 'new', 'refused'),
    [
        ('rev: v1', 'rev: v2', False),
        ('  - id: ruff\n', '  - id: ruff\n  - id: mypy\n', False),
        ('entry: interlock hook', 'entry: "true"', True),
        ('language: system', 'language: system\n    stages: [manual]', True),
        ('repos:', 'exclude: .\nrepos:', True),
        ('repos:', 'default_stages: [manual]\nrepos:', True),
        ('  - id: interlock\n', '  - id: nothing\n', True),
    ],
)
def test_the_configuration_of_pre_commit(
    old: str, new: str, refused: bool, project: Repo
) -> None:
    file = project.path / '.pre-commit-config.yaml'
    file.write_text(PRE_COMMIT)
    assert (edit(file, old, new).decision == 'deny') is refused


def test_a_configuration_that_never_called_us(project: Repo) -> None:
    file = project.path / '.pre-commit-config.yaml'
    assert write(file, PRE_COMMIT).is_silent
    file.write_text('repos: []\n')
    assert write(file, 'repos: [ ]\n').is_silent


def test_the_user_is_asked_about_the_workflow(project: Repo) -> None:
    for name in ('.interlock.yaml', '.interlock-baseline.json'):
        reply = write(project.path / name, 'version: 1\n')
        assert reply.decision == 'ask'
        assert reply.reason.startswith('CLD004')


def test_an_extended_file_is_part_of_the_workflow(project: Repo) -> None:
    project.write(
        {
            '.interlock.yaml': 'version: 1\nextends: [base.yaml]\n',
            'base.yaml': 'version: 1\nextends: plugin-workflow\n',
        }
    )
    assert write(project.path / 'base.yaml', 'x').decision == 'ask'


@pytest.mark.parametrize('mode', ['replace', 'insert', 'delete'])
def test_a_notebook_that_is_a_contract(mode: str, project: Repo) -> None:
    notebook = {
        'cells': [{'id': 'a', 'cell_type': 'code', 'source': '1', 'metadata': {}}],
        'metadata': {},
        'nbformat': 4,
        'nbformat_minor': 5,
    }
    text = json.dumps(notebook, indent=1)
    sums = {**samples.checksums('Bravo'), 'trial': samples.checksum(text)}
    project.write(
        {
            '.interlock.yaml': samples.WORKFLOW
            + (
                'items:\n  plugin:\n    contracts:\n      files:\n'
                '        trial: {paths: ["plugins/{item}/trial.ipynb"]}\n'
            ),
            'plugins/Bravo/trial.ipynb': text,
            HANDOFF: samples.handoff('Bravo', sums=sums),
        }
    )
    path = project.path / 'plugins/Bravo/trial.ipynb'
    reply = use(
        'NotebookEdit',
        project.path,
        notebook_path=str(path),
        cell_id='a',
        new_source='2',
        edit_mode=mode,
    )
    assert reply.decision == 'deny'
    other = project.path / 'free.ipynb'
    other.write_text(text)
    assert use(
        'NotebookEdit',
        project.path,
        notebook_path=str(other),
        cell_id='a',
        new_source='2',
        edit_mode=mode,
    ).is_silent


@pytest.mark.parametrize(
    'mode', ['default', 'plan', 'acceptEdits', 'auto', 'dontAsk', 'bypassPermissions']
)
def test_the_permission_mode_changes_nothing(mode: str, project: Repo) -> None:
    from tests.guard.asking import ask

    reply = ask(
        'PreToolUse',
        project.path,
        permission_mode=mode,
        tool_name='Write',
        tool_input={'file_path': str(project.path / BRIEF), 'content': 'x'},
    )
    assert reply.decision == 'deny'


def test_a_workflow_above_a_repository(tmp_path: Path) -> None:
    """The workflow lies in a folder that is not a repository."""
    (tmp_path / '.interlock.yaml').write_text(samples.WORKFLOW)
    brief = tmp_path / BRIEF
    brief.parent.mkdir(parents=True)
    brief.write_text(samples.contract('Bravo', 'creative_brief'))
    (tmp_path / HANDOFF).write_text(samples.handoff('Bravo'))
    (tmp_path / REGISTRY).write_text(registry('Stage 2'))
    assert write(brief, 'x', cwd=tmp_path).decision == 'deny'
    assert write(tmp_path / 'a.md', 'x', cwd=tmp_path).is_silent


def test_a_session_outside_of_the_project(project: Repo, tmp_path: Path) -> None:
    away = tmp_path / 'away'
    away.mkdir()
    assert write(project.path / BRIEF, 'x', cwd=away).decision == 'deny'
    assert write(away / 'a.md', 'x', cwd=away).is_silent


def test_a_workflow_beside_the_session_switches_nothing_off(
    project: Repo, tmp_path: Path
) -> None:
    """The workflow of the file counts, not that of where one stands."""
    decoy = tmp_path / 'decoy'
    decoy.mkdir()
    (decoy / '.interlock.yaml').write_text('version: 1\nitems: {}\n')
    brief = project.path / BRIEF
    for environ in ({}, {'CLAUDE_PROJECT_DIR': str(project.path)}):
        reply = write(brief, 'x', cwd=decoy, environ=environ)
        assert reply.decision == 'deny'
        command = f'echo x > {brief}'
        reply = use('Bash', decoy, environ=environ, command=command)
        assert reply.decision == 'deny'
    assert write(project.path / '.interlock.yaml', 'x', cwd=decoy).decision == 'ask'


@pytest.mark.parametrize(
    ('content', 'refused'),
    [
        ('[core] hooksPath = /nowhere\n', True),
        ('[ core ]\n  HooksPath="/nowhere" # x\n', True),
        ('[includeIf "gitdir:/"]\n\tpath = x\n', True),
        ('[alias]\n\tci = !git commit -n\n', True),
        ('[push]\n\tpushOption = interlock.breakglass=x\n', True),
        ('[filter "x y"]\n\tclean = rm .git/hooks/pre-commit\n', True),
        ('[core]\n\teditor = "git commit -n #"\n', True),
        ('[pager] log = git commit --no-verify\n', True),
        ('[core]\n\teditor = code --wait\n[pull] rebase = true\n', False),
        ('[filter "lfs"]\n\tclean = git-lfs clean -- %f\n\trequired\n', False),
        ('[credential]\n\thelper = !gh auth git-credential\n', False),
        ('[branch "main"]\n\tremote = origin\n\tmerge = refs/heads/main\n', False),
        ('[diff "é"]\n\ttextconv = sh -c \'cat "$0"\'\n', False),
        ('[user] name = Zoë # core hooksPath\n', False),
        ('# [core] hooksPath = x\n', False),
    ],
)
def test_the_configuration_is_read_as_git_reads_it(
    content: str, refused: bool, project: Repo
) -> None:
    file = project.path / '.git' / 'config'
    for path in (file, Path.home() / '.gitconfig'):
        old = path.read_text() if path.exists() else ''
        reply = write(path, old + content, cwd=project.path)
        assert (reply.decision == 'deny') is refused


def test_what_moves_a_branch_past_the_hooks(project: Repo) -> None:
    linked = project.path.parent / 'linked'
    project.git('worktree', 'add', '-q', str(linked))
    git = project.path / '.git'
    for path in (
        git / 'HEAD',
        git / 'refs' / 'heads' / 'main',
        git / 'packed-refs',
        git / 'worktrees' / 'linked' / 'commondir',
        git / 'worktrees' / 'linked' / 'config.worktree',
        linked / '.git',
    ):
        reply = write(path, '[core] hooksPath = /x\n', cwd=project.path)
        assert reply.reason.startswith('CLD003'), path


@pytest.mark.parametrize(
    'env',
    [
        'INTERLOCK_SESSION',
        'INTERLOCK_CONFIG',
        'SKIP',
        'CLAUDECODE',
        'GIT_CONFIG_COUNT',
        'HUSKY',
        'HOME',
    ],
)
def test_settings_that_speak_for_somebody_else(env: str, project: Repo) -> None:
    for name in ('settings.json', 'settings.local.json'):
        file = project.path / '.claude' / name
        text = json.dumps({'env': {env: 'x'}})
        assert write(file, text, cwd=project.path).decision == 'deny'
        other = json.dumps({'env': {'EDITOR': 'vi'}})
        assert write(file, other, cwd=project.path).is_silent


def test_quotes_of_another_kind_are_found(project: Repo) -> None:
    file = project.path / REGISTRY
    text = registry('Stage 2').replace('### Bravo\n', '### Bravo\n\n’s\n')
    file.write_text(text)
    old = '’s\n\n**Status:** 🚧 **Stage 2**'
    new = old.replace('Stage 2', 'Stage 5')
    plain = [part.replace('’', "'") for part in (old, new)]
    assert edit(file, old, new).decision == 'deny'
    assert edit(file, plain[0], plain[1]).decision == 'deny'
    assert edit(file, 'Stage 2', 'Stage 5', replace_all='true').decision == 'deny'


def test_the_path_is_that_of_the_tool(project: Repo) -> None:
    reply = use(
        'NotebookEdit',
        project.path,
        file_path='/tmp/harmless',
        notebook_path=str(project.path / '.git' / 'hooks' / 'x'),
        new_source='x',
    )
    assert reply.decision == 'deny'


def test_where_the_workflow_is_gone_what_calls_us_is_guarded(project: Repo) -> None:
    """In a commit from before it was adopted, for instance."""
    record = Path(record_path(str(project.path / '.git')))
    record.parent.mkdir(parents=True, exist_ok=True)
    record.write_text('{}')
    (project.path / '.interlock.yaml').unlink()
    hook = project.path / '.git' / 'hooks' / 'pre-commit'
    assert write(hook, 'x', cwd=project.path).decision == 'deny'
    assert use('Bash', project.path, command='git commit -n -m x').decision == 'deny'
    assert write(project.path / BRIEF, 'x').is_silent
    assert use('Bash', project.path, command='git commit -m x').is_silent
    record.unlink()
    assert write(hook, 'x', cwd=project.path).is_silent


CALLED = 'interlock hook "$@"\n'
LEFTHOOK = 'pre-commit: {commands: {a: {run: interlock hook}}}\n'
GITHUB = 'on: push\njobs:\n  a:\n    steps:\n    - run: interlock check --base auto\n'
SKIPPED = 'pre-commit: {commands: {a: {skip: true}}}\n'


def husky(project: Repo) -> Path:
    project.git('config', 'core.hooksPath', '.husky/_')
    return project.path / '.husky'


def of_the_user(project: Repo) -> Path:
    folder = project.path.parent / 'hooks of mine'
    project.git('config', '--global', 'core.hooksPath', str(folder))
    return folder


def of_the_worktree(project: Repo) -> Path:
    project.git('config', 'extensions.worktreeConfig', 'true')
    project.git('config', '--worktree', 'core.hooksPath', 'outils')
    return project.path / 'outils'


@pytest.mark.parametrize('place', (husky, of_the_user, of_the_worktree))
def test_what_git_runs_is_not_written_wherever_it_is(
    project: Repo, place: object
) -> None:
    assert callable(place)
    folder = place(project)
    folder.mkdir()
    hook = folder / 'pre-commit'
    hook.write_text(CALLED)
    for _ in range(2):
        reply = write(hook, 'exit 0\n', cwd=project.path)
        assert reply.decision == 'deny'
        assert reply.reason.startswith('CLD003')
        # nor is one made that is not there
        hook.unlink(missing_ok=True)


@pytest.mark.parametrize(
    ('path', 'old', 'new', 'refused'),
    (
        ('lefthook-local.yml', '', SKIPPED, True),
        ('.config/lefthook-local.yaml', '', SKIPPED, True),
        ('lefthook-local.yml', '', 'pre-push: {jobs: []}\n', False),
        ('lefthook.yml', LEFTHOOK, LEFTHOOK.replace('ook}', 'ook || :}'), True),
        ('lefthook.yml', LEFTHOOK, f'{LEFTHOOK}pre-push: {{}}\n', False),
        (
            'lefthook.json',
            '{"pre-push": {"jobs": [{"run": "interlock hook"}]}}',
            '{"pre-push": {"jobs": []}}',
            True,
        ),
        ('.github/workflows/ci.yml', GITHUB, f'{GITHUB}# mehr\n', False),
        (
            '.github/workflows/ci.yml',
            GITHUB,
            GITHUB.replace('auto', 'auto || true'),
            True,
        ),
        ('.github/workflows/ci.yml', GITHUB, 'on: push\njobs: {}\n', True),
        ('.github/workflows/ci.yml', 'on: push\n', 'jobs: {}\n', False),
    ),
)
def test_what_calls_us_goes_on_doing_so(
    project: Repo, path: str, old: str, new: str, refused: bool
) -> None:
    project.write({'lefthook.yml': LEFTHOOK})
    if old:
        project.write({path: old})
    reply = write(project.path / path, new, cwd=project.path)
    assert (reply.decision == 'deny') == refused, reply
    assert refused or reply.is_silent


def test_another_name_of_a_guarded_file(project: Repo) -> None:
    """A hard link that was there before: whoever writes it writes the contract."""
    brief = project.path / BRIEF
    other, free = project.path / 'x.md', project.path / 'y.md'
    os.link(brief, other)
    project.write({'z.md': 'x\n'})
    os.link(project.path / 'z.md', free)
    assert write(other, 'x\n').reason.startswith('CON006')
    assert write(free, 'x\n').is_silent


def test_names_of_files_that_call_nothing(project: Repo) -> None:
    """Links between guarded files that do not call Interlock, and one to nothing."""
    project.write({'.github/workflows/a.yml': 'on: push\n'})
    first, second = (project.path / '.github/workflows' / n for n in ('a.yml', 'b.yml'))
    os.link(first, second)
    (project.path / '.gitlab-ci.yml').symlink_to('nowhere')
    os.link(first, project.path / 'x.md')
    for path in (project.path / 'x.md', first):
        assert write(path, 'on: pull_request\n').is_silent
