"""Reads from its text what a shell command would do.

No program is run, and no file is opened except the scripts that the command
runs (`Scripts`). This helps agents that mean well: a command can be hidden
from it. The guarantees come from the hooks of git, from CI and from the
server.
"""

from __future__ import annotations

import posixpath

from interlock.guard.shell.effects import EditedContent, Effect, Unknown, Writes
from interlock.guard.shell.hook_skipping import evasion_in, judge_skipping_options
from interlock.guard.shell.prefilter import PARTS
from interlock.guard.shell.programs.git import VERIFYING
from interlock.guard.shell.programs.interpreters import (
    family,
    is_interpreter,
    start_script,
)
from interlock.guard.shell.programs.program import act
from interlock.guard.shell.programs.table import READERS, TABLE
from interlock.guard.shell.programs.wrappers import CONTAINERS, PART, judge_task_files
from interlock.guard.shell.state import (
    Scripts,
    Shared,
    Shell,
    TooComplex,
    is_evasion,
    is_sure,
)
from interlock.guard.shell.walk import call_function
from interlock.guard.shell.words import (
    ANY,
    SUBSCRIPT,
    clean,
    is_known,
    is_plain,
    quote,
    shown,
)
from interlock.model import quick_re as re
from interlock.model.quick_typing import Mapping

# programs whose calls are looked for in the words of others
STARTED = ('git', 'interlock')
# options with which most programs take code, or definitions of commands to run
EVALUATES = re.compile(
    '[-+]+(?:[cexoErRP]$|e[vx]|c(?:md|ommand)|r(?:un|unpy)$|shell|script|pager)|-D|[+]!'
)
# programs in the tables that run the value of such an option
EVALUATING = frozenset(
    'ex vi vim nvim emacs emacsclient kak gdb lldb man less more sops code idea zip '
    'install ginstall'.split()
)
# builtins that take an array element as a word, and run commands in its index
SUBSCRIPTING = frozenset(
    'let test [ printf read unset declare typeset local readonly export mapfile'.split()
)
# programs that run the commands in a file of the directory
TASK_RUNNERS = frozenset('just task rake invoke inv nox tox gulp grunt ant'.split())
# how many commands may begin inside another one; each is read to its end
MOST_STARTS = 16
# how many lines of its input are read for such a program
MOST_LINES = 40
# files that no program runs
PROSE = tuple('.md .txt .rst .adoc .html .csv .log .patch .diff'.split())


def read(
    command: str,
    cwd: str,
    environ: Mapping[str, str],
    top: str = '',
    scripts: Scripts | None = None,
) -> list[Effect]:
    """The effects in the order of the text, each once, unless it may add up.

    `top` is what `git rev-parse --show-toplevel` says in `cwd`, if known.
    """
    known = {name: clean(value) for name, value in environ.items()}
    shared = Shared(known, clean(top), scripts)
    try:
        Shell(shared, clean(cwd)).text(clean(command))
        while shared.at_exit:
            shell, text = shared.at_exit.pop()
            shell.child().text(text)
    except TooComplex as e:
        shared.effects.append(Unknown(f'{e}'))
    except RecursionError:
        shared.effects.append(Unknown('it is nested too deeply'))
    # as tuples, effects of two kinds may be equal
    found = {_key(at, each): each for at, each in enumerate(shared.effects)}
    return list(found.values())


def _key(at: int, effect: Effect) -> object:
    """Effects with the same key are listed once."""
    adds_up = isinstance(effect, Writes) and isinstance(effect.origin, EditedContent)
    return at if adds_up else (type(effect).__name__, effect)


def run(shell: Shell, words: list[str]) -> str:
    """Run a command whose words are expanded."""
    shell.spend('it runs too many commands')
    name, args = words[0], words[1:]
    if name in shell.functions or name in shell.aliases:
        _judge_hidden(shell, words)
    if name in shell.functions:
        return call_function(shell, shell.functions[name], args)
    if name in shell.aliases:
        return _alias(shell, name, args)
    base = posixpath.basename(name)
    if not base:
        # a directory, or nothing
        return ''
    if not is_plain(base):
        what = f'`{shown(name)}`' if name.strip(ANY) else 'known only when it runs'
        shell.unknown(f'the command is {what}')
        return ANY
    if '/' in name:
        inner = shell.child()
        inner.arrays['@'] = args
        if inner.written_text(name) == ANY:
            # the command line itself copied it: it may be git under another name
            for program in STARTED:
                _judge_unknown_program(shell, base, [program, *args])
        elif not inner.script(name):
            start_script(inner, name)
    return _program(shell, base.removesuffix('.exe'), args)


def _judge_hidden(shell: Shell, words: list[str]) -> None:
    """Judge the program behind a function or an alias: after `command`, after `unset
    -f`, or in a shell that expands no aliases, the program runs."""
    if words[0] in TABLE or words[0] == 'interlock':
        inner = shell.child()
        inner.functions, inner.aliases = {}, {}
        found = inner.dry_read(' '.join(map(quote, words)))
        for effect in filter(is_sure, found):
            shell.add(effect)


def _alias(shell: Shell, name: str, args: list[str]) -> str:
    # an alias does not call itself
    text = shell.aliases.pop(name)
    found = shell.text(' '.join((text, *map(quote, args))))
    shell.aliases[name] = text
    return found


def _program(shell: Shell, base: str, args: list[str]) -> str:
    if base.startswith('git-') and base != 'git-':
        base, args = 'git', [base.removeprefix('git-'), *args]
    row = TABLE.get(family(base))
    if row is None or not (row.silent or row.is_wrapper):
        fed = [shell.stdin] if row is None and is_known(shell.stdin or ANY) else []
        shell.runs(base, [*args, *filter(None, fed)])
    if base in SUBSCRIPTING:
        for word in filter(SUBSCRIPT.search, args):
            shell.child().text(f'echo "{word}"')
    known = row is not None and not is_interpreter(base) and base not in CONTAINERS
    if not known and base not in READERS and not base.startswith('interlock'):
        judge_skipping_options(shell, base, args)
        _judge_unknown_program(shell, base, args)
    count = len(shell.effects)
    printed = ANY if row is None else act(shell, row, base, row.parse(args))
    if base in EVALUATING and not any(map(is_evasion, shell.effects[count:])):
        _judge_unknown_program(shell, base, args)
    return printed


def _starts(args: list[str]) -> list[str]:
    """The commands that begin at one of these words, or after it."""
    found: list[str] = []
    for at, word in enumerate(args):
        program = PART.split(word)[-1]
        if program in STARTED and len(found) <= 3 * MOST_STARTS:
            rest = [word for word in args[at + 1 :] if word != '--']
            # `--program=git --args='commit -n'`
            given = [each.partition('=')[2] for each in rest if each[:1] == '-']
            verb = next((at for at, each in enumerate(rest) if each in VERIFYING), 0)
            for words in (rest, rest[verb:]):
                found.append(' '.join(map(quote, (program, *words))))
            found.append(' '.join((quote(program), *given)))
    return list(dict.fromkeys(found))


def _scripts(shell: Shell, args: list[str]) -> list[str]:
    """The scripts among these words, except committed ones."""
    found = []
    for word in args:
        if not word.startswith('-') and not word.endswith(PROSE):
            text = shell.written_text(word)
            if text is None:
                path, text = shell.stored_text(word)
                if evasion_in(text or '') and shell.shared.scripts.is_committed(path):
                    continue
            found.append(text or '')
    return found


def _judge_unknown_program(shell: Shell, name: str, args: list[str]) -> None:
    """Judge an unknown program, which may run its arguments as commands."""
    if name in TASK_RUNNERS:
        judge_task_files(shell, name)
    texts = [word for word in args if ' ' in word.strip()]
    # `-Dargs='commit -n'`
    texts += [word.partition('=')[2] for word in texts]
    found = _starts(args)
    if len(found) > MOST_STARTS:
        shell.unknown(f'`{name}` is given more commands than are read')
        return
    texts += found
    fed = shell.stdin or ''
    texts += fed.split('\n')[:MOST_LINES] if is_known(fed) else []
    runs = [
        text
        for text in texts
        if any(part in text for part in PARTS)
        and any(is_evasion(effect) for effect in shell.dry_read(text))
    ]
    if not runs and not is_interpreter(name) and name not in CONTAINERS:
        codes = [
            ' '.join(args[at : at + 2])
            for at, word in enumerate(args)
            if EVALUATES.match(word)
        ]
        runs = [*filter(evasion_in, [*codes, fed, *_scripts(shell, args)])]
    for text in runs:
        shell.unknown(f'`{name}` may run `{shown(text)}`')
