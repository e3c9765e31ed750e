from __future__ import annotations

import pytest

from interlock.guard.shell.effects import Removes, Writes
from interlock.guard.shell.path_patterns import covers, matches
from interlock.guard.shell.programs.interpreters import is_interpreter


@pytest.mark.parametrize(
    ('pattern', 'path'),
    (
        ('/p/a', '/p/a'),
        ('/p/*.json', '/p/task.json'),
        ('/p/*.json', '/p/.json'),
        ('/p/*/x', '/p/a/x'),
        ('/p/?', '/p/ü'),
        ('/p/[a-c]', '/p/b'),
        ('/p/[!a-c]', '/p/d'),
        ('/p/[^a]', '/p/b'),
        ('/p/[]]', '/p/]'),
        ('/p/[a-]', '/p/-'),
        ('/p/[*]', '/p/*'),
        ('/p/[[]x', '/p/[x'),
        ('/p/[', '/p/['),
        ('/p/**/x', '/p/x'),
        ('/p/**/x', '/p/a/b/x'),
        ('/p/**/**', '/p/a/b'),
        ('/p/**', '/p/a/b'),
        ('/p/a**.json', '/p/a/b.json'),
        ('**/x', '/x'),
        ('**/x', '/a/b/x'),
        ('**/*.md', '/a/b.md'),
        ('/p/' + '*a' * 40, '/p/' + 'a' * 60),
    ),
)
def test_a_pattern_means_a_path(pattern: str, path: str) -> None:
    assert matches(pattern, path)


@pytest.mark.parametrize(
    ('pattern', 'path'),
    (
        ('/p/a', '/p/ab'),
        ('/p/*.json', '/p/a/task.json'),
        ('/p/*', '/p/a/b'),
        ('/p/?', '/p/'),
        ('/p/?', '/p//'),
        ('/p/[a-c]', '/p/d'),
        ('/p/[!a-c]', '/p/b'),
        ('/p/[*]', '/p/a'),
        ('/p/**/x', '/p/ax'),
        ('/p/**/x', '/q/x'),
        ('**/x', '/ax'),
        ('/p.json', '/pxjson'),
        ('/p/' + '*a' * 40 + 'b', '/p/' + 'a' * 500),
    ),
)
def test_a_pattern_does_not_mean_a_path(pattern: str, path: str) -> None:
    assert not matches(pattern, path)


@pytest.mark.parametrize(
    ('effect', 'path', 'expected'),
    (
        (Removes('/p/a', 'rm'), '/p/a', True),
        (Removes('/p/a', 'rm'), '/p/a/b', False),
        (Removes('/p/a', 'rm', recursive=True), '/p/a/b/c', True),
        (Removes('/p/a', 'rm', recursive=True), '/p/ab', False),
        (Removes('/p/*', 'rm', True, True), '/p/a/b/c', True),
        (Removes('/p/*', 'rm', False, True), '/p/a/b', False),
        (Writes('/', 'chmod', recursive=True), '/p', True),
        (Writes('/p/[*]', 'touch', glob=False), '/p/[*]', True),
        (Writes('**/task.json', '>', None, True), '/p/t/task.json', True),
    ),
)
def test_an_effect_reaches_a_path(
    effect: Writes | Removes, path: str, expected: bool
) -> None:
    assert covers(effect, path) is expected


def test_what_is_an_interpreter() -> None:
    assert is_interpreter('python3.12')
    assert is_interpreter('node')
    assert not is_interpreter('pythonista')
