"""What a shell command would do, read from its text.

No file is opened but the scripts that it runs (`Scripts`), and no program is
run. This helps those who mean well: a
command can be hidden from it. The guarantees come from the hooks of git, from
CI and from the server.
"""

from __future__ import annotations

import posixpath

from interlock.guard.shell.effects import Effect, Unknown
from interlock.guard.shell.hook_skipping import passes_on, telling
from interlock.guard.shell.prefilter import PARTS
from interlock.guard.shell.programs.git import VERIFYING
from interlock.guard.shell.programs.interpreters import (
    family,
    is_interpreter,
    start_script,
)
from interlock.guard.shell.programs.program import perform
from interlock.guard.shell.programs.table import READERS, TABLE
from interlock.guard.shell.programs.wrappers import CONTAINERS, PART, find_scripts
from interlock.guard.shell.state import Scripts, Shared, Shell, TooComplex, is_telling
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

# options with which most programs take code, and definitions of what they run
EVALUATES = re.compile(
    '[-+]+(?:[cexoErRP]$|e[vx]|c(?:md|ommand)|r(?:un|unpy)$|shell|script|pager)|-D|[+]!'
)
# programs of the tables that run what one of these options says
EVALUATING = frozenset(
    'ex vi vim nvim emacs emacsclient kak gdb lldb man less more sops code idea'.split()
)
# builtins that take the element of an array by a word, and run what is in its index
SUBSCRIBING = frozenset(
    'let test [ printf read unset declare typeset local readonly export mapfile'.split()
)
# they run what a file of the directory says
TASK_RUNNERS = frozenset('just task rake invoke inv nox tox gulp grunt ant'.split())
# commands that may begin inside of one; each is read to the end
MOST_STARTS = 16
# lines of what such a program reads
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
    """The effects in the order of the text, each once.

    `top` is what `git rev-parse --show-toplevel` says in `cwd`, if known.
    """
    known = {name: clean(value) for name, value in environ.items()}
    shared = Shared(known, clean(top), scripts)
    try:
        Shell(shared, clean(cwd)).text(clean(command))
    except TooComplex as e:
        shared.effects.append(Unknown(f'{e}'))
    except RecursionError:
        shared.effects.append(Unknown('it is nested too deeply'))
    # as tuples, effects of two kinds may be equal
    found = {(type(effect).__name__, effect): effect for effect in shared.effects}
    return list(found.values())


def run(shell: Shell, words: list[str]) -> str:
    """A command whose words are expanded."""
    shell.spend('it runs too many commands')
    name, args = words[0], words[1:]
    if name in shell.functions:
        with shell.level():
            return call_function(shell, shell.functions[name], args)
    if name in shell.aliases:
        return _alias(shell, name, args)
    base = posixpath.basename(name)
    if not base:
        # a directory, or nothing
        return ''
    if not is_plain(base):
        shell.unknown(f'the command is `{shown(name)}`')
        return ANY
    if '/' in name:
        inner = shell.child()
        inner.arrays['@'] = args
        if inner.written_text(name) == ANY:
            # the line itself has copied it: it may be git by another name
            _suspect(shell, base, ['git', *args])
        elif not inner.script(name):
            start_script(inner, name)
    return _program(shell, base.removesuffix('.exe'), args)


def _alias(shell: Shell, name: str, args: list[str]) -> str:
    # an alias does not call itself
    text = shell.aliases.pop(name)
    with shell.level():
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
    if base in SUBSCRIBING:
        for word in filter(SUBSCRIPT.search, args):
            shell.child().text(f'echo "{word}"')
    known = row is not None and not is_interpreter(base) and base not in CONTAINERS
    if not known and base not in READERS and not base.startswith('interlock'):
        passes_on(shell, base, args)
        _suspect(shell, base, args)
    count = len(shell.effects)
    printed = ANY if row is None else perform(shell, row, base, args)
    if base in EVALUATING and not any(map(is_telling, shell.effects[count:])):
        _suspect(shell, base, args)
    return printed


def _starts(args: list[str]) -> list[str]:
    """The commands that begin with one of these words, or after it."""
    found: list[str] = []
    for at, word in enumerate(args):
        program = PART.split(word)[-1]
        if program in ('git', 'interlock') and len(found) <= 3 * MOST_STARTS:
            rest = [word for word in args[at + 1 :] if word != '--']
            # `--program=git --args='commit -n'`
            given = [each.partition('=')[2] for each in rest if each[:1] == '-']
            verb = next((at for at, each in enumerate(rest) if each in VERIFYING), 0)
            for words in (rest, rest[verb:]):
                found.append(' '.join(map(quote, (program, *words))))
            found.append(' '.join((quote(program), *given)))
    return list(dict.fromkeys(found))


def _scripts(shell: Shell, args: list[str]) -> list[str]:
    """The scripts among these words, unless they are committed."""
    found = []
    for word in args:
        if not word.startswith('-') and not word.endswith(PROSE):
            text = shell.written_text(word)
            if text is None:
                path, text = shell.stored_text(word)
                if telling(text or '') and shell.shared.scripts.is_committed(path):
                    continue
            found.append(text or '')
    return found


def _suspect(shell: Shell, name: str, args: list[str]) -> None:
    """A program that is not known may run the text that it is given."""
    if name in TASK_RUNNERS:
        find_scripts(shell, name)
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
        and any(is_telling(effect) for effect in shell.dry_read(text))
    ]
    if not runs and not is_interpreter(name) and name not in CONTAINERS:
        codes = [
            ' '.join(args[at : at + 2])
            for at, word in enumerate(args)
            if EVALUATES.match(word)
        ]
        runs = [*filter(telling, [*codes, fed, *_scripts(shell, args)])]
    for text in runs:
        shell.unknown(f'`{name}` may run `{shown(text)}`')
