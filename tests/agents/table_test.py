"""The table of docs/agents.md: what `make e2e` shows of it, cell by cell."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

from interlock.agents import ADAPTERS, adapter_of

TOP = Path(__file__).parents[2]
TRIED = tuple(name for name in ADAPTERS if name != 'cursor')
VERSION = 'version tried'
HELD = 'test_what_must_not_happen_is_held'
FAILS = 'test_what_fails_refuses'
# row -> the scenarios, and the clients on which they show it; the other cells are
# marked as untried
SHOWN: dict[str, tuple[str, tuple[str, ...]]] = {
    'file that `init` writes': (HELD, TRIED),
    'the user must trust it first': (
        'test_hooks_that_nobody_trusts_are_not_run',
        TRIED,
    ),
    'writes, edits, commands and started agents are judged': (HELD, TRIED),
    'a question to the user': (
        'test_a_client_inside_another_is_not_a_person test_the_user_is_asked',
        TRIED,
    ),
    'Interlock crashes, or is missing': (FAILS, TRIED),
    'Interlock takes too long': (FAILS, TRIED),
    'the client gives up first': ('test_a_client_that_gives_up_before_us', TRIED),
    'hooks of a session can change while it runs': (
        'test_settings_without_us_do_not_come_into_force test_hooks_of_a_session_stay',
        TRIED,
    ),
    'facts at the start of a session': ('test_honest_work_passes_in_silence', TRIED),
    'after a compaction': (
        'test_the_facts_are_known_after_a_compaction '
        'test_no_event_follows_a_compaction',
        TRIED,
    ),
    'approval by a prompt': (
        'test_the_users_prompt_opens_the_gate '
        'test_the_users_prompt_approves_and_no_others',
        TRIED,
    ),
    'an agent of a session is known as one': (
        'test_an_agent_of_a_session_is_held',
        TRIED,
    ),
    'result of a build in the trail': ('', ()),
    'session of a commit': ('test_a_commit_knows_its_session', TRIED),
    'hooks are read in a directory below': ('test_hooks_in_a_directory_below', TRIED),
}
UNTRIED = ' \\*'


def table() -> dict[str, dict[str, str]]:
    """Row -> client -> cell."""
    text = (TOP / 'docs/agents.md').read_text('UTF-8')
    # the page has other tables below
    lines = text[text.index('\n|') + 1 :].partition('\n\n')[0].splitlines()
    head, _, *rows = (
        [cell.strip() for cell in line.strip('|').split('|')] for line in lines
    )
    titles = {adapter_of(name).title.partition(' (')[0]: name for name in ADAPTERS}
    clients = [
        titles[each.replace('Copilot CLI', 'GitHub Copilot CLI')] for each in head[1:]
    ]
    return {row[0]: dict(zip(clients, row[1:], strict=True)) for row in rows}


def test_a_cell_is_shown_or_marked() -> None:
    rows = table()
    assert set(rows) == {VERSION, *SHOWN}
    wrong = [
        (row, client)
        for row, (_, clients) in SHOWN.items()
        for client, cell in rows[row].items()
        if cell.endswith(UNTRIED) == (client in clients)
    ]
    assert wrong == []


def test_every_scenario_exists() -> None:
    files = (TOP / 'tests/client').glob('*_test.py')
    known = set(re.findall(r'^def (\w+)', ''.join(map(Path.read_text, files)), re.M))
    assert {test for tests, _ in SHOWN.values() for test in tests.split()} <= known


def test_without_npm_it_is_said_that_nothing_was_tried(tmp_path: Path) -> None:
    for name in ('sh', 'id', 'make'):
        (tmp_path / name).symlink_to(str(shutil.which(name)))
    done = subprocess.run(
        ('make', 'e2e'), cwd=TOP, env={'PATH': str(tmp_path)}, capture_output=True
    )
    assert done.returncode == 0
    assert b'e2e: SKIPPED, NOTHING WAS TRIED' in done.stderr


def test_the_versions_are_those_that_make_installs() -> None:
    makefile = (TOP / 'Makefile').read_text()
    versions = table()[VERSION]
    assert versions.pop('cursor') == 'none'
    for client, version in versions.items():
        packages = adapter_of(client).packages
        assert any(
            re.search(
                rf'{re.escape(package)}(-linux-x64)?@{re.escape(version)}\s', makefile
            )
            for package in packages
        )
