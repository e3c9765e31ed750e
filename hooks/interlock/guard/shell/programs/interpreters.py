"""Programs that run code: shells, other languages, xargs and parallel."""

from __future__ import annotations

import posixpath
from itertools import pairwise

from interlock.guard.shell.hook_skipping import evasion_in, judge_skipping_options
from interlock.guard.shell.options import Options, parse
from interlock.guard.shell.state import Shell
from interlock.guard.shell.words import ANY, SOME, clean, is_known
from interlock.model import clients
from interlock.model import quick_re as re

SHELLS = (
    'sh bash zsh dash ksh mksh ash fish rbash csh tcsh elvish nu xonsh pwsh '
    'powershell'.split()
)
# interpreters -> the options whose value is code
CODE = {
    **dict.fromkeys('python pypy ipython'.split(), '-c'),
    **dict.fromkeys('node nodejs'.split(), '-e --eval -p --print'),
    **dict.fromkeys('tsx ts-node'.split(), '-e --eval'),
    **dict.fromkeys('ruby lua osascript Rscript julia elixir groovy'.split(), '-e'),
    **dict.fromkeys('deno tclsh'.split(), ''),
    'perl': '-e -E',
    'php': '-r',
}
# names that start another program, in most of these languages
STARTING = ('system', 'exec', 'spawn', 'subprocess', 'popen')
QUOTED = re.compile(r"""['"`]([^'"`\n]+)['"`]""")
# a longer list is treated as one unknown item
ITEMS = 60


def family(program: str) -> str:
    """The interpreter without its version: `python3.12` is python."""
    bare = program.rstrip('0123456789.')
    return bare if bare in CODE else program


def is_interpreter(program: str) -> bool:
    return family(program) in CODE


def run_shell(shell: Shell, name: str, options: Options) -> str:
    args = options.args
    plain = [word for word in args if word[:1] != '+']
    options = parse(plain, 'oO --rcfile --init-file --command', first=True)
    inner = shell.child()
    inner.functions, inner.aliases = {}, {}
    if name in ('pwsh', 'powershell'):
        # each of its options may be abbreviated
        text = ' '.join(word for word in args if word[:1] != '-')
        return inner.text(text) if len(args) > 1 else ANY
    operands = options.operands
    for word in options.values('--rcfile --init-file'):
        inner.script(word)
    if options.has('-c --command'):
        texts = [word for word in options.values('--command') if word]
        return _text(inner, [*texts, *operands])
    if options.has('-n'):
        # -n only checks the syntax
        return ''
    if operands and operands[0] != '-' and not options.has('-s'):
        return _script(inner, name, operands)
    inner.arrays['@'] = operands
    return _stream(inner, name)


def _text(shell: Shell, words: list[str]) -> str:
    shell.arrays['@'] = words[2:]
    return shell.text(words[0]) if words else ''


def _script(shell: Shell, name: str, operands: list[str]) -> str:
    if operands[0] == '/dev/stdin':
        return _stream(shell, name)
    if ANY in operands[0]:
        shell.unknown(f'`{name}` runs a script that the command does not name')
    shell.arrays['@'] = operands[1:]
    if not shell.script(operands[0]):
        judge_skipping_options(shell, posixpath.basename(operands[0]), operands[1:])
    return ANY


def _stream(shell: Shell, name: str) -> str:
    fed = shell.stdin
    if fed is None or fed == SOME:
        # a terminal, or a file, which is read like any script
        if fed and shell.stdin_file:
            shell.script(shell.stdin_file)
        return ANY
    shell.stdin = None
    if fed.strip() == ANY:
        shell.unknown(f'`{name}` runs what another command prints')
        return ANY
    return shell.text(fed)


def xargs(shell: Shell, _: str, options: Options) -> str:
    words = options.operands
    items = _items(shell, options)
    marks = options.values('-I --replace -i')
    inner = shell.repeated()
    inner.stdin = None
    if not marks:
        return inner.run([*words, *items]) if words else ' '.join(items)
    for item in items:
        inner.run([word.replace(marks[-1] or '{}', item) for word in words])
    return ANY


def _items(shell: Shell, options: Options) -> list[str]:
    fed = shell.stdin
    if fed is None or fed == SOME or options.has('-a --arg-file'):
        return [ANY]
    if options.has('-I -i -0 --null -d --delimiter'):
        found = [line for line in fed.replace('\0', '\n').split('\n') if line]
    else:
        found = fed.split()
    return found if len(found) <= ITEMS else [ANY]


def parallel(shell: Shell, _: str, options: Options) -> str:
    words, items = options.operands, [ANY]
    if ':::' in words:
        at = words.index(':::')
        words, items = words[:at], words[at + 1 :]
    elif shell.stdin is not None and is_known(shell.stdin):
        items = shell.stdin.split('\n')[:ITEMS]
    text = ' '.join(words) or '{}'
    text = text if '{' in text else f'{text} {{}}'
    for item in items:
        shell.repeated().text(text.replace('{}', item))
    return ANY


def _code(args: list[str], flags: list[str]) -> list[str]:
    """The values of `-e`, also of `-ne` and `-pie`."""
    return [
        after
        for word, after in pairwise(args)
        if word in flags
        or (
            '-e' in flags
            and word[:1] == '-'
            and word[1:].isalpha()
            and word[-1] in 'eE'
        )
    ]


def _client(script: str) -> str:
    """The program of the client that a script is; '' if it is not one."""
    for package, _ in clients.PACKAGES:
        if f'/{package}/' in script:
            return package.rpartition('/')[2]
    name = posixpath.basename(script).partition('.')[0]
    known = '/' in script and any(name == program for program, *_ in clients.PROGRAMS)
    return name if known else ''


def interpreter(shell: Shell, name: str, options: Options) -> str:
    args = options.args
    code = _code(args, CODE[family(name)].split())
    operands = [word for word in args if word[:1] != '-' or word == '-']
    if client := _client(''.join(operands[:1])):
        return shell.run([client, *args[args.index(operands[0]) + 1 :]])
    if name == 'deno' and operands[:1] == ['eval']:
        code = operands[1:]
    fed = shell.stdin
    if not code and operands[:1] in ([], ['-']) and '-m' not in args:
        if fed == SOME and shell.stdin_file:
            code = _stored_code(shell, [shell.stdin_file])
            for text in code:
                shell.runs(name, [text])
        elif fed is not None and fed not in (ANY, SOME):
            code = [fed]
            shell.runs(name, [*args, fed])
        elif fed == ANY:
            shell.unknown(f'`{name}` runs what another command prints')
    elif not code:
        # a script that the command line itself writes before it runs it
        code = [text for text in map(shell.written_text, operands) if text is not None]
        code = code or _stored_code(shell, operands)
        for text in code:
            shell.runs(name, [text])
    for found in filter(None, map(evasion_in, code)):
        shell.unknown(f'the code for `{name}` names {found}')
    for text in code:
        _started_by(shell, text)
    return ANY


def _started_by(shell: Shell, code: str) -> None:
    """Read the scripts that code names and may start."""
    if any(word in code for word in STARTING):
        words = {word for text in QUOTED.findall(code) for word in text.split()}
        for word in sorted(words):
            if '/' in word or '.' in word:
                shell.child().script(word)


def _stored_code(shell: Shell, operands: list[str]) -> list[str]:
    """The text of a script on the disk, unless it is committed. Words before it are
    values of options, and words after it are its arguments."""
    for word in operands:
        path, text = shell.stored_text(word)
        if text is not None:
            return [] if shell.shared.scripts.is_committed(path) else [clean(text)]
    return []


def start_script(shell: Shell, word: str) -> None:
    """Read a script of another language that is called by its own name."""
    text = shell.file_text(word)
    program = posixpath.basename((text.partition('\n')[0].split() or [''])[-1])
    if text[:2] == '#!' and is_interpreter(program):
        interpreter(shell, program, parse([word]))


def python(shell: Shell, name: str, options: Options) -> str:
    """Run a module as a program: `python -m pre_commit` is pre-commit."""
    args = options.args
    if '-m' in args[:-1] and '-c' not in args:
        at = args.index('-m')
        if not parse(args[:at], 'WX').operands:
            file = f'{args[at + 1].replace(".", "/")}.py'
            if shell.stored_text(file)[1] is not None:
                return interpreter(shell, name, parse([file]))
            module = args[at + 1].replace('_', '-')
            if module.startswith('interlock.commands'):
                module = 'interlock'
            return shell.run([module, *args[at + 2 :]])
    return interpreter(shell, name, options)
