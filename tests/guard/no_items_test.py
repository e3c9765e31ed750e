"""A project without items: handoff documents, saved state and recovery."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Interlock, Repo
from tests.guard.asking import SESSION, ask, send
from tests.handoff_document import pages

TODO = {'content': 'Größer', 'status': 'pending', 'activeForm': 'x'}


@pytest.fixture
def plain(repo: Repo, interlock: Interlock) -> Repo:
    repo.commit({'a.txt': 'é\n'})
    result = interlock('init', '--claude')
    assert result.code == 0, result.err
    assert 'so it tracks no items' in result.err
    assert 'PLUGINS.md' not in result.err
    text = (repo.path / '.interlock.yaml').read_text()
    assert '\nextends:' not in text
    repo.commit({}, 'chore: adopt')
    return repo


def session(top: Path) -> None:
    """What the hooks of a whole session say: the state, and no more."""
    assert ask('SessionStart', top, source='startup').is_silent
    assert ask('UserPromptSubmit', top, prompt='approved').is_silent
    for tool, given in (
        ('Bash', {'command': 'make test && git commit -m x'}),
        ('Write', {'file_path': str(top / 'x.py'), 'content': 'x'}),
        ('Agent', {'subagent_type': 'tester', 'prompt': 'x'}),
    ):
        assert ask('PreToolUse', top, tool_name=tool, tool_input=given).is_silent
    for tool, used in (
        ('Skill', {'skill': 'bâtir', 'args': '--resume T7'}),
        ('TodoWrite', {'todos': [TODO]}),
    ):
        assert ask(
            'PostToolUse', top, tool_name=tool, tool_input=used, tool_response={}
        ).is_silent
    assert ask(
        'SubagentStop',
        top,
        agent_id='a',
        agent_type='tester',
        last_assistant_message='fini',
    ).is_silent
    assert ask(
        'Stop',
        top,
        stop_hook_active=False,
        last_assistant_message='fini',
        background_tasks=[],
    ).is_silent
    event = {
        'session_id': SESSION,
        'transcript_path': '',
        'cwd': str(top),
        'hook_event_name': 'PreCompact',
        'trigger': 'auto',
    }
    kept = send('PreCompact', json.dumps(event).encode()).out
    assert kept == 'Keep: skill "bâtir"\nKeep: open todo pending: "Größer"'
    text = ask('SessionStart', top, source='compact').context
    assert text.startswith('<workflow-recovery>')
    assert text.endswith('</workflow-recovery>'), 'and nothing of a gate'
    assert 'Skill("bâtir", "--resume T7")' in text


def test_a_session_is_saved_and_recovered(plain: Repo) -> None:
    session(plain.path)


def test_so_it_is_outside_of_git(tmp_path: Path) -> None:
    (tmp_path / '.interlock.yaml').write_text('version: 1\n')
    session(tmp_path)


def test_what_calls_us_is_guarded_all_the_same(plain: Repo) -> None:
    for name in ('.claude/settings.local.json', '.interlock.yaml'):
        reply = ask(
            'PreToolUse',
            plain.path,
            tool_name='Write',
            tool_input={'file_path': str(plain.path / name), 'content': '{}'},
        )
        assert reply.decision in ('deny', 'ask'), name


def test_documents_are_written_and_judged(
    plain: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    session(plain.path)
    monkeypatch.setenv('CLAUDE_CODE_SESSION_ID', SESSION)
    assert interlock('document', 'new').code == 1
    text = (plain.path / 'handoff.md').read_text()
    assert 'Skill("bâtir", "--resume T7")' in text
    assert '"content": "Gr\\u00f6\\u00dfer"' in text
    (plain.path / 'handoff.md').unlink()
    for name, content in pages.files(plain.path).items():
        (plain.path / name).write_text(content)
    assert interlock('document', 'check', 'handoff.md').code == 0


@pytest.mark.parametrize(
    'args',
    (
        ('check', '--staged'),
        ('check', '--worktree'),
        ('check', '--tree', 'HEAD'),
        ('audit',),
        ('status',),
        ('doctor',),
        ('hook',),
        ('resolve',),
        ('registry', 'sync'),
    ),
)
def test_commands_have_nothing_to_refuse(
    plain: Repo, interlock: Interlock, args: tuple[str, ...]
) -> None:
    plain.stage({'b.txt': 'é\n'})
    result = interlock(*args)
    assert result.code == 0, result.out + result.err


@pytest.mark.parametrize(
    ('args', 'said'),
    (
        (('registry', 'add', 'X'), 'no items have a registry'),
        (('registry', 'show', 'X'), 'there is no item `X`'),
        (('task', 'select'), 'there are no tasks here'),
    ),
)
def test_commands_about_items_say_that_there_are_none(
    plain: Repo, interlock: Interlock, args: tuple[str, ...], said: str
) -> None:
    result = interlock(*args)
    assert result.code == 2
    assert said in result.err


def test_a_finding_of_a_document_has_remedies(
    plain: Repo, interlock: Interlock
) -> None:
    plain.commit(
        {'.interlock.yaml': 'version: 1\ndocuments: {handoffs: [h.md]}\n'}, 'chore: x'
    )
    plain.stage({'h.md': '# nothing\n'})
    assert 'DOC005' in interlock.check('--staged').codes
    result = interlock('resolve', '--finding', 'DOC005')
    assert result.code == 1, result.err
    assert 'h.md:1: DOC005 there is no Section 0' in result.out


def test_with_a_registry_a_preset_is_extended(repo: Repo, interlock: Interlock) -> None:
    repo.commit(
        {
            'PLUGINS.md': (
                '| Plugin Name | Status | Version | Last Updated |\n'
                '|---|---|---|---|\n| Alpha | 💡 Ideated | - | 2026-01-02 |\n'
            )
        }
    )
    assert interlock('init', '--claude').code == 0
    text = (repo.path / '.interlock.yaml').read_text()
    assert '\nextends: plugin-workflow\n' in text


@pytest.mark.parametrize(
    'args',
    (
        ('--claude', '--preset', 'task-protocol'),
        ('--preset', 'task-protocol', '--git-hooks'),
    ),
)
def test_a_preset_that_is_named_is_extended(
    repo: Repo, interlock: Interlock, args: tuple[str, ...]
) -> None:
    assert interlock('init', *args).code == 0
    text = (repo.path / '.interlock.yaml').read_text()
    assert '\nextends: task-protocol\n' in text


@pytest.mark.parametrize(
    'text',
    (
        'version: 1\n',
        'version: 1\nitems: {}\n',
        'version: 1\nextends: plugin-workflow\nitems: {plugin: null}\n',
    ),
)
def test_items_are_not_dropped_in_silence(
    project: Repo, interlock: Interlock, text: str
) -> None:
    project.stage({'.interlock.yaml': text})
    assert 'CFG008' in interlock.check('--staged').codes
    reply = ask(
        'PreToolUse',
        project.path,
        tool_name='Write',
        tool_input={
            'file_path': str(project.path / '.interlock.yaml'),
            'content': text,
        },
    )
    assert reply.decision in ('deny', 'ask')
