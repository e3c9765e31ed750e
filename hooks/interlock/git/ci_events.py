"""Which commits a run of CI is about: what its runner says of itself."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from interlock.files.atomic_files import read
from interlock.git.ci_range import (
    GIVE,
    Span,
    between,
    exists,
    is_null,
    onto_default,
    since_default,
)
from interlock.git.push_updates import HEADS
from interlock.git.repository import Repository
from interlock.model.errors import Refusal

OID = re.compile('[0-9a-f]{40}|[0-9a-f]{64}')
# what no name of a branch holds
ODD = re.compile(r'[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{')
TAGS = 'refs/tags/'
# what starts a run that brings nothing: a clock, a person, a program
GITHUB_AGAIN = {'schedule', 'workflow_dispatch', 'repository_dispatch'}
GITLAB_AGAIN = {'schedule', 'web', 'api', 'trigger', 'pipeline', 'chat'}


def _event(environ: Mapping[str, str]) -> dict[str, Any]:
    path = environ.get('GITHUB_EVENT_PATH', '')
    data = read(path) if path else None
    try:
        event = json.loads(data or b'')
    except (ValueError, RecursionError):
        event = None
    if not isinstance(event, dict):
        raise Refusal(
            'GITHUB_EVENT_PATH names no event, so the range is not known', GIVE
        )
    return event


def _text(event: Any, *keys: str) -> str:
    for key in keys:
        event = event.get(key) if isinstance(event, dict) else None
    return event if isinstance(event, str) else ''


def _said(is_usable: object, what: str, *keys: str) -> None:
    if not is_usable:
        raise Refusal(
            f'the event of this run says no {what} (`{".".join(keys)}`), so '
            f'the range is not known',
            GIVE,
        )


def _oid(event: Any, *keys: str) -> str:
    found = _text(event, *keys)
    _said(OID.fullmatch(found), 'id of a commit', *keys)
    return found


def _name(event: Any, *keys: str) -> str:
    found = _text(event, *keys)
    _said(found and not ODD.search(found), 'name of a branch', *keys)
    return found


def _of_branch(span: Span, ref: str, default: str) -> Span:
    """A push from one tip of a branch to another."""
    if span.why or not ref.startswith(HEADS):
        return span
    branch = ref[len(HEADS) :]
    return span._replace(branch=branch, is_main=branch == default)


def _github_push(repository: Repository, event: dict[str, Any]) -> Span:
    before, after = _oid(event, 'before'), _oid(event, 'after')
    if is_null(after):
        return Span('HEAD..HEAD', 'a deleted branch brings nothing')
    ref = _name(event, 'ref')
    if ref.startswith(TAGS) and not exists(repository, after):
        # of a tag with a message a runner may fetch only the commit
        after = repository.environ.get('GITHUB_SHA', '') or after
    span = between(repository, before, after)
    if span is not None:
        default = _text(event, 'repository', 'default_branch')
        return _of_branch(span, ref, default)
    branch = _name(event, 'repository', 'default_branch')
    if ref == f'{HEADS}{branch}':
        return onto_default(before, after)
    return since_default(repository, branch, after, is_settled=True)


def _github_again(repository: Repository, name: str, event: dict[str, Any]) -> Span:
    """What is no push of its own."""
    ref = repository.environ.get('GITHUB_REF', '')
    branch = _text(event, 'repository', 'default_branch')
    if not branch and name == 'schedule' and ref.startswith(HEADS):
        # which runs on the default branch alone, and does not name it
        branch = ref[len(HEADS) :]
    is_settled = name in GITHUB_AGAIN or ref.startswith(TAGS)
    return since_default(
        repository, '' if ODD.search(branch) else branch, 'HEAD', is_settled
    )


def _github(repository: Repository) -> Span:
    environ = repository.environ
    name, event = environ.get('GITHUB_EVENT_NAME', ''), _event(environ)
    if name in {'pull_request', 'pull_request_target'}:
        # what is checked out is a merge that nobody made: judged are the
        # commits of the branch
        base = _oid(event, 'pull_request', 'base', 'sha')
        head = _oid(event, 'pull_request', 'head', 'sha')
        return Span(f'{base}...{head}')
    elif name == 'merge_group':
        base = _oid(event, 'merge_group', 'base_sha')
        return Span(f'{base}..{_oid(event, "merge_group", "head_sha")}')
    elif name == 'push':
        return _github_push(repository, event)
    return _github_again(repository, name, event)


def _gitlab(repository: Repository) -> Span:
    environ = repository.environ
    tip = environ.get('CI_COMMIT_SHA', '') or 'HEAD'
    base = environ.get('CI_MERGE_REQUEST_DIFF_BASE_SHA', '')
    if base:
        # in a pipeline of merged results the tip is a merge nobody made
        source = environ.get('CI_MERGE_REQUEST_SOURCE_BRANCH_SHA', '')
        return Span(f'{base}..{source or tip}')
    before = environ.get('CI_COMMIT_BEFORE_SHA', '')
    span = between(repository, before, tip)
    if span is None:
        return _gitlab_open(repository, before, tip)
    branch = environ.get('CI_COMMIT_BRANCH', '')
    return _of_branch(
        span, HEADS + branch if branch else '', environ.get('CI_DEFAULT_BRANCH', '')
    )


def _gitlab_open(repository: Repository, before: str, tip: str) -> Span:
    """A pipeline that does not say from where."""
    environ = repository.environ
    default = environ.get('CI_DEFAULT_BRANCH', '')
    branch = environ.get('CI_COMMIT_BRANCH', '')
    source = environ.get('CI_PIPELINE_SOURCE', '')
    is_default = bool(default) and branch == default
    if is_default and before and (source == 'push' or not is_null(before)):
        return onto_default(before, tip)
    is_other = not is_default and (branch or environ.get('CI_COMMIT_TAG'))
    return since_default(
        repository, default, tip, bool(is_other) or source in GITLAB_AGAIN
    )


def _span_of_run(repository: Repository) -> Span:
    environ = repository.environ
    if environ.get('GITHUB_ACTIONS') == 'true':
        return _github(repository)
    elif environ.get('GITLAB_CI') == 'true':
        return _gitlab(repository)
    return since_default(repository, '', 'HEAD')


def span_since(repository: Repository, base: str) -> Span:
    """From a base, or the one that the runner names, to the end."""
    if base != 'auto':
        return Span(f'{base}...HEAD')
    return _span_of_run(repository)
