"""Adds our entries to the configuration of pre-commit, and removes them.

The lines of others stay as they are. An edit is refused unless the result
parses as the old file with, or without, our entries.
"""

from __future__ import annotations

import json

from interlock.documents import yaml
from interlock.documents.wiring.hook_files import HOOK_TYPES, dicts, hooks_of
from interlock.model import quick_re as re
from interlock.model.errors import Refusal, Unreadable
from interlock.model.quick_typing import Any, Iterable, Iterator
from interlock.setup.pre_commit_stages import STAGES, TYPES, HookTypes, types_before

FILE = '.pre-commit-config.yaml'
# if this file exists, prek does not read the other one
TOML_FILE = 'prek.toml'
MARK = '# added by interlock'
MARK_RE = re.compile(rf'\s*{MARK}(?:: (?P<names>[\w, -]+))?(?P<end>\r?\n|)$')

# pre-commit passes the message file at commit-msg; `files` keeps all other
# files out; without `verbose` the output of a passing hook is hidden:
# warnings, and the number of findings that the baseline suppresses
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

# the repository and revision to install us from; None for a local hook
Source = tuple[str, str] | None


def _block(source: Source) -> str:
    return LOCAL if source is None else REMOTE.format(repo=source[0], rev=source[1])


def _parse(old: bytes) -> yaml.Node | None:
    try:
        return yaml.parse(old.decode())
    except (UnicodeDecodeError, Unreadable) as e:
        raise Refusal(
            f'{FILE} cannot be read: {e}', 'pre-commit validate-config'
        ) from None


def config_of(old: bytes | None) -> dict[str, Any]:
    """The parsed configuration, {} if it is not a mapping."""
    value = yaml.value(_parse(old or b''))
    return value if isinstance(value, dict) else {}


def _verify(new: str, wanted: dict[str, Any], hint: str) -> bytes:
    """The new file, if it parses as wanted; raises Refusal otherwise."""
    try:
        done = yaml.value(yaml.parse(new)) == wanted
    except Unreadable:
        done = False
    if not done:
        raise Refusal(f'{FILE} is written in a form that Interlock cannot edit', hint)
    return new.encode()


def _our_repo(config: dict[str, Any]) -> str:
    """The `repo` of the entry with a hook of ours, '' if there is none."""
    for repo in dicts(config.get('repos')):
        names = [str(hook.get('id')) for hook in dicts(repo.get('hooks'))]
        if any(name.startswith('interlock') for name in names):
            return str(repo.get('repo'))
    return ''


def _insert(lines: list[str], at: int, new: list[str]) -> list[str]:
    """Insert lines; a line above without a line end gets one."""
    newline = '\r\n' if lines and lines[0].endswith('\r\n') else '\n'
    above = lines[:at]
    if above and not above[-1].endswith(('\r', '\n')):
        above[-1] += newline
    return [*above, *(line + newline for line in new), *lines[at:]]


def _key_line(key: str, names: Iterable[str]) -> str:
    return f'{key}: [{", ".join(names)}]  {MARK}'


def _top(node: yaml.Mapping) -> int:
    """The index above the first key."""
    return min(node.lines.values(), default=1) - 1


def _with_types(lines: list[str], node: yaml.Mapping) -> list[str]:
    types = node.items.get(TYPES)
    if types is None:
        return _insert(lines, _top(node), [_key_line(TYPES, HOOK_TYPES)])
    elif not isinstance(types, yaml.Sequence):
        raise Refusal(f'{FILE}: `{TYPES}` is not a list')
    have = yaml.value(types)
    missing = [name for name in HOOK_TYPES if name not in have]
    if not missing:
        return lines
    at = node.lines[TYPES] - 1
    if '[' in lines[at] and ']' in lines[at]:
        line = _longer_list(lines[at], bool(have), missing)
        return [*lines[:at], line, *lines[at + 1 :]]
    last = types.items[-1].line if types.items else at + 1
    indent, dash, _ = lines[last - 1].partition('-')
    if not dash or indent.strip():
        raise Refusal(
            f'{FILE}:{at + 1}: `{TYPES}` is written in a form that Interlock cannot edit',
            f'add {", ".join(missing)} to it',
        )
    return _insert(lines, last, [f'{indent}- {name}  {MARK}' for name in missing])


def _longer_list(line: str, filled: bool, missing: list[str]) -> str:
    text = line.rstrip('\r\n')
    head, _, tail = text.partition(']')
    head, names = head.rstrip(), ', '.join(missing)
    comma = ' ' if head.endswith(',') else ', ' if filled else ''
    return f'{head}{comma}{names}]{tail}  {MARK}: {names}{line[len(text) :]}'


def _end_of_repos(lines: list[str], node: yaml.Mapping) -> int:
    """The list ends where the next key of the file, or its comment, starts."""
    at = node.lines['repos'] - 1
    later = [line for line in node.lines.values() if line - 1 > at]
    end = min(later) - 1 if later else len(lines)
    while not lines[end - 1].strip() or lines[end - 1].startswith('#'):
        end -= 1
    return end


def _with_repo(lines: list[str], node: yaml.Mapping, source: Source) -> list[str]:
    block = _block(source).splitlines()
    repos = node.items.get('repos')
    if repos is None:
        return _insert(lines, len(lines), ['repos:', *block])
    elif not isinstance(repos, yaml.Sequence):
        raise Refusal(f'{FILE}: `repos` is not a list')
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
            f'{FILE}: `repos` is written in a form that Interlock cannot edit',
            'write one entry per line',
        )
    indent = first[: first.index('-')]
    end = _end_of_repos(lines, node)
    return _insert(lines, end, [indent + line for line in block])


def toml(source: Source) -> str:
    """Our entry in the format of prek's own file."""
    entry = yaml.value(yaml.parse(_block(source)))[0]
    hooks = entry.pop('hooks')
    lines = [
        '# above the first table:',
        f'{TYPES} = {json.dumps(HOOK_TYPES)}',
        f'{STAGES} = {json.dumps(HookTypes().stages)}',
        '# at the end:',
    ]
    for table, values in (('repos', entry), ('repos.hooks', hooks[0])):
        lines.append(f'[[{table}]]')
        # strings, lists of strings and booleans look the same in JSON
        lines.extend(
            f'{key} = {json.dumps(value, ensure_ascii=False)}'
            for key, value in values.items()
        )
    return '\n'.join(lines)


def with_hook(
    old: bytes | None, source: Source, before: HookTypes | None = None
) -> tuple[bytes | None, str]:
    """The configuration with our entry, None if it already has it."""
    before = before or types_before(config_of(old))
    node = _parse(old or b'')
    lines = (old or b'').decode().splitlines(keepends=True)
    wanted = yaml.value(node)
    if wanted is None:
        # an empty file, or only comments
        keys = [_key_line(STAGES, before.stages), _key_line(TYPES, HOOK_TYPES)]
        block = [*keys, 'repos:', *_block(source).splitlines()]
        lines, remark, wanted = _insert(lines, len(lines), block), 'runs the checks', {}
    elif not isinstance(node, yaml.Mapping):
        raise Refusal(f'{FILE} is not a mapping')
    else:
        repo = _our_repo(wanted)
        if repo == 'local' and source is not None:
            return None, (
                'is wired as a local hook; delete that block and run this again '
                'to switch'
            )
        elif repo:
            return None, 'already has the hook; left as it is'
        # from the bottom up, because an edit shifts the lines below it
        if node.lines.get(TYPES, 0) > node.lines.get('repos', len(lines)):
            lines = _with_repo(_with_types(lines, node), node, source)
        else:
            lines = _with_types(_with_repo(lines, node, source), node)
        if STAGES not in wanted and before.added(list(HOOK_TYPES)):
            lines = _insert(lines, _top(node), [_key_line(STAGES, before.stages)])
        remark = 'with the hook added'
    have = wanted.get(TYPES, [])
    ours = yaml.value(yaml.parse(_block(source)))
    wanted[TYPES] = [*have, *(name for name in HOOK_TYPES if name not in have)]
    wanted['repos'] = [*wanted.get('repos', []), *ours]
    if before.added(list(HOOK_TYPES)):
        wanted.setdefault(STAGES, before.stages)
    return _verify(
        ''.join(lines),
        wanted,
        'add the hook by hand; interlock init --pre-commit --dry-run '
        'in an empty repository shows it',
    ), remark


def _without_repos(
    lines: list[str], node: yaml.Mapping, repos: yaml.Sequence, ours: list[bool]
) -> list[str]:
    starts = [item.line - 1 for item in repos.items]
    ends = [*starts[1:], _end_of_repos(lines, node)]
    for start, end, drop in reversed([*zip(starts, ends, ours, strict=True)]):
        if drop:
            # a comment above the next entry belongs to that entry
            while lines[end - 1].lstrip().startswith('#'):
                end -= 1
            del lines[start:end]
    if all(ours):
        at = node.lines['repos'] - 1
        lines[at] = lines[at].replace('repos:', 'repos: []', 1)
    return lines


def _without_marked(lines: list[str], wanted: dict[str, Any]) -> Iterator[str]:
    """Drop the keys and types with our mark from the lines, and from `wanted`."""
    for line in lines:
        match = MARK_RE.search(line)
        names = (match['names'] or '') if match else ''
        if match is None:
            yield line
        elif names:
            head, _, tail = line[: match.start()].partition(f'{names}]')
            yield f'{head.rstrip(" ,")}]{tail}{match["end"]}'
            _drop(wanted, names.split(', '))
        elif line.lstrip().startswith('- '):
            _drop(wanted, [line.split()[1]])
        else:
            wanted.pop(line.partition(':')[0], None)


def _drop(wanted: dict[str, Any], names: list[str]) -> None:
    wanted[TYPES] = [name for name in wanted.get(TYPES, ()) if name not in names]


def is_empty(config: bytes) -> bool:
    return config.strip() == b'repos: []'


def without_hooks(old: bytes) -> tuple[bytes | None, str]:
    """The configuration without our hooks, and a remark on what remains of ours.

    None if it has none of them; empty if it has nothing else.
    """
    node = _parse(old)
    repos = node.items.get('repos') if isinstance(node, yaml.Mapping) else None
    if not isinstance(node, yaml.Mapping) or not isinstance(repos, yaml.Sequence):
        return None, ''
    wanted = yaml.value(node)
    # for each repository, whether each of its hooks is ours
    hooks = [
        [is_ours for _, is_ours in hooks_of({'repos': [repo]})]
        for repo in wanted['repos']
    ]
    ours = [bool(each) and all(each) for each in hooks]
    left = ''
    if any(any(each) and not all(each) for each in hooks):
        left = 'a hook of Interlock among those of others is left'
    if not any(ours):
        return None, left
    pairs = zip(wanted['repos'], ours, strict=True)
    wanted['repos'] = [repo for repo, drop in pairs if not drop]
    lines = _without_repos(old.decode().splitlines(keepends=True), node, repos, ours)
    if not left:
        lines = [*_without_marked(lines, wanted)]
    new = _verify(''.join(lines), wanted, "take Interlock's hooks out of it by hand")
    return b'' if is_empty(new) else new, left
