"""Programs that print: other commands may run their output, or use it as file names."""

from __future__ import annotations

import posixpath
from itertools import pairwise

from interlock.guard.shell.hook_skipping import judge_assigned
from interlock.guard.shell.options import Options
from interlock.guard.shell.state import Shell
from interlock.guard.shell.words import ANY, FRESH, LONGEST, SOME, active, escapes
from interlock.model import quick_re as re

TEMPORARY = '/tmp'  # noqa: S108
CONVERSION = re.compile(r'%([-+ #0-9.*]*)(.?)', re.DOTALL)


def echo(_: Shell, __: str, options: Options) -> str:
    args, end, escaped = options.args, '\n', False
    while args and re.fullmatch('-[neE]+', args[0]):
        end = '' if 'n' in args[0] else end
        escaped = escaped or 'e' in args[0]
        args = args[1:]
    text = ' '.join(args)
    return (escapes(text) if escaped else text) + end


def printf(shell: Shell, _: str, options: Options) -> str:
    args, name = options.args, ''
    if args[:1] == ['-v'] and len(args) > 2:
        name, args = args[1], args[2:]
    if args[:1] == ['--']:
        args = args[1:]
    text = _formatted(args[0], args[1:]) if args else ''
    if not name:
        return text
    shell.variables[name] = text
    judge_assigned(shell, name, 'printf -v', text)
    return ''


def _formatted(form: str, args: list[str]) -> str:
    """Apply a printf format, again and again until all words are used."""
    form = escapes(form)
    rest = args[::-1]

    def converted(found: re.Match[str]) -> str:
        if found[2] == '%':
            return '%'
        word = rest.pop() if rest else ''
        kind = '' if found[1] else found[2]
        if kind == 'b':
            return escapes(word)
        return word if kind == 's' or (kind == 'd' and word.isdecimal()) else ANY

    found = []
    while True:
        found.append(CONVERSION.sub(converted, form))
        if not rest or '%' not in form.replace('%%', ''):
            return ''.join(found)
        if len(found) * len(form) > LONGEST:
            return ANY


def cat(shell: Shell, _: str, options: Options) -> str:
    return shell.stdin or '' if options.operands in ([], ['-']) else ANY


def names(_: Shell, name: str, options: Options) -> str:
    """Programs that print the names they are given, or parts of them."""
    found = options.operands
    if name in ('which', 'type'):
        found = [f'{ANY}/{posixpath.basename(word)}' for word in found]
        return ''.join(f'{word}\n' for word in found)
    if name == 'basename':
        found = [posixpath.basename(word.rstrip('/')) for word in found[:1]]
    elif name == 'dirname':
        found = [posixpath.dirname(word.rstrip('/')) or '.' for word in found[:1]]
    elif name != 'ls':
        found = found[-1:]
    return ''.join(f'{word}\n' for word in found) or ANY


def mktemp(shell: Shell, _: str, options: Options) -> str:
    """Print an unknown name in a known directory."""
    given = options.values('-p --tmpdir')
    directory = ''.join(given[-1:]) or shell.value('TMPDIR') or TEMPORARY
    for word in options.operands[:1]:
        name = word.rstrip('X') + FRESH
        return f'{directory}/{name}\n' if given else f'{name}\n'
    return f'{directory}/{FRESH}\n'


def date(_: Shell, __: str, options: Options) -> str:
    """Print a date; a format may contain any text, even a known name."""
    form = ''.join(word[1:] for word in options.args if word.startswith('+'))
    first, *rest = form.split('%')
    texts = [first, *(part.lstrip('-_0^')[1:] for part in rest)]
    plain = not any(text.strip('-_:.TZ ') for text in texts)
    return FRESH if plain and (rest or not form) else SOME


def find(shell: Shell, name: str, options: Options) -> str:
    args = options.args
    names = [
        f'{start.rstrip("/") or "/"}/{ANY}/{pattern}'
        for start in _starts(args)
        for pattern in _patterns(args) or [ANY]
    ]
    # `find -delete` only deletes directories that are empty
    if '-delete' in args and ('-type', 'd') not in pairwise(args):
        for word in names:
            shell.removes(word, f'{name} -delete')
    for flag in ('-fprint', '-fls', '-fprintf', '-fprint0'):
        if flag in args[:-1]:
            shell.writes(args[args.index(flag) + 1], f'{name} {flag}')
    for words in _commands(args):
        for item in names:
            shell.repeated().run([word.replace('{}', item) for word in words])
    return '\n'.join(names)


def _starts(args: list[str]) -> list[str]:
    found = []
    for word in args:
        if word in ('-H', '-L', '-P'):
            continue
        if word[:1] in ('-', '(', '!'):
            break
        found.append(word)
    return found or ['.']


def _patterns(args: list[str]) -> list[str]:
    """The names that `find` looks for, without the excluded ones."""
    found = []
    for before, word, after in zip(['', *args], args, args[1:], strict=False):
        if before in ('!', '-not'):
            continue
        if word in ('-name', '-iname'):
            found.append(active(after))
        elif word in ('-path', '-ipath', '-wholename', '-iwholename'):
            found.append(after.rpartition('/')[2].replace('*', ANY))
    return found


def _commands(args: list[str]) -> list[list[str]]:
    found, at = [], 0
    while at < len(args):
        if args[at] in ('-exec', '-execdir', '-ok', '-okdir'):
            start = at = at + 1
            while at < len(args) and args[at] not in (';', '+'):
                at += 1
            found.append(args[start:at])
        at += 1
    return found


def fd(shell: Shell, _: str, options: Options) -> str:
    args = options.args
    for flag in ('-x', '-X', '--exec', '--exec-batch'):
        if flag in args:
            words = args[args.index(flag) + 1 :]
            line = [ANY if '{' in word else word for word in words]
            shell.repeated().run(line if line != words else [*words, ANY])
    return ANY


def grep(shell: Shell, name: str, options: Options) -> str:
    """With -l it prints names: those that it was given, or files below them."""
    given = options.has('-e -f --regexp --file')
    files = options.operands if given else options.operands[1:]
    for word in options.values('--pre'):
        shell.child().run([word, *files])
    if not options.has('-l --files-with-matches -L'):
        return ANY
    if name == 'rg' or options.has('-r -R --recursive --dereference-recursive'):
        wanted = [active(each) for each in options.values('--include')]
        below = [
            f'{file.rstrip("/")}/{ANY}/{pattern}'
            for file in files or ['.']
            for pattern in wanted or [ANY]
        ]
        files = [*files, *below]
    return '\n'.join(files) or ANY
