"""Builtins of the shell: directories, variables, eval."""

from __future__ import annotations

from interlock.guard.shell.effects import Skips
from interlock.guard.shell.expand import variable
from interlock.guard.shell.hook_skipping import (
    is_posing,
    judge_arithmetic,
    judge_assigned,
    judge_unset,
    judge_variable,
)
from interlock.guard.shell.options import Options, parse
from interlock.guard.shell.state import Shell
from interlock.guard.shell.words import ANY, SOME, quote, shown

# programs that hooks start: a function with the same name would replace them
STARTED = tuple(
    'interlock git pre-commit prek lefthook husky npx python node command exec '
    'exit'.split()
)
# names of the end of a shell, as `trap` takes them, in any case
AT_EXIT = frozenset(('EXIT', '0', 'SIGEXIT'))


def cd(shell: Shell, name: str, options: Options) -> None:
    targets = [word for word in options.args if word == '-' or word[:1] != '-']
    target = targets[0] if targets else variable(shell, 'HOME')
    before = shell.cwd
    if name == 'pushd' and targets:
        shell.stack.append(before)
    if target == '-':
        target = shell.variables.get('OLDPWD', ANY)
    shell.enter(target)
    shell.variables['OLDPWD'] = before


def popd(shell: Shell, _: str, __: Options) -> None:
    shell.cwd = shell.stack.pop() if shell.stack else ANY


def pwd(shell: Shell, _: str, __: Options) -> str:
    return f'{shell.cwd}\n'


def evaluate(shell: Shell, _: str, options: Options) -> str:
    return shell.text(' '.join(options.args))


def declare(shell: Shell, name: str, options: Options) -> None:
    """export, declare, typeset, local, readonly."""
    args = options.args
    options = parse([word for word in args if word[:1] != '+'])
    exports = name == 'export' or options.has('-x')
    # an export that is taken back hides the variable from programs
    sign = '-n' if name == 'export' else '+x'
    hides = options.has('-n') if name == 'export' else '+x' in args
    for word in options.operands:
        name_, equals, text = word.partition('=')
        if equals:
            shell.variables[name_] = text
        if exports and options.has('-f') and word.startswith(STARTED):
            shell.add(Skips(f'{name} -f {word}'))
        elif hides:
            judge_unset(shell, name_, f'{name} {sign}')
        elif exports:
            shell.exported.add(name_)
            known = text if equals else shell.value(name_)
            if known is not None and (equals or not is_posing(name_)):
                judge_variable(shell, name_, known, name)
        elif equals:
            judge_unset(shell, name_, name)
            # a nameref: another name for that variable
            judge_assigned(shell, text if options.has('-n') else '', f'{name} -n')


def unset(shell: Shell, _: str, options: Options) -> None:
    for word in options.operands:
        shell.variables[word] = ''
        shell.arrays.pop(word, None)
        judge_unset(shell, word, 'unset')
        if word.startswith(ANY):
            shell.unknown('`unset` names variables that are not in the text')


def alias(shell: Shell, _: str, options: Options) -> None:
    for word in options.args:
        name, equals, text = word.partition('=')
        if equals:
            shell.aliases[name] = text


def remember(shell: Shell, _: str, options: Options) -> None:
    """hash -p PATH NAME: from now on the name runs another program."""
    for path in options.values('-p'):
        shell.aliases.update(dict.fromkeys(options.operands, quote(path)))


def enable(shell: Shell, name: str, options: Options) -> None:
    if options.has('-f'):
        shell.unknown(f'`{name} -f` loads a program into the shell')


def trap(shell: Shell, _: str, options: Options) -> None:
    text, *signals = options.operands or ['']
    if not signals or text == '-':
        return
    elif AT_EXIT.issuperset(map(str.upper, signals)):
        shell.shared.at_exit.append((shell, text))
    else:
        shell.child().text(text)


def read(shell: Shell, _: str, options: Options) -> None:
    """The variables get the line of the input, if there is only one."""
    lines = (shell.stdin or ANY).strip('\n').split('\n')
    names = options.operands
    known = len(lines) == len(names) == 1 and lines[0] != SOME
    shell.variables.update(dict.fromkeys(names, lines[0] if known else ANY))
    for name in names:
        judge_assigned(shell, name, 'read', shell.variables[name])
    for name in options.values('-a'):
        shell.arrays[name] = [ANY]
        judge_unset(shell, name, 'read')


def mapfile(shell: Shell, called: str, options: Options) -> None:
    for name in options.operands:
        # arrays are not passed to programs
        judge_unset(shell, name, called)
        shell.arrays[name] = (shell.stdin or ANY).strip('\n').split('\n')


def let(shell: Shell, _: str, options: Options) -> None:
    judge_arithmetic(shell, ' '.join(options.args))


def getopts(shell: Shell, called: str, options: Options) -> None:
    for name in options.args[1:2]:
        judge_assigned(shell, name, called)


def shift(shell: Shell, _: str, options: Options) -> None:
    first = ''.join(options.args[:1])
    count = int(first) if first.isdecimal() else 1
    if '@' in shell.arrays:
        shell.arrays['@'] = shell.arrays['@'][count:]


def set_options(shell: Shell, _: str, options: Options) -> None:
    args = options.args
    if '--' in args:
        shell.arrays['@'] = args[args.index('--') + 1 :]
    letters = ''.join(word for word in args if word[:1] == '-')
    if 'allexport' in args or 'a' in letters:
        shell.exports_all = True
    for word in args[: args.index('--') if '--' in args else None]:
        # in fish, `set` also unsets and exports variables
        judge_unset(shell, word, 'set')


def source(shell: Shell, name: str, options: Options) -> str:
    """Read a script or a stream as commands; what an unnamed one runs is unknown."""
    args = options.args
    if args and ANY in args[0]:
        shell.unknown(f'`{name} {shown(args[0])}` runs text that is not in the command')
    elif args[:1] == ['/dev/stdin']:
        return shell.text(shell.stdin or ANY)
    elif args:
        shell.script(args[0])
    return ''
