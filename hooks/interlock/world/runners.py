"""Which commits a run of CI is about: what its runner says of itself."""
from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from interlock.model.errors import Refusal
from interlock.world.files import read
from interlock.world.repository import Repository

GIVE = 'interlock check --range A..B'


def _is_null(oid: str) -> bool:
    return not oid.strip('0')


def _exists(repository: Repository, rev: str) -> bool:
    return bool(rev) and repository.git.resolve(rev) is not None


def _event(environ: Mapping[str, str]) -> dict[str, Any]:
    path = environ.get('GITHUB_EVENT_PATH', '')
    data = read(path) if path else None
    try:
        event = json.loads(data or b'')
    except ValueError:
        event = None
    if not isinstance(event, dict):
        raise Refusal(
            'GITHUB_EVENT_PATH names no event, so the range is not known',
            GIVE,
        )
    return event


def _text(event: Any, *keys: str) -> str:
    for key in keys:
        event = event.get(key) if isinstance(event, dict) else None
    return event if isinstance(event, str) else ''


def _since_default(repository: Repository, branch: str, tip: str) -> str:
    """From where a branch left the default one of the remote."""
    for name in (f'origin/{branch}', 'origin/HEAD') if branch else (
            '@{upstream}', 'origin/HEAD', 'origin/main', 'origin/master',
    ):
        # on the default branch itself nothing would be left
        if _exists(repository, name) and not _same(repository, name, tip):
            return f'{name}...{tip}'
    raise Refusal(
        'the range of this run is not known: there is no branch to compare '
        'with',
        f'git fetch origin, or {GIVE}',
    )


def _same(repository: Repository, first: str, second: str) -> bool:
    return repository.git.resolve(first) == repository.git.resolve(second)


def _pushed(
        repository: Repository,
        before: str,
        after: str,
        branch: str,
) -> str:
    """A push; what it forced away is gone, and a new branch has no before."""
    known = _exists(repository, before) or repository.git.is_shallow()
    if not _is_null(before) and known:
        return f'{before}..{after}'
    return _since_default(repository, branch, after)


def _github(repository: Repository) -> str:
    environ = repository.environ
    name, event = environ.get('GITHUB_EVENT_NAME', ''), _event(environ)
    branch = _text(event, 'repository', 'default_branch')
    if name in {'pull_request', 'pull_request_target'}:
        # what is checked out is a merge that nobody made: judged are the
        # commits of the branch
        base = _text(event, 'pull_request', 'base', 'sha')
        head = _text(event, 'pull_request', 'head', 'sha')
        return f'{base}...{head}'
    elif name == 'merge_group':
        base = _text(event, 'merge_group', 'base_sha')
        return f'{base}..{_text(event, "merge_group", "head_sha")}'
    elif name == 'push':
        after = _text(event, 'after')
        if _is_null(after):
            # a deleted branch brings nothing
            return 'HEAD..HEAD'
        return _pushed(repository, _text(event, 'before'), after, branch)
    return _since_default(repository, branch, 'HEAD')


def _gitlab(repository: Repository) -> str:
    environ = repository.environ
    tip = environ.get('CI_COMMIT_SHA', '') or 'HEAD'
    branch = environ.get('CI_DEFAULT_BRANCH', '')
    base = environ.get('CI_MERGE_REQUEST_DIFF_BASE_SHA', '')
    if base:
        # in a pipeline of merged results the tip is a merge nobody made
        source = environ.get('CI_MERGE_REQUEST_SOURCE_BRANCH_SHA', '')
        return f'{base}..{source or tip}'
    before = environ.get('CI_COMMIT_BEFORE_SHA', '')
    return _pushed(repository, before, tip, branch)


def _range_of_run(repository: Repository) -> str:
    environ = repository.environ
    if environ.get('GITHUB_ACTIONS') == 'true':
        found = _github(repository)
    elif environ.get('GITLAB_CI') == 'true':
        found = _gitlab(repository)
    else:
        found = _since_default(repository, '', 'HEAD')
    first, _, last = found.partition('..')
    if not first or not last.strip('.'):
        raise Refusal(f'the runner names only half a range: `{found}`', GIVE)
    return found


def range_since(repository: Repository, base: str) -> str:
    """From a base, or the one that the runner names, to the end."""
    if base != 'auto':
        return f'{base}...HEAD'
    return _range_of_run(repository)
