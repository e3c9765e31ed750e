"""Our entries in the files that call us, merged without a loss."""
from __future__ import annotations

from interlock.documents import yaml
from interlock.model.errors import Refusal
from interlock.model.errors import Unreadable

HOOK_TYPES = ('pre-commit', 'pre-merge-commit', 'commit-msg')

GIT_HOOKS = {
    'pre-commit': b'#!/bin/sh\nexec interlock hook\n',
    'pre-merge-commit': b'#!/bin/sh\nexec interlock hook\n',
    'commit-msg': b'#!/bin/sh\nexec interlock hook "$1"\n',
}

# the message file is passed at commit-msg; `files` keeps all others out
LOCAL = '''\
- repo: local
  hooks:
  - id: interlock
    name: interlock
    entry: interlock hook
    language: system
    stages: [pre-commit, pre-merge-commit, commit-msg]
    files: (^|/)(COMMIT_EDITMSG|MERGE_MSG)$
    always_run: true
    require_serial: true
'''
REMOTE = '''\
- repo: {repo}
  rev: {rev}
  hooks:
  - id: interlock
'''


def _block(source: tuple[str, str] | None) -> str:
    if source is None:
        return LOCAL
    return REMOTE.format(repo=source[0], rev=source[1])


def _is_ours(node: yaml.Node | None) -> bool:
    if not isinstance(node, yaml.Sequence):
        return False
    for repo in node.items:
        hooks = repo.items.get('hooks') if isinstance(
            repo, yaml.Mapping,
        ) else None
        for hook in hooks.items if isinstance(hooks, yaml.Sequence) else ():
            name = hook.items.get('id') if isinstance(
                hook, yaml.Mapping,
            ) else None
            if isinstance(name, yaml.Scalar) and (
                    name.text.startswith('interlock')
            ):
                return True
    return False


def _with_types(lines: list[str], node: yaml.Mapping) -> list[str]:
    key = 'default_install_hook_types'
    types = node.items.get(key)
    if types is None:
        return [f'{key}: [{", ".join(HOOK_TYPES)}]', *lines]
    elif not isinstance(types, yaml.Sequence):
        raise Refusal(f'.pre-commit-config.yaml: `{key}` is no list')
    have = [item.text for item in types.items if isinstance(item, yaml.Scalar)]
    missing = [name for name in HOOK_TYPES if name not in have]
    if not missing:
        return lines
    at = node.lines[key] - 1
    if '[' in lines[at] and ']' in lines[at]:
        head, _, tail = lines[at].rpartition(']')
        comma = ', ' if have else ''
        line = f'{head.rstrip()}{comma}{", ".join(missing)}]{tail}'
        return [*lines[:at], line, *lines[at + 1:]]
    elif not types.items or '[' in lines[at]:
        raise Refusal(
            f'.pre-commit-config.yaml:{at + 1}: `{key}` is written in a '
            f'form that is not edited',
            f'add {", ".join(missing)} to it',
        )
    last = types.items[-1].line
    indent = lines[last - 1][:lines[last - 1].index('-')]
    new = [f'{indent}- {name}' for name in missing]
    return [*lines[:last], *new, *lines[last:]]


def _with_repo(
        lines: list[str],
        node: yaml.Mapping,
        source: tuple[str, str] | None,
) -> list[str]:
    block = _block(source).splitlines()
    repos = node.items.get('repos')
    if repos is None:
        return [*lines, 'repos:', *block]
    elif not isinstance(repos, yaml.Sequence):
        raise Refusal('.pre-commit-config.yaml: `repos` is no list')
    at = node.lines['repos'] - 1
    if not repos.items:
        if lines[at].split('#')[0].replace(' ', '') != 'repos:[]':
            raise Refusal('.pre-commit-config.yaml: `repos` cannot be edited')
        return [*lines[:at], 'repos:', *block, *lines[at + 1:]]
    first = lines[repos.items[0].line - 1]
    if not first.lstrip().startswith('-'):
        raise Refusal(
            '.pre-commit-config.yaml: `repos` is written in a form that is '
            'not edited',
            'write one entry per line',
        )
    indent = first[:first.index('-')]
    # the list ends where a later key of the file starts
    later = [line for line in node.lines.values() if line - 1 > at]
    end = min(later) - 1 if later else len(lines)
    while end > 0 and not lines[end - 1].strip():
        end -= 1
    return [*lines[:end], *(indent + line for line in block), *lines[end:]]


def pre_commit(
        old: bytes | None,
        source: tuple[str, str] | None,
) -> tuple[bytes | None, str]:
    """The configuration with our entry, None if it is there already."""
    if old is None:
        types = f'default_install_hook_types: [{", ".join(HOOK_TYPES)}]\n'
        text = f'{types}repos:\n{_block(source)}'
        return text.encode(), 'runs the checks'
    try:
        text = old.decode()
        node = yaml.parse(text)
    except (UnicodeDecodeError, Unreadable) as e:
        raise Refusal(
            f'.pre-commit-config.yaml cannot be read: {e}',
            'pre-commit validate-config',
        ) from None
    if not isinstance(node, yaml.Mapping):
        raise Refusal('.pre-commit-config.yaml is no mapping')
    elif _is_ours(node.items.get('repos')):
        return None, 'has our hook already; left as it is'
    newline = '\r\n' if '\r\n' in text else '\n'
    lines = text.splitlines()
    lines = _with_repo(lines, node, source)
    # adding the entry moved no line above it
    lines = _with_types(lines, node)
    return (newline.join(lines) + newline).encode(), 'with our hook added'
