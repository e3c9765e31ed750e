from __future__ import annotations

import pytest

from interlock.doctor.installation import paths, wanted_by
from interlock.documents.wiring.hook_files import EVERY, HOOK_TYPES, git_hook

CALL = 'interlock hook "$@"'


@pytest.mark.parametrize(
    ('path', 'text', 'hooks'),
    (
        pytest.param('.husky/commit-msg', CALL, {'commit-msg'}, id='husky'),
        pytest.param('.husky/commit-msg', f'# {CALL}', set(), id='comment'),
        pytest.param(
            '.githooks/pre-push',
            git_hook('pre-push').decode(),
            set(HOOK_TYPES),
            id='ours',
        ),
        pytest.param(
            'lefthook.yml',
            f'pre-commit: {{run: {CALL!r}}}',
            {'pre-commit'},
            id='lefthook',
        ),
        pytest.param(
            '.lefthook-local.json',
            '{"pre-push": {"run": "interlock hook"}}',
            {'pre-push'},
            id='lefthook of one person',
        ),
        pytest.param(
            '.config/lefthook.toml',
            '[pre-commit.commands."é"]\nrun = "make"\n'
            '[[commit-msg.jobs]]\nrun = "interlock hook {1}"\n',
            {'commit-msg'},
            id='lefthook in TOML',
        ),
        pytest.param(
            '.pre-commit-config.yaml',
            'repos: [{repo: é, hooks: [{id: interlock-message}]}]',
            {'commit-msg'},
            id='pre-commit',
        ),
        pytest.param('.pre-commit-config.yaml', 'repos: []', set(), id='nothing'),
        pytest.param('.pre-commit-config.yaml', '[', set(), id='unreadable'),
        pytest.param(
            'prek.toml',
            '[[repos.hooks]]\nid = "interlock-message"\n',
            {'commit-msg'},
            id='prek',
        ),
    ),
)
def test_a_file_says_which_hooks_call_us(path: str, text: str, hooks: set[str]) -> None:
    assert path in set(paths(''))
    found = wanted_by(path, text.encode())
    assert set(found) == hooks
    assert all(found.values())


def test_where_git_looks_for_hooks_is_looked_at() -> None:
    assert 'outils/é/pre-push' in set(paths('outils/é'))
    assert wanted_by('outils/é/pre-push', None) == {}
    assert wanted_by('outils/é/pre-push', b'interlock pre-push') == {
        'pre-push': {EVERY}
    }
