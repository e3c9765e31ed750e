"""How a program of the table is described, and what it does then."""

from __future__ import annotations

import posixpath
from types import MappingProxyType

from interlock.guard.shell.effects import KeptContent
from interlock.guard.shell.hook_skipping import judge_new_environment
from interlock.guard.shell.options import Options, parse
from interlock.guard.shell.programs.files import (
    HARD_LINK,
    copies,
    move_files,
    unpack,
    write_into,
)
from interlock.guard.shell.programs.wrappers import (
    assignments,
    commands_after_starts,
    commands_in,
    unversioned,
)
from interlock.guard.shell.state import Shell
from interlock.guard.shell.walk import run_with
from interlock.guard.shell.words import (
    ANY,
    STAR,
    active,
    expand_braces,
    is_known,
    is_nothing,
    is_plain,
)
from interlock.model.quick_typing import Callable, Iterator, Mapping, NamedTuple

NONE = slice(0, 0)
ALL = slice(None)
FIRST = slice(0, 1)
SECOND = slice(1, 2)
LAST = slice(-1, None)
AFTER_FIRST = slice(1, None)
AFTER_SECOND = slice(2, None)


class Program(NamedTuple):
    """What a program does with its words.

    Options are named in one string, those with a value as in `parse`.
    """

    values: str = ''
    attached: str = ''
    # it acts only with one of these options, and with none of those
    when: str = ''
    unless: str = ''
    # the subcommands that act, each with the options that it needs for it
    verbs: Mapping[str, str] = MappingProxyType({})
    # options whose value is a file that is written; `x=` begins an operand
    outputs: str = ''
    # the content of what is written stays, and with one of these options no file
    # is made
    keeps: str | None = None
    # without one of these options the first operand is a script, not a file
    script: str = ''
    written: slice = NONE
    removed: slice = NONE
    # options without which nothing is removed
    removing: str = ''
    # all operands but the last are copied to that; with `moves` they go away
    copies: bool = False
    moves: bool = False
    # it makes links: always, or with one of these options
    links: str | bool = False
    # the members of an archive are written: of a 'file', the first operand, or of
    # a 'stream'; 'outputs': what it writes may be a directory, with files of any name
    unpacks: str = ''
    # directories with all that is in them: always, or with one of these options
    recursive: str | bool = False
    # a formatter, which reads patterns itself
    patterns: bool = False
    # suffixes of the files that it looks for in a directory
    below: str = ''
    # it reads no documents, so an unknown file is not one of ours
    code: bool = False
    # how many operands come before the command that it runs
    wraps: int | None = None
    # options whose value is the text of a command
    texts: str = ''
    # the same, of a command that it starts besides its own work
    helpers: str = ''
    # it runs what its words say elsewhere, in another terminal or at another time;
    # 'input': also what it reads, 'lines': those lines that hold a command
    told: str = ''
    # what ends a command in a word, before options of the program's own
    ends: str = ''
    # first words with which it runs what is not in the command
    hides: str = ''
    # options whose value is the directory that it works in
    directory: str = ''
    # `NAME=value` may come before the command
    assigns: bool = False
    # the command gets another environment, unless one of these options is given
    drops: str | None = None
    # added to the name of the program in effects
    how: str = ''
    # a function for what the fields cannot say; it returns what is printed
    by: Callable[[Shell, str, Options], str | None] | None = None
    # the first operand ends the options: it is a command
    first: bool = False
    # it adds its own effects, or none that a rule could ask about
    silent: bool = False
    # what it prints; None: lines of its input
    prints: str | None = ''

    @property
    def is_wrapper(self) -> bool:
        return self.wraps is not None or bool(self.texts or self.told)

    def parse(self, args: list[str]) -> Options:
        first = self.first or self.wraps is not None
        return parse(args, self.values, self.attached, first=first)


def perform(shell: Shell, row: Program, name: str, args: list[str]) -> str:
    return act(shell, row, name, row.parse(args))


def act(shell: Shell, row: Program, name: str, options: Options) -> str:
    """What a program does with these options; returns what it prints."""
    acts = _acts(row, options)
    if acts:
        _change_files(shell, row, name + row.how, options)
    for text in options.values(row.helpers):
        shell.child().text(text.removeprefix('exec='))
    if row.by is not None:
        return row.by(shell, name, options) or ''
    if not acts:
        return ANY
    if row.is_wrapper:
        return _run_wrapped(shell, row, name, options)
    return _lines_of_input(shell) if row.prints is None else row.prints


def _acts(row: Program, options: Options) -> bool:
    if options.has(row.unless):
        return False
    when: str | None = row.when
    if row.verbs:
        when = row.verbs.get(''.join(options.operands[:1]))
    return when is not None and (not when or options.has(when))


def _change_files(shell: Shell, row: Program, how: str, options: Options) -> None:
    recursive = row.recursive
    if isinstance(recursive, str):
        recursive = options.has(recursive)
    outputs = [word for word in options.values(row.outputs) if word != '-']
    for start in row.outputs.split():
        words = options.operands if start.endswith('=') else []
        outputs += [word[len(start) :] for word in words if word.startswith(start)]
    if row.unpacks == 'outputs':
        for word in outputs:
            write_into(shell, how, word)
    else:
        shell.each_writes(outputs, how, recursive)
    operands = options.operands
    if row.script and operands[:1] == ['']:
        # the suffix of `sed -i`, as BSD wants it
        operands = operands[1:]
    if row.script and not options.has(row.script):
        operands = operands[1:]
    kept = None if row.keeps is None else KeptContent(not options.has(row.keeps))
    for word in operands[row.written]:
        words = _patterns(row, word) if row.patterns else [word]
        shell.each_writes(words, how, origin=kept)
    if not row.removing or options.has(row.removing):
        for word in operands[row.removed]:
            shell.removes(word, how, recursive)
    if row.moves:
        move_files(shell, how, copies(options))
    links = row.links if isinstance(row.links, bool) else options.has(row.links)
    for source, target, into in (
        copies(options, row.links is True) if row.copies else ()
    ):
        if links and not options.has('-s --symbolic --symbolic-link'):
            # to write one of them later is to write the other, under another name
            shell.runs(HARD_LINK, [source])
        elif links and source[:1] not in ('/', ANY):
            # a link leads on from where it is
            source = posixpath.join(posixpath.dirname(target), source)
        origin = shell.copy_of(source, into, links)
        shell.writes(target, how, None, recursive, origin)
        if source == '/dev/stdin':
            shell.keep_word(target, shell.stdin or ANY)
        elif not is_plain(source):
            shell.keep_word(target, ANY)
    archives = {'file': operands[:1], 'stream': ['']}
    for archive in archives.get(row.unpacks, []):
        unpack(shell, how, archive, options.last(row.directory))


def _patterns(row: Program, word: str) -> list[str]:
    """The files that a formatter means by a word; it expands what is quoted."""
    if word[:1] == '!' or (row.code and is_nothing(word)):
        return []
    found = []
    for each in expand_braces(active(word)):
        found.append(each)
        for suffix in row.below.split():
            if not each.endswith(suffix):
                found.append(f'{each.rstrip("/")}/{ANY}/{STAR}{suffix.strip("*")}')
    return found


def _run_wrapped(shell: Shell, row: Program, name: str, options: Options) -> str:
    """Run the command that the other words are."""
    inner = shell
    for word in options.values(row.directory):
        inner = inner.in_directory(word)
    rest = options.operands[row.wraps :] if row.wraps is not None else []
    texts = options.values(row.texts)
    if row.texts and not texts and rest[:1] and rest[0][:1] == '-':
        texts = parse(rest, row.values).values(row.texts)
    count, printed = len(shell.effects), ANY
    if row.told:
        texts = [*_told(inner, row, name, options)]
        inner = inner.child()
        inner.stdin = None
    for text in texts:
        printed = inner.child().text(text)
    if not texts and (rest or not row.texts):
        variables, rest = assignments(rest) if row.assigns else ([], rest)
        printed = run_with(inner, variables, unversioned(rest), name)
    if row.drops is not None and not options.has(row.drops):
        judge_new_environment(shell, name, count)
    return printed


def _told(shell: Shell, row: Program, name: str, options: Options) -> Iterator[str]:
    words, fed = options.operands, shell.stdin
    if row.ends:
        words = [word.partition(row.ends)[0] for word in words]
    for word in {*words}.intersection(row.hides.split()):
        shell.unknown(f'`{name} {word}` runs what is not in the command')
    yield commands_in(words)
    if row.told == 'lines':
        yield commands_after_starts(fed or '')
    elif row.told == 'input':
        for word in options.values('-f'):
            shell.child().script(word)
        if fed is None or is_known(fed):
            yield fed or ''
        else:
            shell.unknown(f'`{name}` reads commands that are not in the text')


def _lines_of_input(shell: Shell) -> str:
    """What prints all or some of the lines that it reads."""
    fed = shell.stdin or ANY
    return fed if not is_known(fed) or '\n' not in fed[:-1] else ANY
