"""Patches as the real clients apply them, beside the texts that we expect."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from interlock.documents.apply_patch import patched_files
from tests.client.kits import KITS, patch
from tests.client.runner import Client
from tests.client.script import say, script, use
from tests.conftest import Repo

OLD = 'def a():\n    one\n    two\n\ndef b():\n    one\n    two\n'
# the lines below `*** Update File`
UPDATES = {
    'context': ('@@', ' def a():', '-    one', '+    1'),
    'no-place': ('-    one', '+    1'),
    'place': ('@@ def b():', '-    one', '+    1'),
    'two-chunks': ('@@', '-    one', '+    1', '@@ def b():', '-    two', '+    2'),
    'added-below': ('@@ def a():', '+    zero', '     one'),
    'end': ('@@', '-    two', '+    2', '*** End of File'),
    'blanks': ('@@', ' def a():  ', '-  one', '+    1'),
    'only-added': ('@@', '+three'),
    'only-added-place': ('@@ def a():', '+    zero'),
    'wrong-context': ('@@', '-three', '+3'),
    'wrong-place': ('@@ def c():', '-    one', '+    1'),
    'wrong-order': ('@@ def b():', '-    one', '@@ def a():', '-    two'),
    'wrong-end': ('@@', '-def a():', '*** End of File'),
    'second-again': ('@@ def b():', '-    one', '+    1', '@@', '-    two', '+    2'),
    'second-below': ('@@', '-def b():', '+def c():', '@@', '-    one', '+    1'),
    'end-once': ('@@', ' def b():', ' ' * 5 + 'one', '-    two', '*** End of File'),
    'blank-line': ('@@', '     two', '', ' def b():', '-    one', '+    1'),
    'quotes': ('@@', ' def a():', '-    one', '+    “1”'),
    'moved': ('*** Move to: AWAY', '@@', '-    one', '+    1'),
}
FORMS = {'lf': OLD, 'crlf': OLD.replace('\n', '\r\n'), 'open': OLD[:-1]}
# those whose result no client disagrees about
KNOWN = (
    'context place two-chunks added-below end-once only-added second-again '
    'second-below quotes blank-line moved'
).split()


def plain(text: str) -> str:
    """Clients differ in the line ends that they write."""
    return text.replace('\r\n', '\n').rstrip('\n')


def stored(folder: Path) -> dict[str, str]:
    return {str(path): path.read_bytes().decode() for path in folder.iterdir()}


class Case(NamedTuple):
    name: str
    folder: Path
    patch: str
    # None: we do not know it
    expected: dict[str, str] | None


def made(repo: Repo, form: str, name: str) -> Case:
    folder = repo.path / f'{form}-{name}'
    folder.mkdir()
    file = folder / 'file'
    file.write_bytes(FORMS[form].encode())
    lines = [line.replace('AWAY', str(folder / 'new')) for line in UPDATES[name]]
    text = patch(f'*** Update File: {file}', *lines)
    found = patched_files(text, str(repo.path), stored(folder).get)
    texts = {each.path: each.text for each in found if not each.removed}
    known = {path: plain(new) for path, new in texts.items() if new is not None}
    return Case(folder.name, folder, text, known if len(known) == len(texts) else None)


@pytest.mark.parametrize('name', ('codex', 'copilot-gpt', 'opencode-gpt'))
def test_a_patch_is_read_as_the_client_applies_it(
    repo: Repo, tmp_path: Path, name: str
) -> None:
    kit = KITS[name]
    cases = [made(repo, form, update) for form in FORMS for update in UPDATES]
    steps = []
    for case in cases:
        tool, given = kit.write(repo.path, '')
        steps.append(use(case.name, tool, **dict.fromkeys(given, case.patch)))
    before = {case.name: stored(case.folder) for case in cases}
    seen = Client(repo.path, tmp_path / 'client', kit).play(script(*steps, say('done')))
    for case in cases:
        found = stored(case.folder)
        if case.expected is not None and found != before[case.name]:
            texts = {path: plain(text) for path, text in found.items()}
            assert texts == case.expected, (case.name, seen.results[case.name].text)


def test_what_is_known_of_a_patch(repo: Repo) -> None:
    found = {
        update
        for form in FORMS
        for update in UPDATES
        if made(repo, form, update).expected
    }
    assert found == set(KNOWN)
