"""Our entry in the configuration of pre-commit, taken out without a loss."""

from __future__ import annotations

from interlock.documents import yaml
from interlock.documents.wiring.hook_files import HOOK_TYPES, hooks_of
from interlock.model.errors import Refusal, Unreadable
from interlock.setup.pre_commit_wiring import FILE, TYPES, end_of_repos, parsed


def _is_ours(repo: yaml.Node) -> bool:
    """Whether a repository has hooks of ours, and no other."""
    found = hooks_of({'repos': [yaml.value(repo)]})
    return bool(found) and all(ours for _, ours in found)


def _without(text: str, node: yaml.Mapping, repos: yaml.Sequence) -> str:
    lines = text.splitlines(keepends=True)
    starts = [item.line - 1 for item in repos.items]
    ends = [*starts[1:], end_of_repos(lines, node)]
    ours = [_is_ours(item) for item in repos.items]
    for start, end, drop in reversed([*zip(starts, ends, ours, strict=True)]):
        if drop:
            # a comment above the next entry belongs to that one
            while lines[end - 1].lstrip().startswith('#'):
                end -= 1
            del lines[start:end]
    if all(ours):
        at = node.lines['repos'] - 1
        lines[at] = lines[at].replace('repos:', 'repos: []', 1)
    return ''.join(lines)


def _verify(new: str, node: yaml.Mapping, repos: yaml.Sequence) -> None:
    """The new file reads as the old one without our entries."""
    wanted = yaml.value(node)
    wanted['repos'] = [yaml.value(item) for item in repos.items if not _is_ours(item)]
    try:
        done = yaml.value(yaml.parse(new)) == wanted
    except Unreadable:
        done = False
    if not done:
        raise Refusal(
            f'{FILE} is written in a form that is not edited',
            'take our hooks out of it by hand',
        )


def without(old: bytes) -> tuple[bytes | None, str]:
    """The configuration without us, None where we are not in it; and what
    is left of ours. An empty one is a file that only we were in."""
    node = parsed(old)
    repos = node.items.get('repos') if isinstance(node, yaml.Mapping) else None
    if not isinstance(node, yaml.Mapping) or (not isinstance(repos, yaml.Sequence)):
        return None, ''
    mixed = any(
        ours
        for item in repos.items
        if not _is_ours(item)
        for _, ours in hooks_of({'repos': [yaml.value(item)]})
    )
    left = 'a hook of ours among those of others is left' if mixed else ''
    if not any(map(_is_ours, repos.items)):
        return None, left
    if (
        all(map(_is_ours, repos.items))
        and yaml.value(node) == {TYPES: list(HOOK_TYPES), 'repos': yaml.value(repos)}
        and '#' not in old.decode()
    ):
        return b'', ''
    new = _without(old.decode(), node, repos)
    _verify(new, node, repos)
    if TYPES in node.items:
        left = '; '.join(filter(None, (left, f'`{TYPES}` is left')))
    return new.encode(), left
