"""Programs that change a file in place, or write the one they are told."""

from __future__ import annotations

import posixpath
import re

from interlock.guard.shell.effects import Kept, Patches
from interlock.guard.shell.handlers import Handler
from interlock.guard.shell.options import Options, parse
from interlock.guard.shell.path_patterns import place
from interlock.guard.shell.placeholders import ANY, is_plain
from interlock.guard.shell.programs.printing import passed_on
from interlock.guard.shell.redirect import content
from interlock.guard.shell.state import State

# `w file`, and `s/a/b/w file`: the name goes on to the end
SED_ADDRESS = r'(?:[\d,$!{ ]|/[^/]*/)*'
SED_WRITE = re.compile(SED_ADDRESS + r'[wW] +(?P<file>.+)$')
SED_REPLACE = re.compile(
    SED_ADDRESS + r's(\W)(?:(?:\\.|(?!\1)[^\\])*\1){2}[gpIime\d]*w +'
    r'(?P<file>.+)$'
)

AWK_TARGET = re.compile(r'print[^;{}\n|]*>\s*\(?\s*([A-Za-z_]\w*)')
# the orders with which an editor only ends
QUITTING = ('q', 'q!', 'qa', 'qa!', 'quit', 'qall')


def _tee(state: State, _: str, args: list[str]) -> str:
    options = parse(args)
    fed = state.stdin or ''
    added = options.has('-a', '--append')
    for word in options.operands:
        state.writes(word, '>>' if added else 'tee', content(fed))
    return fed


def _sponge(state: State, name: str, args: list[str]) -> str:
    state.each_writes(parse(args).operands, name)
    return ''


def _sed_line(state: State, line: str) -> None:
    for form in (SED_WRITE, SED_REPLACE):
        found = form.match(line)
        if found:
            state.writes(found.group('file').rstrip('} '), 'sed w')


def _sed(state: State, _: str, args: list[str]) -> str:
    options = parse(args, 'efl', ('--expression', '--file', '--line-length'), 'i')
    scripts = options.values('-e', '--expression') or options.operands[:1]
    for line in '\n'.join(scripts).replace(';', '\n').split('\n'):
        _sed_line(state, line.strip())
    if not options.has('-i', '--in-place') and not options.has('-I'):
        return ANY
    files = list(options.operands)
    if files[:1] == ['']:
        # the suffix as BSD wants it
        files = files[1:]
    given = options.has('-e', '-f', '--expression', '--file')
    state.each_writes(files if given else files[1:], 'sed -i')
    return ''


def _in_quotes(text: str) -> str:
    return text.lstrip().partition('"')[2].partition('"')[0]


def _awk_names(state: State, code: str, options: Options) -> None:
    """`print > FILENAME`, and a name that -v gives a value."""
    given = dict(word.partition('=')[::2] for word in options.values('-v', '--assign'))
    for name in AWK_TARGET.findall(code):
        if name == 'FILENAME':
            state.each_writes(options.operands, 'awk')
        elif name in given:
            state.writes(given[name], 'awk')


def _awk_code(state: State, code: str) -> None:
    """`system("x")`, `| "x"`, and `print > "file"`."""
    for mark in ('system(', '|'):
        for part in code.split(mark)[1:]:
            if part.lstrip()[:1] == '"':
                state.child().text(_in_quotes(part))
            elif mark == 'system(':
                state.unknown('`awk` runs what its input says')
    for part in code.split('>')[1:]:
        if part.lstrip()[:1] == '"':
            state.writes(_in_quotes(part), 'awk')


def _awk(state: State, _: str, args: list[str]) -> str:
    options = parse(args, 'fFvieEl', ('--file', '--assign', '--include', '--source'))
    codes = options.values('-e', '--source')
    for code in codes or options.operands[: not options.has('-f', '--file')]:
        _awk_code(state, code)
        _awk_names(state, code, options)
    if 'inplace' in options.values('-i', '--include'):
        given = options.has('-f', '-e', '-E', '--file', '--source')
        files = options.operands
        state.each_writes(files if given else files[1:], 'awk -i inplace')
    return ANY


def _dd(state: State, name: str, args: list[str]) -> str:
    for word in args:
        if word.startswith('of='):
            state.writes(word.removeprefix('of='), name)
    return ''


def _truncate(state: State, name: str, args: list[str]) -> str:
    longs = ('--size', '--reference')
    state.each_writes(parse(args, 'sr', longs).operands, name)
    return ''


def _touch(state: State, name: str, args: list[str]) -> str:
    longs = ('--date', '--reference', '--time')
    options = parse(args, 'drt', longs)
    creates = not options.has('-c', '--no-create')
    state.each_writes(options.operands, name, origin=Kept(creates))
    return ''


def _mode(state: State, name: str, args: list[str]) -> str:
    """chmod -x is a mode, chmod -R is an option."""
    words = [
        word
        for word in args
        if word[:2] != '--' and (word[:1] != '-' or word.strip('-Rcfvh'))
    ]
    named = any(word.startswith('--ref') for word in args)
    recursive = any(
        word == '--recursive' or 'R' in word for word in args if word[:1] == '-'
    )
    state.each_writes(words if named else words[1:], name, recursive, Kept())
    return ''


def _sort(state: State, name: str, args: list[str]) -> str:
    options = parse(args, 'okStT', ('--output', '--key', '--field-separator'))
    state.each_writes(options.values('-o', '--output'), f'{name} -o')
    return passed_on(state, name, args)


def _patch(state: State, name: str, args: list[str]) -> str:
    options = parse(
        args,
        'pioBdDFgrVYz',
        ('--strip', '--input', '--output', '--directory', '--fuzz'),
    )
    if options.has('--dry-run', '--help', '--version'):
        return ''
    for word in options.values('-d', '--directory'):
        state = state.in_directory(word)
    outputs = options.values('-o', '--output') or options.operands[:1]
    if outputs:
        state.each_writes(outputs, name)
        return ''
    inputs = [*options.values('-i', '--input'), *options.operands[1:2]]
    strip = ''.join(options.values('-p', '--strip')[-1:])
    patched(state, name, inputs, strip, options.has('-R', '--reverse'))
    return ''


def patched(
    state: State, name: str, files: list[str], strip: str, reverse: bool
) -> None:
    """A patch that stands in the line, or in a file that has a name."""
    leaves = int(strip) if strip.isdecimal() else -1
    fed = [state.stdin_file] if state.stdin_file else []
    for word in files or fed:
        found = place(state.cwd, word)
        if found is None or found.glob:
            state.unknown(f'`{name}` changes the files that a patch names')
        else:
            state.add(Patches(name, state.directory, None, found.path, leaves, reverse))
    if not files and not fed:
        text = state.stdin or ANY
        if not is_plain(text):
            state.unknown(f'`{name}` changes the files that a patch names')
        else:
            state.add(Patches(name, state.directory, text, '', leaves, reverse))


def _curl(state: State, name: str, args: list[str]) -> str:
    options = parse(
        args,
        'AbcdeEFHKmMoPQrtTuUwxXyYzC',
        (
            '--output',
            '--header',
            '--data',
            '--request',
            '--user',
            '--output-dir',
            '--retry',
            '--max-time',
        ),
    )
    for word in options.values('--output-dir'):
        state = state.in_directory(word)
    files = [word for word in options.values('-o', '--output') if word != '-']
    if options.has('-O', '--remote-name'):
        files.extend(_remote(options.operands))
    state.each_writes(files, name)
    return ANY


def _remote(addresses: list[str]) -> list[str]:
    names = [posixpath.basename(word.partition('?')[0]) for word in addresses]
    return [name for name in names if name]


def _wget(state: State, name: str, args: list[str]) -> str:
    options = parse(
        args,
        'OPoaietTwQUl',
        ('--output-document', '--directory-prefix', '--output-file'),
    )
    for word in options.values('-P', '--directory-prefix'):
        state = state.in_directory(word)
    files = options.values('-O', '--output-document')
    if not files and not options.has('-r', '--recursive', '--spider'):
        files = _remote(options.operands)
    state.each_writes([word for word in files if word != '-'], name)
    return ANY


def _editor(state: State, name: str, args: list[str]) -> str:
    options = parse(args, 'cSuTtwW', ('--cmd',))
    files = options.operands
    orders = [word for word in files if word[:1] == '+']
    given = [*options.values('-c', '--cmd'), *orders]
    for text in given:
        _, mark, command = text.partition('!')
        if mark and text.lstrip(':+ ')[:1] == '!':
            state.child().text(command)
    if options.has('-R') and all(text.strip(':+ ') in QUITTING for text in given):
        return ''
    state.each_writes([word for word in files if word[:1] != '+'], name)
    return ''


def _yq(state: State, name: str, args: list[str]) -> str:
    options = parse(args)
    if options.has('-i', '--inplace', '--in-place'):
        state.each_writes(options.operands[-1:], name)
    return ANY


PROGRAMS: dict[str, Handler] = {
    'tee': _tee,
    'sponge': _sponge,
    'sed': _sed,
    'gsed': _sed,
    **dict.fromkeys(('awk', 'gawk', 'mawk', 'nawk'), _awk),
    'dd': _dd,
    'truncate': _truncate,
    'touch': _touch,
    **dict.fromkeys(('chmod', 'chown', 'chgrp', 'chattr', 'setfacl'), _mode),
    'sort': _sort,
    'patch': _patch,
    'curl': _curl,
    'wget': _wget,
    **dict.fromkeys(('ed', 'ex', 'vi', 'vim', 'nvim'), _editor),
    'yq': _yq,
}
