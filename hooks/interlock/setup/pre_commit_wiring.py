"""Our entries in the files that call us, merged without a loss."""

from __future__ import annotations

import json

from interlock.documents import yaml
from interlock.documents.wiring.hook_files import HOOK_TYPES
from interlock.model.errors import Refusal, Unreadable

FILE = '.pre-commit-config.yaml'
# where prek finds this one it does not read the other
TOML_FILE = 'prek.toml'
TYPES = 'default_install_hook_types'

# the message file is passed at commit-msg; `files` keeps all others out;
# without `verbose` the output of a hook that passes is not shown: warnings,
# and how many findings the baseline suppresses
LOCAL = """\
- repo: local
  hooks:
  - id: interlock
    name: interlock
    entry: interlock hook
    language: system
    stages: [pre-commit, pre-merge-commit, commit-msg, pre-push]
    files: (^|/)(COMMIT_EDITMSG|MERGE_MSG)$
    always_run: true
    require_serial: true
    verbose: true
"""
REMOTE = """\
- repo: {repo}
  rev: {rev}
  hooks:
  - id: interlock
"""


def _block(source: tuple[str, str] | None) -> str:
    if source is None:
        return LOCAL
    return REMOTE.format(repo=source[0], rev=source[1])


def _texts(node: yaml.Sequence) -> list[str]:
    return [item.text for item in node.items if isinstance(item, yaml.Scalar)]


def _child(node: yaml.Node | None, key: str) -> yaml.Node | None:
    return node.items.get(key) if isinstance(node, yaml.Mapping) else None


def _children(node: yaml.Node | None) -> tuple[yaml.Node, ...]:
    return node.items if isinstance(node, yaml.Sequence) else ()


def _scalar(node: yaml.Node | None) -> str:
    return node.text if isinstance(node, yaml.Scalar) else ''


def _our_repo(node: yaml.Mapping) -> str:
    """The `repo` of the entry that has a hook of ours, '' if none has."""
    for repo in _children(node.items.get('repos')):
        for hook in _children(_child(repo, 'hooks')):
            if _scalar(_child(hook, 'id')).startswith('interlock'):
                return _scalar(_child(repo, 'repo'))
    return ''


def _insert(lines: list[str], at: int, new: list[str]) -> list[str]:
    """`lines` keep their ends; a last one that has none gets one."""
    newline = '\r\n' if lines and lines[0].endswith('\r\n') else '\n'
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
        return [*lines[:at], line, *lines[at + 1 :]]
    last = types.items[-1].line if types.items else at + 1
    indent, dash, _ = lines[last - 1].partition('-')
    if not dash or indent.strip():
        raise Refusal(
            f'{FILE}:{at + 1}: `{TYPES}` is written in a form that is not edited',
            f'add {", ".join(missing)} to it',
        )
    return _insert(lines, last, [f'{indent}- {name}' for name in missing])


def end_of_repos(lines: list[str], node: yaml.Mapping) -> int:
    """The list ends where a later key of the file, or its comment, starts."""
    at = node.lines['repos'] - 1
    later = [line for line in node.lines.values() if line - 1 > at]
    end = min(later) - 1 if later else len(lines)
    while not lines[end - 1].strip() or lines[end - 1].startswith('#'):
        end -= 1
    return end


def _with_repo(
    lines: list[str], node: yaml.Mapping, source: tuple[str, str] | None
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
        lines = [*lines[:at], head.rstrip() + tail, *lines[at + 1 :]]
        return _insert(lines, at + 1, block)
    first = lines[repos.items[0].line - 1]
    if not first.lstrip().startswith('-'):
        raise Refusal(
            f'{FILE}: `repos` is written in a form that is not edited',
            'write one entry per line',
        )
    indent = first[: first.index('-')]
    end = end_of_repos(lines, node)
    return _insert(lines, end, [indent + line for line in block])


def _verify(text: str, node: yaml.Mapping, source: tuple[str, str] | None) -> None:
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


def parsed(old: bytes) -> yaml.Node | None:
    try:
        return yaml.parse(old.decode())
    except (UnicodeDecodeError, Unreadable) as e:
        raise Refusal(
            f'{FILE} cannot be read: {e}', 'pre-commit validate-config'
        ) from None


def filters(old: bytes | None) -> list[str]:
    """The keys that may keep the message file from every hook."""
    node = parsed(old or b'')
    return [key for key in ('files', 'exclude') if _child(node, key)]


def toml(source: tuple[str, str] | None) -> str:
    """Our entry as prek reads it from a file of its own."""
    entry = yaml.value(yaml.parse(_block(source)))[0]
    hooks = entry.pop('hooks')
    lines = [
        '# above the first table:',
        f'{TYPES} = {json.dumps(HOOK_TYPES)}',
        '# at the end:',
    ]
    for table, values in (('repos', entry), ('repos.hooks', hooks[0])):
        lines.append(f'[[{table}]]')
        # strings, lists of them and truth values are the same in JSON
        lines.extend(
            f'{key} = {json.dumps(value, ensure_ascii=False)}'
            for key, value in values.items()
        )
    return '\n'.join(lines)


def pre_commit(
    old: bytes | None, source: tuple[str, str] | None
) -> tuple[bytes | None, str]:
    """The configuration with our entry, None if it is there already."""
    node = parsed(old or b'')
    text = (old or b'').decode()
    if yaml.value(node) is None:
        # nothing, or comments only
        types = f'{TYPES}: [{", ".join(HOOK_TYPES)}]'
        lines = [types, 'repos:', *_block(source).splitlines()]
        above = text.splitlines(keepends=True)
        new = ''.join(_insert(above, len(above), lines))
        _verify(new, yaml.Mapping({}, {}, 1), source)
        return new.encode(), 'runs the checks'
    elif not isinstance(node, yaml.Mapping):
        raise Refusal(f'{FILE} is no mapping')
    repo = _our_repo(node)
    if repo == 'local' and source is not None:
        return None, (
            'is wired as a local hook; delete that block and run this again to switch'
        )
    elif repo:
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
