"""Which commits a CI run judges: the range that its runner names."""

from __future__ import annotations

import json

from interlock.files.atomic_files import read
from interlock.git.push_updates import HEADS, TAGS, Push, of_range
from interlock.git.repository import Repository, cut_off
from interlock.model import quick_re as re
from interlock.model.errors import Refusal
from interlock.model.quick_typing import Any, Mapping, NamedTuple

OID = re.compile('[0-9a-f]{40}|[0-9a-f]{64}')
# characters that a branch name cannot contain
ODD = re.compile(r'[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{')
# runs started by a schedule, a person or an API call bring no commits
GITHUB_AGAIN = {'schedule', 'workflow_dispatch', 'repository_dispatch'}
GITLAB_AGAIN = {'schedule', 'web', 'api', 'trigger', 'pipeline', 'chat'}
# only a person knows which
GIVE = 'name the commit before the new ones: interlock check --base HEAD~1'
# full names: a tag may be called `origin/main`
REMOTE = 'refs/remotes/origin'
GUESSES = ('@{upstream}', f'{REMOTE}/HEAD', f'{REMOTE}/main', f'{REMOTE}/master')


class CiRange(NamedTuple):
    # `A..B` or `A...B`; a revision alone stands for its whole history
    revisions: str
    # why these, where it is not obvious
    why: str = ''
    # the branch that was pushed, if the range covers the whole push, and
    # whether other branches are compared with it
    branch: str = ''
    is_main: bool = False

    def __str__(self) -> str:
        return f'{self.revisions} ({self.why})' if self.why else self.revisions

    def push(self, repository: Repository) -> Push:
        if '..' not in self.revisions:
            commits = repository.history(self.revisions)
            return Push('', None, commits, (), commits[-1])
        push = of_range(repository, self.revisions)
        if not self.branch:
            return push
        old = repository.commit(self.revisions.partition('..')[0])
        return push._replace(ref=HEADS + self.branch, old=old, is_main=self.is_main)


def ci_range(repository: Repository, base: str) -> CiRange:
    """The range from a base to HEAD; `auto` takes the base from the CI runner."""
    environ = repository.environ
    if base != 'auto':
        return CiRange(f'{base}...HEAD')
    elif environ.get('GITHUB_ACTIONS') == 'true':
        return _github(repository)
    elif environ.get('GITLAB_CI') == 'true':
        return _gitlab(repository)
    return _since_default(repository, '', 'HEAD')


def _event(environ: Mapping[str, str]) -> dict[str, Any]:
    path = environ.get('GITHUB_EVENT_PATH', '')
    try:
        event = json.loads(read(path) or b'' if path else b'')
    except (ValueError, RecursionError):
        event = None
    if not isinstance(event, dict):
        raise Refusal(
            'GITHUB_EVENT_PATH does not name an event, so the range is not known', GIVE
        )
    return event


def _text(event: Any, field: str) -> str:
    for key in field.split('.'):
        event = event.get(key) if isinstance(event, dict) else None
    return event if isinstance(event, str) else ''


def _required(event: Any, field: str, is_oid: bool) -> str:
    found = _text(event, field)
    if not (OID.fullmatch(found) if is_oid else found and not ODD.search(found)):
        what = 'id of a commit' if is_oid else 'name of a branch'
        raise Refusal(
            f'the event of this run has no {what} (`{field}`), so the range is not '
            f'known',
            GIVE,
        )
    return found


def _github(repository: Repository) -> CiRange:
    environ = repository.environ
    name, event = environ.get('GITHUB_EVENT_NAME', ''), _event(environ)
    default = _text(event, 'repository.default_branch')
    if name in {'pull_request', 'pull_request_target'}:
        # GitHub checks out a merge commit of its own; we judge the branch's commits
        base = _required(event, 'pull_request.base.sha', is_oid=True)
        head = _required(event, 'pull_request.head.sha', is_oid=True)
        return CiRange(f'{base}...{head}')
    elif name == 'merge_group':
        base = _required(event, 'merge_group.base_sha', is_oid=True)
        head = _required(event, 'merge_group.head_sha', is_oid=True)
        return CiRange(f'{base}..{head}')
    elif name == 'push':
        before = _required(event, 'before', is_oid=True)
        after = _required(event, 'after', is_oid=True)
        if _is_null(after):
            return CiRange('HEAD..HEAD', 'a deleted branch has no new commits')
        ref = _required(event, 'ref', is_oid=False)
        if ref.startswith(TAGS) and not _exists(repository, after):
            # a runner may fetch only the commit of an annotated tag
            after = environ.get('GITHUB_SHA', '') or after
        found = _between(repository, before, after, ref, default)
        if found is not None:
            return found
        default = _required(event, 'repository.default_branch', is_oid=False)
        if ref == HEADS + default:
            return _onto_default(before, after)
        return _since_default(repository, default, after, is_settled=True)
    ref = environ.get('GITHUB_REF', '')
    if not default and name == 'schedule' and ref.startswith(HEADS):
        # a schedule runs on the default branch only, and does not name it
        default = ref.removeprefix(HEADS)
    is_settled = name in GITHUB_AGAIN or ref.startswith(TAGS)
    default = '' if ODD.search(default) else default
    return _since_default(repository, default, 'HEAD', is_settled)


def _gitlab(repository: Repository) -> CiRange:
    environ = repository.environ
    tip = environ.get('CI_COMMIT_SHA', '') or 'HEAD'
    base = environ.get('CI_MERGE_REQUEST_DIFF_BASE_SHA', '')
    if base:
        # in a merged-results pipeline the tip is a merge commit made by GitLab
        source = environ.get('CI_MERGE_REQUEST_SOURCE_BRANCH_SHA', '')
        return CiRange(f'{base}..{source or tip}')
    before = environ.get('CI_COMMIT_BEFORE_SHA', '')
    branch = environ.get('CI_COMMIT_BRANCH', '')
    default = environ.get('CI_DEFAULT_BRANCH', '')
    ref = HEADS + branch if branch else ''
    found = _between(repository, before, tip, ref, default)
    if found is not None:
        return found
    source = environ.get('CI_PIPELINE_SOURCE', '')
    is_default = bool(default) and branch == default
    if is_default and before and (source == 'push' or not _is_null(before)):
        return _onto_default(before, tip)
    is_other = not is_default and bool(branch or environ.get('CI_COMMIT_TAG'))
    return _since_default(repository, default, tip, is_other or source in GITLAB_AGAIN)


def _is_null(oid: str) -> bool:
    """Whether an id is all zeros (no commit); an unset variable is not."""
    return bool(oid) and not oid.strip('0')


def _exists(repository: Repository, rev: str) -> bool:
    return bool(rev) and repository.git.resolve(rev) is not None


def _last_commit(repository: Repository, tip: str, why: str) -> CiRange:
    revisions = f'{tip}^..{tip}' if repository.commit(tip).parents else tip
    return CiRange(revisions, f'{why}: the last commit is judged')


def _between(
    repository: Repository, before: str, after: str, ref: str, default: str
) -> CiRange | None:
    """A push with two known ends, None if one is missing."""
    if not before or _is_null(before):
        return None
    elif not _exists(repository, before):
        # a shallow history is refused later, with that reason
        if not repository.git.is_shallow():
            return None
    elif repository.commit(before).oid == repository.commit(after).oid:
        return _last_commit(repository, after, 'nothing was pushed')
    branch = ref.removeprefix(HEADS) if ref.startswith(HEADS) else ''
    is_main = bool(branch) and branch == default
    return CiRange(f'{before}..{after}', '', branch, is_main)


def _onto_default(before: str, after: str) -> CiRange:
    """A push onto the default branch whose start is missing."""
    if _is_null(before):
        return CiRange(after, 'the first push: the whole history is judged')
    raise Refusal(
        f'{before[:10]}, the tip before this push, is not in this clone, so the range '
        f'of this run is not known',
        f'git fetch origin {before}',
    )


def _since_default(
    repository: Repository, branch: str, tip: str, is_settled: bool = False
) -> CiRange:
    """The range from where a commit left the remote's default branch.

    `is_settled`: this run did not bring the commits of that branch. So if the
    branch contains the commit, only the last commit is judged again.
    """
    main = f'{REMOTE}/{branch}' if branch else ''
    found = ''
    for name in (main, f'{REMOTE}/HEAD') if main else GUESSES:
        if not _exists(repository, name):
            continue
        elif not repository.is_ancestor(
            repository.commit(tip), repository.commit(name)
        ):
            return CiRange(f'{name}...{tip}')
        elif is_settled and name == main:
            return _last_commit(repository, tip, f'there are no new commits for {main}')
        found = found or name
    unknown = 'the range of this run is not known'
    if repository.git.is_shallow():
        raise cut_off(unknown)
    elif found:
        raise Refusal(
            f'{unknown}: there are no new commits for {found}, and there is no branch to '
            f'compare with',
            GIVE,
        )
    if 'origin' not in repository.git.line('remote').split('\n'):
        raise Refusal(f'{unknown}: there is no branch to compare with', GIVE)
    # a clone of a single branch does not fetch others on its own
    refspec = f' {branch}:{REMOTE}/{branch}' if branch else ''
    raise Refusal(
        f'{unknown}: there is no branch to compare with',
        f'git fetch origin{refspec}, or {GIVE}',
    )
