"""Programs that only print: what they print may be run or written."""

from __future__ import annotations

import posixpath

from interlock.guard.shell.handlers import Handler
from interlock.guard.shell.options import parse
from interlock.guard.shell.placeholders import ANY, FRESH, LONGEST, SOME, is_known
from interlock.guard.shell.quoting import escapes
from interlock.guard.shell.state import State

TEMPORARY = '/tmp'  # noqa: S108


def _echo(_: State, __: str, args: list[str]) -> str:
    end, escaped = '\n', False
    while args and args[0][:1] == '-' and args[0][1:]:
        if args[0].strip('neE-') or '-' in args[0][1:]:
            break
        end = '' if 'n' in args[0] else end
        escaped = escaped or 'e' in args[0]
        args = args[1:]
    text = ' '.join(args)
    return (escapes(text) if escaped else text) + end


def _printf(state: State, _: str, args: list[str]) -> str:
    if args[:1] == ['-v'] and len(args) > 2:
        state.variables[args[1]] = formatted(args[2], args[3:])
        return ''
    if args[:1] == ['--']:
        args = args[1:]
    return formatted(args[0], args[1:]) if args else ''


def formatted(form: str, args: list[str]) -> str:
    """Only `%s`, and `%d` and others as some word."""
    form = escapes(form)
    found, rest = [], args[::-1]
    while True:
        found.append(_once(form, rest))
        if not rest or '%' not in form.replace('%%', ''):
            return ''.join(found)
        if len(found) * len(form) > LONGEST:
            return ANY


def _once(form: str, rest: list[str]) -> str:
    found, at = [], 0
    while at < len(form):
        if form[at] != '%':
            found.append(form[at])
            at += 1
            continue
        end = at + 1
        while end < len(form) and form[end] in '-+ #0123456789.*':
            end += 1
        kind = form[end : end + 1]
        found.append(
            '%' if kind == '%' else _argument(kind if end == at + 1 else '', rest)
        )
        at = end + 1
    return ''.join(found)


def _argument(kind: str, rest: list[str]) -> str:
    word = rest.pop() if rest else ''
    if kind == 'b':
        return escapes(word)
    if kind == 's' or (kind == 'd' and word.isdecimal()):
        return word
    return ANY


def _cat(state: State, _: str, args: list[str]) -> str:
    operands = parse(args).operands
    if not operands or operands == ['-']:
        return state.stdin or ''
    return ANY


def _ls(_: State, __: str, args: list[str]) -> str:
    """The names that were given, if no directory is among them."""
    found = parse(args).operands
    return ''.join(f'{word}\n' for word in found) or ANY


def _name(_: State, name: str, args: list[str]) -> str:
    found = parse(args, 's', ('--suffix',)).operands
    if not found:
        return ANY
    if name == 'basename':
        return posixpath.basename(found[0].rstrip('/')) + '\n'
    return (posixpath.dirname(found[0].rstrip('/')) or '.') + '\n'


def _real(_: State, __: str, args: list[str]) -> str:
    found = parse(args).operands
    return f'{found[-1]}\n' if found else ANY


def _which(_: State, __: str, args: list[str]) -> str:
    """Where a program is; its name is known."""
    found = parse(args).operands
    return ''.join(f'{ANY}/{posixpath.basename(word)}\n' for word in found)


def _mktemp(state: State, _: str, args: list[str]) -> str:
    """A name that nobody knows, in a directory that is known."""
    options = parse(args, 'p', ('--tmpdir', '--suffix'))
    given = options.values('-p', '--tmpdir')
    directory = ''.join(given[-1:]) or state.value('TMPDIR') or TEMPORARY
    for word in options.operands[:1]:
        name = word.rstrip('X') + FRESH
        return f'{directory}/{name}\n' if given else f'{name}\n'
    return f'{directory}/{FRESH}\n'


def _date(_: State, __: str, args: list[str]) -> str:
    """A format may hold any text, and then it may be a name that is known."""
    form = ''.join(word[1:] for word in args if word.startswith('+'))
    first, *rest = form.split('%')
    texts = [first, *(part.lstrip('-_0^')[1:] for part in rest)]
    plain = not any(text.strip('-_:.TZ ') for text in texts)
    return FRESH if plain and (rest or not form) else SOME


def _fresh(_: State, __: str, ___: list[str]) -> str:
    return FRESH


def _some(_: State, __: str, ___: list[str]) -> str:
    return SOME


def passed_on(state: State, _: str, __: list[str]) -> str:
    """Its lines are lines of its input, all or some of them."""
    fed = state.stdin or ANY
    return fed if not is_known(fed) or '\n' not in fed[:-1] else ANY


PROGRAMS: dict[str, Handler] = {
    'echo': _echo,
    'printf': _printf,
    'cat': _cat,
    'ls': _ls,
    'basename': _name,
    'dirname': _name,
    'realpath': _real,
    'readlink': _real,
    'which': _which,
    'mktemp': _mktemp,
    'date': _date,
    'uuidgen': _fresh,
    **dict.fromkeys(
        (
            'whoami',
            'id',
            'hostname',
            'uname',
            'nproc',
            'wc',
            'seq',
            'md5sum',
            'sha256sum',
            'sha1sum',
            'arch',
            'tput',
            'expr',
        ),
        _some,
    ),
    **dict.fromkeys(('head', 'tail', 'tac'), passed_on),
}
