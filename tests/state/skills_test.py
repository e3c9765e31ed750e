from __future__ import annotations

from pathlib import Path

import pytest

from interlock.state.skills import instructions, skill_instructions

NOTHING: dict[str, list[str]] = {'forbidden': [], 'required': []}


def write(place: Path, name: str, rule: str) -> None:
    file = place / 'skills' / name / 'SKILL.md'
    file.parent.mkdir(parents=True)
    file.write_text(f'---\nname: {name}\n---\n## Forbidden\n- {rule}\n')


def rule(name: str, project: Path, **environ: str) -> str | None:
    found = skill_instructions(name, str(project), environ)
    return found['forbidden'][0] if found else None


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv('HOME', str(tmp_path))
    return tmp_path / '.claude'


def test_a_skill_is_the_projects_then_the_users_then_a_plugins(
    tmp_path: Path, user: Path
) -> None:
    project = tmp_path / 'projet'
    assert rule('größe', project) is None
    write(user / 'plugins/cache/market/plug/1.0', 'größe', 'plugin')
    assert rule('größe', project) == 'plugin'
    write(user, 'größe', 'user')
    assert rule('größe', project) == 'user'
    write(project / '.claude', 'größe', 'project')
    assert rule('größe', project) == 'project'


def test_a_skill_of_a_plugin_is_named_with_it(tmp_path: Path, user: Path) -> None:
    write(user, 'a', 'user')
    write(user / 'plugins/one', 'a', 'one')
    write(user / 'plugins/two', 'a', 'two')
    assert rule('two:a', tmp_path) == 'two'
    assert rule('one:a', tmp_path) == 'one'
    assert rule('three:a', tmp_path) is None


def test_the_environment_may_say_where_they_lie(tmp_path: Path, user: Path) -> None:
    write(tmp_path / 'config', 'a', 'config')
    write(tmp_path / 'plugin', 'b', 'plugin')
    assert rule('a', tmp_path, CLAUDE_CONFIG_DIR=str(tmp_path / 'config')) == 'config'
    assert rule('b', tmp_path, CLAUDE_PLUGIN_ROOT=str(tmp_path / 'plugin')) == 'plugin'


def test_a_skill_that_says_nothing_is_found_all_the_same(
    tmp_path: Path, user: Path
) -> None:
    file = user / 'skills/a/SKILL.md'
    file.parent.mkdir(parents=True)
    file.write_bytes(b'\xff\xfe')
    assert skill_instructions('a', str(tmp_path), {}) == NOTHING


@pytest.mark.parametrize(
    'name', ('', '..', '../x', 'a/b', '.hidden', 'x:..', '../p:a', 'a\0b')
)
def test_no_name_leads_out_of_the_places(tmp_path: Path, user: Path, name: str) -> None:
    write(user / 'x', 'x', 'out')
    assert skill_instructions(name, str(tmp_path), {}) is None


@pytest.mark.parametrize(
    ('text', 'forbidden', 'required'),
    (
        pytest.param(
            '# Skill\n## Forbidden\n- direct edits\n* größere Sprünge\n'
            '## Required actions\n1. tests first\n## Other\n- nothing\n',
            ['direct edits', 'größere Sprünge'],
            ['tests first'],
            id='headings',
        ),
        pytest.param(
            '<FORBIDDEN>\nSome words.\n\n- a\n### Below\n- b\n</FORBIDDEN>\n'
            '- c\n<REQUIRED>\n- d\n</REQUIRED>\n',
            ['a', 'b'],
            ['d'],
            id='tags',
        ),
        pytest.param(
            '**FORBIDDEN:**\n- a\n\nREQUIRED patterns:\n- b\n\nProse.\n- c\n',
            ['a'],
            ['b'],
            id='labels',
        ),
        pytest.param(
            '## Forbidden\n```\n- in a fence\n```\n- a\n',
            ['a'],
            [],
            id='a fence is not a list',
        ),
        pytest.param('Nothing is forbidden or required here.', [], [], id='prose'),
        pytest.param('', [], [], id='nothing'),
        pytest.param(
            '## Forbidden\n- a\n  goes on\n- b\n',
            ['a', 'b'],
            [],
            id='an item on two lines',
        ),
    ),
)
def test_what_a_skill_forbids_and_requires(
    text: str, forbidden: list[str], required: list[str]
) -> None:
    assert instructions(text) == {'forbidden': forbidden, 'required': required}


def test_no_skill_says_too_much() -> None:
    text = '## Forbidden\n' + f'- {"é" * 999}\n' * 99
    found = instructions(text)['forbidden']
    assert len(found) == 50
    assert {len(each) for each in found} == {300}
