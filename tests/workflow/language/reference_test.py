"""Every key is described, every example of the documentation works."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from docs.configuration import EXAMPLES, TITLES
from docs.workflow_keys import made

from interlock.model.errors import Refusal
from interlock.workflow.language.presets import presets
from interlock.workflow.language.reference import explained, keys
from tests.conftest import Interlock, Repo


def test_the_keys_are_those_of_the_schema() -> None:
    assert keys() == made(), 'next: make docs'


def test_every_key_has_a_description_and_an_example() -> None:
    found = keys()
    assert len(found) > 380
    assert [key.name for key in found if not key.description.endswith('.')] == []
    assert [key.name for key in found if not key.example] == []
    assert [key.name for key in found if not key.type] == []


@pytest.mark.parametrize(
    ('name', 'found'),
    (
        ('version', ['version']),
        ('registry.file', ['items.*.registry.file']),
        ('items.feature.registry.file', ['items.*.registry.file']),
        ('contracts.frozen', ['items.*.contracts.frozen']),
        ('next.after', ['items.*.handoff.next[].after']),
    ),
)
def test_a_key_is_found_by_its_end(name: str, found: list[str]) -> None:
    assert [key.name for key in explained(name)] == found


@pytest.mark.parametrize(
    ('name', 'near'),
    (
        ('registri', 'did you mean `registry`?'),
        ('contracts.frozn', 'did you mean `contracts.frozen`?'),
        # one word of it alone resembles a key
        ('foo.bar', 'no key `foo.bar`'),
        ('', ''),
        ('states.', 'states'),
    ),
)
def test_an_unknown_key_names_one_that_there_is(name: str, near: str) -> None:
    if name == 'states.':
        assert explained(name)
        return
    with pytest.raises(Refusal) as e:
        explained(name)
    assert f'no key `{name}`' in e.value.message
    assert e.value.message.endswith(near)


def files_of(name: str) -> dict[str, str | bytes | None]:
    top = EXAMPLES / name
    return {
        str(path.relative_to(top)): path.read_text('UTF-8')
        for path in top.rglob('*')
        if path.is_file()
    }


SPEC, ADR, NEW = 'specs/Login.md', 'docs/adr/0001-use-postgresql.md', 'docs/adr/0002-'
# example, file, old text, new text, trailer, the codes that refuse it
CHANGES: tuple[tuple[str, str, str, str, str, list[str]], ...] = (
    ('features', 'FEATURES.md', '| Search | Idea', '| Search | Building', '', []),
    (
        'features',
        'FEATURES.md',
        '| Search | Idea',
        '| Search | Shipped',
        '',
        ['STG001'],
    ),
    ('features', 'FEATURES.md', '| Search | Idea', '| Search | Shippd', '', ['REG005']),
    ('features', 'FEATURES.md', '| Search | Idea | Bob |\n', '', '', []),
    ('features', 'FEATURES.md', '| Login | Review | Ann |\n', '', '', ['REG019']),
    ('features', SPEC, 'One', 'Two', '', ['CON007']),
    ('features', SPEC, 'One', 'Two', 'Spec-Amended: é', []),
    ('decisions', ADR, 'We use', 'We may use', '', ['CON007']),
    ('decisions', ADR, 'We use', 'We may use', 'Decision-Amended: é', []),
    ('decisions', ADR, 'We need', 'We want', '', []),
    ('decisions', ADR, 'Accepted', 'Superseded', '', []),
    ('monorepo', 'services/SERVICES.md', 'mail | Draft', 'mail | Live', '', ['STG001']),
    ('monorepo', 'services/SERVICES.md', 'mail | Draft', 'mail | Staging', '', []),
    ('monorepo', 'apps/APPS.md', 'phone | Beta', 'phone | Released', '', []),
    ('monorepo', 'apps/APPS.md', 'phone | Beta', 'phone | Live', '', ['REG005']),
)


@pytest.mark.parametrize(('name', 'file', 'old', 'new', 'trailer', 'codes'), CHANGES)
def test_what_the_examples_accept_and_refuse(
    repo: Repo,
    interlock: Interlock,
    name: str,
    file: str,
    old: str,
    new: str,
    trailer: str,
    codes: list[str],
) -> None:
    tree = files_of(name)
    repo.commit(tree)
    assert (validated := interlock('config', 'validate')).code == 0
    assert validated.err == ''
    text = str(tree[file])
    assert old in text
    repo.stage({file: text.replace(old, new)})
    message = Path(repo.path, '.git/é')
    message.write_text(f'docs: é\n\n{trailer}\n')
    result = interlock('check', '--message', str(message), '--format', 'json')
    found = json.loads(result.out)['findings']
    errors = [each['code'] for each in found if each['severity'] == 'error']
    assert errors == codes
    assert result.code == bool(codes)


def test_every_example_is_on_the_page() -> None:
    assert {path.name for path in EXAMPLES.iterdir()} == set(TITLES)


@pytest.mark.parametrize('preset', presets())
def test_what_a_workflow_says_fits_a_terminal(
    repo: Repo, interlock: Interlock, preset: str
) -> None:
    repo.write({'.interlock.yaml': f'version: 1\nextends: {preset}\n'})
    result = interlock('config', 'show')
    assert [line for line in result.out.splitlines() if len(line) > 80] == []
    # every value has its origin, and programs get the whole of it
    whole = json.loads(interlock('config', 'show', '--json').out)
    assert result.out.count('  # ') >= len(whole)
    assert not any(each['value'].endswith('...') for each in whole)


@pytest.mark.parametrize('verb', ('show', 'validate'))
def test_without_a_workflow_the_first_step_is_named(
    repo: Repo,
    interlock: Interlock,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    verb: str,
) -> None:
    assert interlock('config', verb).err.endswith('next: interlock init\n')
    # `init` needs a repository
    monkeypatch.chdir(tmp_path)
    assert interlock('config', verb).err.endswith('next: git init\n')


@pytest.mark.parametrize(
    ('spec', 'said'),
    (
        ('specs/{item}.md', ''),
        (
            'specs/{item}.txt',
            '.interlock.yaml:6: warning: no file matches `specs/{item}.txt`, so it '
            'freezes nothing\n',
        ),
    ),
)
def test_patterns_that_freeze_no_file_are_said(
    repo: Repo, interlock: Interlock, spec: str, said: str
) -> None:
    repo.write(
        {
            '.interlock.yaml': 'version: 1\nextends: basic\nitems:\n  item:\n    '
            f"contracts:\n      files: {{spec: {{paths: ['{spec}']}}}}\n",
            'specs/é.md': 'é\n',
            'ITEMS.md': '| Item | Status |\n|---|---|\n| é | Planned |\n',
        }
    )
    result = interlock('config', 'validate')
    assert (result.code, result.err) == (0, said)


def test_an_edited_file_is_tried_by_the_command_named(
    repo: Repo, interlock: Interlock
) -> None:
    repo.write({'.interlock.yaml': 'version: 1\n'})
    # no commit has a workflow, so this one governs already
    assert interlock('config', 'validate').err == ''
    repo.commit({'.interlock.yaml': 'version: 1\n'})
    repo.write({'.interlock.yaml': 'version: 1\nitems: {}\n'})
    step = 'interlock check --worktree --config .interlock.yaml'
    assert interlock('config', 'validate').err.endswith(f': {step}\n')
    assert interlock(*step.split()[1:]).code == 0
