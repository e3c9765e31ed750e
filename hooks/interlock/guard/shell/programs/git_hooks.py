"""Calls of git that leave out the hooks."""

from __future__ import annotations

from typing import NamedTuple

from interlock.guard.shell.effects import Skips
from interlock.guard.shell.guarded_variables import NO_VERIFY, is_no_verify
from interlock.guard.shell.options import Options, parse
from interlock.guard.shell.placeholders import ANY, shown
from interlock.guard.shell.programs.git_subcommands import is_known
from interlock.guard.shell.state import State


class Form(NamedTuple):
    letters: str = ''
    longs: tuple[str, ...] = ()
    # they take a value in the same word only
    attached: str = ''
    # the letter that means --no-verify
    letter: str = ''


MERGING = (
    '--message',
    '--file',
    '--strategy',
    '--strategy-option',
    '--cleanup',
    '--into-name',
)
# the subcommands that have --no-verify, as git's manual says it
FORMS = {
    'commit': Form(
        'mFCct',
        (
            '--message',
            '--file',
            '--reuse-message',
            '--reedit-message',
            '--template',
            '--author',
            '--date',
            '--fixup',
            '--squash',
            '--cleanup',
            '--trailer',
            '--pathspec-from-file',
        ),
        'uS',
        'n',
    ),
    'merge': Form('mFsX', MERGING, 'S'),
    'pull': Form(
        'sXo',
        (
            *MERGING,
            '--upload-pack',
            '--depth',
            '--deepen',
            '--shallow-since',
            '--shallow-exclude',
            '--refmap',
            '--server-option',
            '--negotiation-tip',
        ),
        'Srj',
    ),
    'push': Form(
        'o',
        ('--push-option', '--repo', '--receive-pack', '--exec', '--recurse-submodules'),
    ),
    'rebase': Form(
        'xsXC',
        (
            '--exec',
            '--strategy',
            '--strategy-option',
            '--onto',
            '--empty',
            '--whitespace',
        ),
        'Sr',
    ),
    'am': Form(
        'Cp',
        (
            '--directory',
            '--exclude',
            '--include',
            '--patch-format',
            '--whitespace',
            '--quoted-cr',
            '--empty',
            '--resolvemsg',
        ),
        'S',
        'n',
    ),
}
# the server lets in what it refused
BREAKGLASS = 'interlock.breakglass'


def is_breakglass(value: str) -> bool:
    return value.strip().lower().startswith(BREAKGLASS)


def judge(state: State, name: str, args: list[str]) -> None:
    form = FORMS.get(name, Form())
    options = parse(args, form.letters, form.longs, form.attached)
    if name in ('push', 'send-pack'):
        _push_options(state, options)
    if name in FORMS:
        _no_verify(state, name, options, form)
        _unknown(state, name, options, args)
    elif not is_known(name) and any(map(is_no_verify, args)):
        # an alias of the user's
        state.add(Skips(f'git {name} {NO_VERIFY}'))
    _plumbing(state, name, options)
    for text in _texts(name, options, args):
        state.child().text(text)


def _no_verify(state: State, name: str, options: Options, form: Form) -> None:
    for flag, _ in options.flags:
        if flag == f'-{form.letter}' or is_no_verify(flag):
            state.add(Skips(f'git {name} {flag}'))
        elif ANY in flag:
            state.unknown(f'an option of `git {name}` is `{shown(flag)}`')


def _push_options(state: State, options: Options) -> None:
    for value in options.values('-o', '--push-option'):
        if is_breakglass(value):
            state.add(Skips(f'git push -o {shown(value)}'))
        elif value.startswith(ANY):
            state.unknown(f'an option of the push is `{shown(value)}`')


def _unknown(state: State, name: str, options: Options, args: list[str]) -> None:
    """A word that could be an option, and may hold --no-verify."""
    count = len(options.operands) - options.behind
    for word in options.operands[:count]:
        if word.startswith(ANY):
            state.unknown(f'a word of `git {name}` is `{shown(word)}`')


def _plumbing(state: State, name: str, options: Options) -> None:
    """What moves a branch without a commit that hooks have seen."""
    if name in ('commit-tree', 'fast-import', 'filter-branch', 'filter-repo'):
        state.add(Skips(f'git {name}'))
    if (
        name == 'replace'
        and not options.has('-l', '--list', '-d')
        and (options.operands)
    ):
        # hooks would judge another commit than the one that is there
        state.add(Skips('git replace'))
    if name == 'init' and any(flag.startswith('--templ') for flag, _ in options.flags):
        state.unknown('git init takes hooks from a template')
    if name != 'update-ref':
        return
    if options.has('--stdin'):
        state.add(Skips('git update-ref --stdin'))
    # -m takes a reason
    words = [each for each in options.operands if each]
    moved = any(
        word == 'HEAD' or word.startswith('refs/heads/') or ANY in word
        for word in words[: 2 if options.has('-m') else 1]
    )
    if moved and not options.has('-d'):
        state.add(Skips('git update-ref'))


def _texts(name: str, options: Options, args: list[str]) -> list[str]:
    """Commands that git is told to run."""
    if name == 'rebase':
        return options.values('-x', '--exec')
    words = parse(args, first=True).operands
    if name == 'bisect' and words[:1] == ['run']:
        return [' '.join(words[1:])]
    if name == 'submodule' and words[:1] == ['foreach']:
        return [' '.join(parse(words[1:], first=True).operands)]
    if name == 'filter-branch':
        return [
            args[at + 1]
            for at, word in enumerate(args[:-1])
            if word.endswith('-filter')
        ]
    return []
