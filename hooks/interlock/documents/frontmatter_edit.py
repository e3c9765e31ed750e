"""Changes to single fields of frontmatter; every other byte stays."""

from __future__ import annotations

from interlock.documents import frontmatter, yaml
from interlock.documents.markdown import whole_lines
from interlock.model import quick_re as re
from interlock.model.errors import Unreadable
from interlock.model.quick_typing import Sequence

Key = tuple[str, ...]

# line ends that only YAML knows
OTHER_ENDS_RE = re.compile('\r(?!\n)|[\x85\u2028\u2029]')
# the pattern below takes quadratic time
MAX_LINE = 2000

# key, separator, value, and the comment after it
LINE_RE = re.compile(
    r"""([ \t]*(?:"[^"]*"|'[^']*'|[^\s#:'"][^:]*?)[ \t]*:)([ \t]*)"""
    r"""("(?:[^"\\]|\\.)*"|'[^']*'|[^\s#](?:[^#\r\n]|(?<=\S)#)*?)?"""
    r"""([ \t]+\#[^\r\n]*)?([ \t]*\r?\n?)"""
)


def scalar(text: str) -> str:
    """A value as YAML that reads back as exactly this text."""
    if '\n' in text or '\r' in text:
        raise Unreadable('cannot hold a value of several lines')
    for form in (text, "'" + text.replace("'", "''") + "'"):
        try:
            node = yaml.parse(f'key: {form}\n')
        except Unreadable:
            continue
        value = node.items.get('key') if isinstance(node, yaml.Mapping) else None
        if isinstance(value, yaml.Scalar) and value.text == text:
            return form
    raise Unreadable(f'cannot hold the value {text!r}')


def _find(fields: yaml.Mapping, key: Key) -> tuple[yaml.Node, int] | None:
    """The value of a key, and the line of the key."""
    node: yaml.Node = fields
    line = 1
    for part in key:
        if not isinstance(node, yaml.Mapping) or part not in node.items:
            return None
        line, node = node.lines[part], node.items[part]
    return node, line


def _replaced(line: str, value: str) -> str:
    match = LINE_RE.fullmatch(line) if len(line) <= MAX_LINE else None
    if match is None:
        raise Unreadable('has a field in a form that Interlock cannot edit')
    name, space, _, comment, end = match.groups()
    return f'{name}{space or " "}{value}{comment or ""}{end}'


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _filled(lines: list[str], line: int, name: str, value: str) -> list[str]:
    """The lines with a first field below a key that has no value."""
    match = LINE_RE.fullmatch(_replaced(lines[line - 1], 'null'))
    assert match is not None, 'it has just been matched'
    key, _, _, comment, end = match.groups()
    new = [f'{key}{comment or ""}{end}', f'{_indent(key)}  {name}: {value}{end}']
    return [*lines[: line - 1], *new, *lines[line:]]


def _last_line(node: yaml.Node, line: int) -> int:
    """The last line of a value that starts below its key."""
    if isinstance(node, yaml.Scalar):
        return max(line, node.line)
    elif isinstance(node, yaml.Mapping):
        ends = [_last_line(item, node.lines[key]) for key, item in node.items.items()]
    else:
        ends = [_last_line(item, item.line) for item in node.items]
    return max([line, *ends])


def _inserted(
    lines: list[str], fields: yaml.Mapping, key: Key, value: str, after: str
) -> list[str]:
    """The lines with a new field, after `after` or at the end."""
    newline = '\r\n' if lines[0].endswith('\r\n') else '\n'
    *parents, name = key
    node, line = _find(fields, tuple(parents)) or (fields, 0)
    new = [f'{name}: {value}{newline}']
    if not line and len(parents) > 1:
        raise Unreadable(f'has no `{".".join(parents)}`')
    elif not line:
        new = [f'{parents[0]}:{newline}', f'  {new[0]}']
    elif parents and isinstance(node, yaml.Mapping) and node.items:
        new = [_indent(lines[min(node.lines.values()) - 1]) + new[0]]
    elif isinstance(node, yaml.Scalar) and node.kind == 'null':
        return _filled(lines, line, name, value)
    elif parents:
        raise Unreadable(f'has a `{parents[-1]}` that Interlock cannot edit')
    assert isinstance(node, yaml.Mapping)
    if after in node.items:
        at = _last_line(node.items[after], node.lines[after])
    else:
        at = _last_line(node, max(line, 1))
    return [*lines[:at], *new, *lines[at:]]


def _changed(value: object, key: Key, text: str | None) -> object:
    """The fields as they must be once one of them is changed or removed."""
    fields = dict(value) if isinstance(value, dict) else {}
    first, *rest = key
    if rest:
        fields[first] = _changed(fields.get(first), tuple(rest), text)
    elif text is None:
        del fields[first]
        # a mapping without its last key has no value
        return fields or None
    else:
        # parsed after a key: `...` alone would end a document
        fields[first] = yaml.value(yaml.parse(f'key: {text}\n'))['key']
    return fields


def _checked(
    result: str, front: frontmatter.Frontmatter, fields: object, key: Key
) -> str:
    """The result, if it reads as expected.

    This refuses forms that the lines do not show (anchors, folded values).
    """
    try:
        again = frontmatter.parse(result)
    except Unreadable:
        again = None
    if (
        again is None
        or again.body != front.body
        or (yaml.value(again.fields) != fields)
    ):
        raise Unreadable(f'has a `{key[-1]}` in a form that Interlock cannot edit')
    return result


def _lines(text: str, front: frontmatter.Frontmatter) -> list[str]:
    lines = whole_lines(text)
    if OTHER_ENDS_RE.search(''.join(lines[: front.body_line])):
        raise Unreadable('has line endings that Interlock cannot edit')
    return lines


def set_field(text: str, key: Key, value: str, after: str = '') -> str:
    """The text with one field changed or added; `value` is YAML."""
    front = frontmatter.parse(text)
    if front is None:
        raise Unreadable('has no frontmatter')
    lines = _lines(text, front)
    found = _find(front.fields, key)
    if found is None:
        new = _inserted(lines, front.fields, key, value, after)
    else:
        node, line = found
        if not isinstance(node, yaml.Scalar):
            raise Unreadable(f'has a `{key[-1]}` that is not a single value')
        new = [*lines]
        new[line - 1] = _replaced(lines[line - 1], value)
    expected = _changed(yaml.value(front.fields), key, value)
    return _checked(''.join(new), front, expected, key)


def set_scalars(text: str, changes: Sequence[tuple[str, ...]]) -> str:
    """The text with some fields set: key, value, and the field before a new one."""
    for key, value, *after in changes:
        text = set_field(text, (key,), scalar(value), *after)
    return text


def remove(text: str, key: Key) -> str:
    """The text without one of its fields."""
    front = frontmatter.parse(text)
    found = _find(front.fields, key) if front else None
    if found is None or front is None:
        return text
    lines = _lines(text, front)
    node, line = found
    del lines[line - 1 : _last_line(node, line)]
    expected = _changed(yaml.value(front.fields), key, None) or {}
    return _checked(''.join(lines), front, expected, key)
