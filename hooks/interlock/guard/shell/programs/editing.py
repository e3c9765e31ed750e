"""Programs that change a file in place, or write the one they are told."""

from __future__ import annotations

import re

from interlock.guard.shell.effects import Kept, Patches
from interlock.guard.shell.options import Options, parse
from interlock.guard.shell.path_patterns import resolve
from interlock.guard.shell.programs.table import Handler
from interlock.guard.shell.state import Shell
from interlock.guard.shell.walk import content
from interlock.guard.shell.words import ANY, is_plain

# `w file`, and `s/a/b/w file`: the name goes on to the end
SED_ADDRESS = r'(?:[\d,$!{ ]|/[^/]*/)*'
SED_WRITE = re.compile(
    SED_ADDRESS + r'(?:[wW]|s(\W)(?:(?:\\.|(?!\1)[^\\])*\1){2}[gpIime\d]*w) +(.+)$'
)
AWK_TARGET = re.compile(r'print[^;{}\n|]*>\s*\(?\s*([A-Za-z_]\w*)')
# the orders with which an editor only ends
QUITTING = frozenset('q q! qa qa! quit qall'.split())


def _tee(shell: Shell, _: str, args: list[str]) -> str:
    options = parse(args)
    fed = shell.stdin or ''
    how = '>>' if options.has('-a --append') else 'tee'
    for word in options.operands:
        shell.writes(word, how, content(fed))
    return fed


def _dd(shell: Shell, name: str, args: list[str]) -> str:
    shell.each_writes([word[3:] for word in args if word.startswith('of=')], name)
    return ''


def _shred(shell: Shell, name: str, args: list[str]) -> str:
    options = parse(args, 'ns --iterations --size', 'u')
    act = shell.removes if options.has('-u --remove') else shell.writes
    for word in options.operands:
        act(word, name)
    return ''


def _touch(shell: Shell, name: str, args: list[str]) -> str:
    options = parse(args, 'drt --date --reference --time')
    creates = not options.has('-c --no-create')
    shell.each_writes(options.operands, name, origin=Kept(creates))
    return ''


def _chmod(shell: Shell, name: str, args: list[str]) -> str:
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
    shell.each_writes(words if named else words[1:], name, recursive, Kept())
    return ''


def _sed(shell: Shell, _: str, args: list[str]) -> str:
    options = parse(args, 'efl --expression --file --line-length', 'i')
    files = options.operands
    scripts = options.values('-e --expression') or files[:1]
    for line in '\n'.join(scripts).replace(';', '\n').split('\n'):
        found = SED_WRITE.match(line.strip())
        if found:
            shell.writes(found[2].rstrip('} '), 'sed w')
    if not options.has('-i -I --in-place'):
        return ANY
    if files[:1] == ['']:
        # the suffix as BSD wants it
        files = files[1:]
    if not options.has('-e -f --expression --file'):
        files = files[1:]
    shell.each_writes(files, 'sed -i')
    return ''


def _awk(shell: Shell, _: str, args: list[str]) -> str:
    options = parse(args, 'fFvieEl --file --assign --include --source')
    files = options.operands
    codes = options.values('-e --source')
    for code in codes or files[: not options.has('-f --file')]:
        _awk_code(shell, code, options)
    if 'inplace' in options.values('-i --include'):
        given = options.has('-f -e -E --file --source')
        shell.each_writes(files if given else files[1:], 'awk -i inplace')
    return ANY


def _awk_code(shell: Shell, code: str, options: Options) -> None:
    """`system("x")`, `| "x"`, `print > "file"`, and `print > name`."""
    for mark in ('system(', '|', '>'):
        for part in code.split(mark)[1:]:
            before, quote, text = part.partition('"')
            text = text.partition('"')[0]
            is_text = quote and not before.strip()
            if is_text and mark == '>':
                shell.writes(text, 'awk')
            elif is_text:
                shell.child().text(text)
            elif mark == 'system(':
                shell.unknown('`awk` runs what its input says')
    given = dict(word.partition('=')[::2] for word in options.values('-v --assign'))
    for name in AWK_TARGET.findall(code):
        if name == 'FILENAME':
            shell.each_writes(options.operands, 'awk')
        elif name in given:
            shell.writes(given[name], 'awk')


def _patch(shell: Shell, name: str, args: list[str]) -> str:
    options = parse(args, 'pioBdDFgrVYz --strip --input --output --directory --fuzz')
    if options.has('--dry-run --help --version'):
        return ''
    for word in options.values('-d --directory'):
        shell = shell.in_directory(word)
    outputs = options.values('-o --output') or options.operands[:1]
    shell.each_writes(outputs, name)
    if not outputs:
        patched(shell, name, options.values('-i --input'), '-p --strip', options)
    return ''


def patched(
    shell: Shell, name: str, files: list[str], strip: str, options: Options
) -> None:
    """A patch that the line holds, or a file that has a name."""
    given = options.last(strip) or ('1' if name.startswith('git') else '')
    leaves = int(given) if given.isdecimal() else -1
    reverse = options.has('-R --reverse')
    if not files and shell.stdin_file:
        files = [shell.stdin_file]
    for word in files:
        found = resolve(shell.cwd, word)
        if found is None or found.glob:
            shell.unknown(f'`{name}` changes the files that a patch names')
        else:
            shell.add(Patches(name, shell.directory, None, found.path, leaves, reverse))
    text = shell.stdin or ANY
    if not files and not is_plain(text):
        shell.unknown(f'`{name}` changes the files that a patch names')
    elif not files:
        shell.add(Patches(name, shell.directory, text, '', leaves, reverse))


def _editor(shell: Shell, name: str, args: list[str]) -> str:
    options = parse(args, 'cSuTtwW --cmd')
    orders = [word for word in options.operands if word[:1] == '+']
    given = [*options.values('-c --cmd'), *orders]
    for text in given:
        _, mark, command = text.partition('!')
        if mark and text.lstrip(':+ ')[:1] == '!':
            shell.child().text(command)
    if options.has('-R') and all(text.strip(':+ ') in QUITTING for text in given):
        return ''
    shell.each_writes([word for word in options.operands if word[:1] != '+'], name)
    return ''


PROGRAMS: dict[str, Handler] = {
    'tee': _tee,
    'dd': _dd,
    'shred': _shred,
    'touch': _touch,
    **dict.fromkeys('chmod chown chgrp chattr setfacl'.split(), _chmod),
    **dict.fromkeys('sed gsed'.split(), _sed),
    **dict.fromkeys('awk gawk mawk nawk'.split(), _awk),
    'patch': _patch,
    **dict.fromkeys('ed ex vi vim nvim'.split(), _editor),
}
