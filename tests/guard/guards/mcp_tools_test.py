"""Tools of MCP servers: the files that they name are judged by path."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from interlock.guard.context import Context
from interlock.guard.event import Event
from interlock.guard.guards import mcp_tools
from tests.conftest import Repo
from tests.guard.asking import SESSION
from tests.spaces import TASK, Space


def judged(cwd: Path, tool: str, **given: Any) -> str:
    context = Context(
        Event(
            'PreToolUse',
            {
                'session_id': SESSION,
                'cwd': str(cwd),
                'tool_name': tool,
                'tool_input': given,
            },
            {},
        )
    )
    decision = mcp_tools.handle(context)
    return decision.text[:6] if decision else ''


HOOK = '.git/hooks/pre-commit'


def filled(project: Repo, given: dict[str, Any]) -> dict[str, Any]:
    """What a tool is given, with the top of the project put in."""
    return {
        key: value.replace('{top}', str(project.path))
        if isinstance(value, str)
        else value
        for key, value in given.items()
    }


@pytest.mark.parametrize(
    ('tool', 'given'),
    [
        ('mcp__filesystem__write_file', {'path': HOOK, 'content': 'x'}),
        ('mcp__filesystem__edit_file', {'path': f'./a/../{HOOK}', 'edits': []}),
        ('mcp__fs__move_file', {'source': 'README.md', 'destination': HOOK}),
        ('mcp__fs__move_file', {'source': HOOK, 'destination': '/tmp/x'}),
        ('mcp__ide__saveFile', {'filePath': HOOK}),
        ('mcp__a__b', {'uri': f'file://{{top}}/{HOOK}'}),
        ('mcp__a__b', {'uri': f'file://localhost{{top}}/{HOOK}'}),
        ('mcp__a__many', {'files': [{'path': 'x'}, {'file-path': HOOK}]}),
        ('mcp__a__many', {'files': {'a.md': 'x', HOOK: 'y'}}),
        ('mcp__a__b', {'uri': f'file:{{top}}/{HOOK}'}),
        ('mcp__a__link', {'source': '/tmp/x', 'link': HOOK}),
        ('mcp__a__put', {'location': HOOK, 'body': 'x'}),
        ('mcp__a__write', {'base_path': '.git/hooks', 'file_name': 'pre-commit'}),
        ('mcp__fs__delete_directory', {'path': '.git'}),
        ('mcp__fs__copy_file', {'source': 'README.md', 'destination': HOOK}),
        ('mcp__fs__remove_dir', {'directory': '.git/hooks'}),
        ('mcp__git__write_hook', {'path': HOOK, 'content': 'x'}),
        ('mcp__fs__move_file', {'source': '.git', 'destination': '/tmp/x'}),
        ('mcp__a__write', {'directory': '.git/hooks', 'name': 'pre-commit'}),
        ('mcp__a__apply_diff', {'diff': f'--- a/x\n+++ b/{HOOK}\n@@ -1 +1 @@\n'}),
        ('mcp__a__apply', {'patch': f'*** Begin Patch\n*** Delete File: {HOOK}\n'}),
        ('mcp__a__read_and_write', {'path': HOOK}),
        ('mcp__read__put', {'path': HOOK}),
        ('mcp__shell__execute', {'command': f'rm {HOOK}'}),
        ('mcp__tmux__send_keys', {'keys': f'rm {HOOK}'}),
        ('mcp__x__run', {'commands': ['ls', 'cd .git; rm hooks/pre-commit']}),
        ('write_bash', {'shellId': '1', 'input': f'rm {HOOK}{{enter}}', 'delay': 1}),
        ('send_to_terminal', {'text': f'true; rm {HOOK}\n'}),
        ('mcp__term__send_keys', {'keys': f'rm {HOOK}\n'}),
        ('unified_exec', {'input': ['rm', HOOK]}),
    ],
)
def test_a_file_that_a_server_would_write(
    project: Repo, tool: str, given: dict[str, Any]
) -> None:
    assert judged(project.path, tool, **filled(project, given)) == 'CLD003'


@pytest.mark.parametrize(
    ('tool', 'given'),
    [
        ('mcp__filesystem__read_text_file', {'path': HOOK}),
        ('mcp__filesystem__list_directory', {'path': '.git/hooks'}),
        ('mcp__ide__getDiagnostics', {'uri': 'file:///x/PLUGINS.md'}),
        ('mcp__fs__write_file', {'path': 'src/new.txt', 'content': HOOK}),
        ('mcp__mail__send', {'to': 'a@b.c', 'from': 'x', 'body': HOOK}),
        ('mcp__web__save', {'uri': 'https://example.org/.git/hooks/pre-commit'}),
        ('mcp__a__b', {'path': 7, 'file_path': None, 'paths': ['', '\0']}),
        ('mcp__a__b', {}),
        ('mcp__git__commit', {'message': 'x', 'no_verify': False, 'options': []}),
        ('mcp__tickets__create', {'name': 'Fix the hook', 'key': 'A-1', 'id': 7}),
        ('mcp__a__replace', {'glob': 'src/**', 'from': 'a', 'to': 'b'}),
        ('mcp__a__apply_diff', {'diff': '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n'}),
        ('mcp__a__write', {'directory': 'src', 'name': 'pre-commit'}),
        ('mcp__shell__execute', {'command': 'npm test'}),
        ('mcp__shell__execute', {'command': "it's what the user wants"}),
        ('mcp__shell__execute', {'command': '$TOOL --fix'}),
        ('mcp__x__run', {'command': 'git', 'args': ['commit', '-m', '--no-verify']}),
        ('mcp__x__run', {'commands': ['git add -A', 'git commit -m x', 'echo -n']}),
        ('mcp__chat__send', {'text': f'rm {HOOK}'}),
        ('mcp__git__commit', {'message': 'no -n, no --no-verify', 'args': ['-a']}),
        ('mcp__git__log', {'args': ['-n', '5']}),
        ('mcp__git__run', {'args': ['log', '-n', '5', '--grep', '--no-verify']}),
        ('mcp__github__create', {'title': 'x', 'command': 'commit -n'}),
        ('mcp__x__exec', {'program': 'npm', 'args': ['test', '--', '-n']}),
        ('mcp__x__repl', {'code': 'print(git.log("-n", 5))'}),
        ('mcp__db__run', {'script': 'select * from x;'}),
        ('mcp__ide__executeCode', {'code': 'print(1)'}),
        ('mcp__ide__executeCode', {'code': f"print(open('{HOOK}').read())"}),
        ('write_bash', {'shellId': '1', 'input': 'y{enter}', 'delay': 1}),
        ('unified_exec', {'input': ['ls', '.git/hooks']}),
        ('mcp__browser__press_keys', {'keys': ['Control', 'a']}),
        ('LSP', {'operation': 'hover', 'filePath': HOOK, 'line': 1}),
        ('mcp__lsp__definition', {'filePath': HOOK}),
        ('mcp__semgrep__scan', {'code_files': [{'path': HOOK}]}),
        ('mcp__chat__upload_file', {'file_path': HOOK, 'channel': 'c'}),
        ('mcp__fs__delete_file', {'root': '{top}', 'path': 'src/x'}),
        ('mcp__fs__delete_directory', {'path': 'build'}),
        ('mcp__fs__copy_file', {'source': HOOK, 'destination': '/tmp/x'}),
        ('mcp__fs__move_file', {'source': 'x', 'destination': 'plugins'}),
        ('mcp__fs__create_directory', {'path': 'plugins'}),
        ('mcp__tasks__remove_task', {'id': '1', 'projectRoot': '{top}'}),
        ('mcp__http__fetch_and_save', {'url': 'https://x', 'verify': False}),
        # git decides what happens to these files
        ('mcp__git__git_add', {'repo_path': '{top}', 'files': ['PLUGINS.md']}),
        ('mcp__git__git_stage', {'files': ['PLUGINS.md']}),
        ('mcp__git__git_commit', {'message': '-n', 'files': ['PLUGINS.md']}),
        ('mcp__git__git_restore', {'paths': ['PLUGINS.md']}),
        ('mcp__git__git_stash', {'path': '{top}', 'action': 'push'}),
        ('mcp__git__git_clone', {'url': 'https://x/y', 'path': '/tmp/y'}),
        ('mcp__git__git_push', {'remote': 'origin', 'branch': 'x', 'force': True}),
        ('mcp__git__git_config', {'key': 'user.name', 'value': 'x'}),
        ('mcp__git__git_commit', {'message': 'x', 'verify': True}),
    ],
)
def test_what_no_rule_speaks_of(
    project: Repo, tool: str, given: dict[str, Any]
) -> None:
    assert judged(project.path, tool, **filled(project, given)) == ''


@pytest.mark.parametrize(
    ('tool', 'given', 'code'),
    [
        ('write_bash', {'input': 'git commit --no-verify -m x{enter}'}, 'CLD001'),
        ('mcp__git__commit', {'message': 'x', 'noVerify': True}, 'CLD001'),
        ('mcp__a__replace', {'glob': 'plugins/**/*.md', 'from': 'a'}, 'CLD016'),
        ('mcp__git__push', {'options': ['--no-verify']}, 'CLD001'),
        ('mcp__x__start_process', {'command': 'git commit -nm x'}, 'CLD001'),
        (
            'mcp__x__exec',
            {'command': 'git', 'args': ['commit', '-m', 'a b', '--no-verify']},
            'CLD001',
        ),
        ('mcp__x__exec', {'argv': ['git', 'commit', '-nm', 'x']}, 'CLD001'),
        ('mcp__x__exec', {'command': ['sh', '-c', 'git commit -nm x']}, 'CLD001'),
        ('mcp__x__exec', {'cmd': 'interlock approve x'}, 'CLD005'),
        ('mcp__x__exec', {'cmd': 'interlock uninstall'}, 'CLD003'),
        ('mcp__ide__executeCode', {'code': f"open('{HOOK}', 'w')"}, 'CLD010'),
        ('mcp__x__repl', {'code': 'run("git commit --no-verify")'}, 'CLD010'),
        ('mcp__x__eval', {'source': f"open('{HOOK}', 'w')"}, 'CLD010'),
        ('view', {'command': 'git commit --no-verify -m x'}, 'CLD001'),
        ('mcp__git__commit', {'message': 'x', 'args': ['-n']}, 'CLD001'),
        ('mcp__git__git_commit', {'args': '-a --no-verify'}, 'CLD001'),
        ('mcp__git__run', {'args': ['commit', '-n', '-m', 'x']}, 'CLD001'),
        ('mcp__git__git_command', {'command': 'commit -n -m x'}, 'CLD001'),
        ('mcp__git__git', {'subcommand': 'push', 'args': ['--no-verify']}, 'CLD001'),
        ('mcp__x__exec', {'program': 'git', 'args': ['commit', '-n']}, 'CLD001'),
        ('mcp__x__do', {'shell_script': 'true\ngit commit -n'}, 'CLD001'),
        ('mcp__x__repl', {'code': 'os.system("git commit -n")'}, 'CLD010'),
        ('mcp__x__repl', {'code': 'run(["interlock", "approve", "x"])'}, 'CLD010'),
        ('mcp__x__insert_cell', {'cell_source': f'!rm {HOOK}'}, 'CLD003'),
        ('mcp__x__do', {'steps': [{'run': 'git commit -nm x'}]}, 'CLD001'),
        ('mcp__git__git_commit', {'message': 'x', 'verify': False}, 'CLD001'),
        ('mcp__git__git_commit', {'message': 'x', 'extra_args': ['-n']}, 'CLD001'),
        ('mcp__git__git_commit', {'message': 'x', 'flags': '-n'}, 'CLD001'),
        ('mcp__git__git_push', {'branch': 'x', 'options': ['--no-verify']}, 'CLD001'),
        ('mcp__git__git_config', {'key': 'core.hooksPath', 'value': '/x'}, 'CLD001'),
        (
            'mcp__git__git_config_set',
            {'name': 'core.hooksPath', 'value': '/x'},
            'CLD001',
        ),
        ('mcp__git__git_filter_branch', {'ref': 'main'}, 'CLD001'),
        ('mcp__git__git_commit_tree', {'tree': 'x'}, 'CLD001'),
        (
            'mcp__git__git_restore',
            {'source': 'HEAD~9', 'files': ['PLUGINS.md']},
            'CLD016',
        ),
        ('mcp__git__git_rm', {'files': ['PLUGINS.md']}, 'CLD016'),
        ('mcp__git__git_mv', {'source': 'PLUGINS.md', 'destination': 'x'}, 'CLD016'),
        ('mcp__git__rm', {'path': 'plugins', 'recursive': True}, 'CON006'),
    ],
)
def test_what_a_tool_runs(
    project: Repo, tool: str, given: dict[str, Any], code: str
) -> None:
    assert judged(project.path, tool, **given) == code


def test_files_of_tasks(space: Space, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv('INTERLOCK_SESSION')
    space.put({'session_id': 'other', 'state': 'INIT', 'task_name': TASK})
    tool = 'mcp__fs__write_file'
    path = str(space.file('task.md'))
    assert judged(space.path, tool, path=path) == 'LCK001'
    path = str(space.main.path / 'a')
    assert judged(space.path, tool, path=path) == 'LCK007'
    flag = str(space.file('user-plan-approval-obtained.flag'))
    assert judged(space.path, tool, path=flag) == 'CLD005'


def test_git_of_a_server_is_git(space: Space, monkeypatch: pytest.MonkeyPatch) -> None:
    """A commit needs the lock of the worktree that the tool names."""
    monkeypatch.delenv('INTERLOCK_SESSION')
    main = str(space.main.path)
    for given in ({'repo_path': main}, {'workdir': main, 'all': True}):
        told = judged(space.path, 'mcp__git__git_commit', message='x', **given)
        assert told == 'LCK007'
    assert judged(space.path, 'mcp__git__git_log', repo_path=main) == ''
