"""Our entries in the files that call us, merged without a loss."""
from __future__ import annotations

from interlock.documents import yaml
from interlock.model.errors import Refusal
from interlock.model.errors import Unreadable

FILE = '.pre-commit-config.yaml'
TYPES = 'default_install_hook_types'
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


def _texts(node: yaml.Sequence) -> list[str]:
    return [item.text for item in node.items if isinstance(item, yaml.Scalar)]


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


def _insert(lines: list[str], at: int, new: list[str]) -> list[str]:
    """`lines` keep their ends; a last one that has none gets one."""
    newline = '\r\n' if lines[0].endswith('\r\n') else '\n'
    above = lines[:at]
    if above and not above[-1].endswith(('\r', '\n')):
        above[-1] += newline
    return [*above, *(line + newline for line in new), *lines[at:]]


def _with_types(lines: list[str], node: yaml.Mapping) -> list[str]:
    types = node.items.get(TYPES)
    if types is None:
        first = min(node.lines.values(), default=1)
        line = f'{TYPES}: [{", ".join(HOOK_TYPES)}]'
        return _insert(lines, first - 1, [line])
    elif not isinstance(types, yaml.Sequence):
        raise Refusal(f'{FILE}: `{TYPES}` is no list')
    have = _texts(types)
    missing = [name for name in HOOK_TYPES if name not in have]
    if not missing:
        return lines
    at = node.lines[TYPES] - 1
    if '[' in lines[at] and ']' in lines[at]:
        head, _, tail = lines[at].partition(']')
        head = head.rstrip()
        comma = ' ' if head.endswith(',') else ', ' if have else ''
        line = f'{head}{comma}{", ".join(missing)}]{tail}'
        return [*lines[:at], line, *lines[at + 1:]]
    last = types.items[-1].line if types.items else at + 1
    indent, dash, _ = lines[last - 1].partition('-')
    if not dash or indent.strip():
        raise Refusal(
            f'{FILE}:{at + 1}: `{TYPES}` is written in a form that is not '
            f'edited',
            f'add {", ".join(missing)} to it',
        )
    return _insert(lines, last, [f'{indent}- {name}' for name in missing])


def _with_repo(
        lines: list[str],
        node: yaml.Mapping,
        source: tuple[str, str] | None,
) -> list[str]:
    block = _block(source).splitlines()
    repos = node.items.get('repos')
    if repos is None:
        return _insert(lines, len(lines), ['repos:', *block])
    elif not isinstance(repos, yaml.Sequence):
        raise Refusal(f'{FILE}: `repos` is no list')
    at = node.lines['repos'] - 1
    if not repos.items:
        head, empty, tail = lines[at].partition('[]')
        if head.replace(' ', '') != 'repos:' or not empty:
            raise Refusal(f'{FILE}: `repos` cannot be edited')
        lines = [*lines[:at], head.rstrip() + tail, *lines[at + 1:]]
        return _insert(lines, at + 1, block)
    first = lines[repos.items[0].line - 1]
    if not first.lstrip().startswith('-'):
        raise Refusal(
            f'{FILE}: `repos` is written in a form that is not edited',
            'write one entry per line',
        )
    indent = first[:first.index('-')]
    # the list ends where a later key of the file, or its comment, starts
    later = [line for line in node.lines.values() if line - 1 > at]
    end = min(later) - 1 if later else len(lines)
    while not lines[end - 1].strip() or lines[end - 1].startswith('#'):
        end -= 1
    return _insert(lines, end, [indent + line for line in block])


def _verify(
        text: str,
        node: yaml.Mapping,
        source: tuple[str, str] | None,
) -> None:
    """The new file reads as the old one with our entries, and no other."""
    wanted = yaml.value(node)
    have = wanted.get(TYPES, [])
    wanted[TYPES] = [*have, *(t for t in HOOK_TYPES if t not in have)]
    ours = yaml.value(yaml.parse(_block(source)))
    wanted['repos'] = [*wanted.get('repos', []), *ours]
    try:
        done = yaml.value(yaml.parse(text)) == wanted
    except Unreadable:
        done = False
    if not done:
        raise Refusal(
            f'{FILE} is written in a form that is not edited',
            'add the hook by hand; interlock init --pre-commit --dry-run '
            'in an empty repository shows it',
        )


def pre_commit(
        old: bytes | None,
        source: tuple[str, str] | None,
) -> tuple[bytes | None, str]:
    """The configuration with our entry, None if it is there already."""
    if old is None:
        types = f'{TYPES}: [{", ".join(HOOK_TYPES)}]\n'
        text = f'{types}repos:\n{_block(source)}'
        return text.encode(), 'runs the checks'
    try:
        text = old.decode()
        node = yaml.parse(text)
    except (UnicodeDecodeError, Unreadable) as e:
        raise Refusal(
            f'{FILE} cannot be read: {e}', 'pre-commit validate-config',
        ) from None
    if not isinstance(node, yaml.Mapping):
        raise Refusal(f'{FILE} is no mapping')
    elif _is_ours(node.items.get('repos')):
        return None, 'has our hook already; left as it is'
    lines = text.splitlines(keepends=True)
    # from the bottom up: an edit moves the lines below it
    if node.lines.get(TYPES, 0) > node.lines.get('repos', len(lines)):
        lines = _with_repo(_with_types(lines, node), node, source)
    else:
        lines = _with_types(_with_repo(lines, node, source), node)
    new = ''.join(lines)
    _verify(new, node, source)
    return new.encode(), 'with our hook added'
