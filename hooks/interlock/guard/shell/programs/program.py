"""A row of the table of programs, and the effects that follow from it."""

from __future__ import annotations

import posixpath
from types import MappingProxyType

from interlock.guard.shell.effects import EditedContent, KeptContent, Origin
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
    """How a program treats its words.

    Each string lists options; those with a value are written as in `parse`.
    """

    values: str = ''
    attached: str = ''
    # the program acts only with an option in `when` and without any in `unless`
    when: str = ''
    unless: str = ''
    # the subcommands that act, each with the options that it needs to act
    verbs: Mapping[str, str] = MappingProxyType({})
    # options whose value is a file to write; `x=` is the prefix of an operand
    outputs: str = ''
    # the content of written files stays; with one of these options, missing
    # files are not created
    keeps: str | None = None
    # how it makes the new content of written files, if that can be computed
    edits: Callable[[Shell, str, Options], EditedContent | None] | None = None
    # options whose value makes the name of a backup
    backups: str = ''
    # without one of these options, the first operand is a script, not a file
    script: str = ''
    written: slice = NONE
    removed: slice = NONE
    # options without which nothing is removed
    removing: str = ''
    # copies all operands to the last one; with `moves`, the originals are removed
    copies: bool = False
    moves: bool = False
    # creates links: always, or with one of these options
    links: str | bool = False
    # writes the members of an archive: of a 'file' (the first operand) or of a
    # 'stream'; 'outputs': the output may be a directory with files of any name
    unpacks: str = ''
    # affects everything below a directory: always, or with one of these options
    recursive: str | bool = False
    # a formatter that expands patterns itself
    patterns: bool = False
    # suffixes of the files that it looks for in a directory
    below: str = ''
    # it only reads code, so an unknown file is not a record
    code: bool = False
    # how many operands come before the command that it runs
    wraps: int | None = None
    # options whose value is the text of a command
    texts: str = ''
    # the same, for a command that it starts besides its own work
    helpers: str = ''
    # it runs its 'words' elsewhere, in another terminal or at another time;
    # 'input': also its input, 'lines': also the lines of its input that hold a
    # command
    runs: str = ''
    # the word that ends a command, before further options of the program
    ends: str = ''
    # first words with which it runs something that is not in the command
    hides: str = ''
    # options whose value is the working directory
    directory: str = ''
    # `NAME=value` may come before the command
    assigns: bool = False
    # the command gets another environment, unless one of these options is given
    drops: str | None = None
    # added to the name of the program in effects
    how: str = ''
    # a function for what the fields cannot express; it returns the output
    by: Callable[[Shell, str, Options], str | None] | None = None
    # the first operand ends the options, because it is a command
    first: bool = False
    # it adds its own effects, or has none that a rule could ask about
    silent: bool = False
    # its output; None: lines of its input
    prints: str | None = ''

    @property
    def is_wrapper(self) -> bool:
        return self.wraps is not None or bool(self.texts or self.runs)

    def parse(self, args: list[str]) -> Options:
        first = self.first or self.wraps is not None
        return parse(args, self.values, self.attached, first=first)


def act(shell: Shell, row: Program, name: str, options: Options) -> str:
    """Add the effects of a program with these options; return its output."""
    acts = _acts(row, options)
    if acts:
        _change_files(shell, row, name, options)
    for text in options.values(row.helpers):
        shell.child().text(text.removeprefix('exec='))
    if row.by is not None:
        for word in options.values(row.directory):
            shell = shell.in_directory(word)
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


def _change_files(shell: Shell, row: Program, name: str, options: Options) -> None:
    how, recursive = name + row.how, row.recursive
    if isinstance(recursive, str):
        recursive = options.has(recursive)
    outputs = [word for word in options.values(row.outputs) if word != '-']
    for start in row.outputs.split():
        words = options.operands if start.endswith(('=', ':')) else []
        named = [word[len(start) :] for word in words if word.startswith(start)]
        outputs += [word.partition(row.ends)[0] if row.ends else word for word in named]
    if row.unpacks == 'outputs':
        for word in outputs:
            write_into(shell, how, word)
    else:
        shell.each_writes(outputs, how, recursive)
    operands = options.operands
    if row.script and operands[:1] == ['']:
        # the suffix of `sed -i`, as a separate word in BSD
        operands = operands[1:]
    if row.script and not options.has(row.script):
        operands = operands[1:]
    kept: Origin | None = row.edits(shell, name, options) if row.edits else None
    if row.keeps is not None:
        kept = KeptContent(not options.has(row.keeps))
    for suffix in filter(None, options.values(row.backups)):
        for word in operands[row.written]:
            backup = _backup(word, suffix)
            shell.writes(backup, how, origin=shell.copy_of(word))
    for word in operands[row.written]:
        words = _patterns(row, word) if row.patterns else [word]
        shell.each_writes(words, how, origin=kept)
    if not row.removing or options.has(row.removing):
        for word in operands[row.removed]:
            for each in _patterns(row, word) if row.patterns else [word]:
                shell.removes(each, how, recursive)
    if row.moves:
        move_files(shell, how, copies(options))
    links = row.links if isinstance(row.links, bool) else options.has(row.links)
    for source, target, into in (
        copies(options, row.links is True) if row.copies else ()
    ):
        if links and not options.has('-s --symbolic --symbolic-link'):
            # a later write to either name changes the same file
            shell.runs(HARD_LINK, [source])
        elif links and source[:1] not in ('/', ANY):
            # a relative link starts from its own directory
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


def _backup(word: str, suffix: str) -> str:
    """The name of a backup; a `*` in its suffix stands for the name of the file."""
    folder, name = posixpath.split(word)
    backup = suffix.replace('*', name) if '*' in suffix else name + suffix
    return backup if '/' in backup else posixpath.join(folder, backup)


def _patterns(row: Program, word: str) -> list[str]:
    """The files that a formatter means by a word; it expands even quoted patterns."""
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
    """Run the command in the remaining words."""
    inner = shell
    for word in options.values(row.directory):
        inner = inner.in_directory(word)
    rest = options.operands[row.wraps :] if row.wraps is not None else []
    texts = options.values(row.texts)
    if row.texts and not texts and rest[:1] and rest[0][:1] == '-':
        texts = parse(rest, row.values).values(row.texts)
    count, printed = len(shell.effects), ANY
    if row.runs:
        texts = parse(options.args, row.values).values(row.texts)
        texts = [*texts, *_texts_to_run(inner, row, name, options)]
        inner = inner.repeated()
        inner.stdin = None
    for text in texts:
        printed = inner.child().text(text)
    if not texts and (rest or not row.texts):
        variables, rest = assignments(rest) if row.assigns else ([], rest)
        printed = run_with(inner, variables, unversioned(rest), name)
    if row.drops is not None and not options.has(row.drops):
        judge_new_environment(shell, name, count)
    return printed


def _texts_to_run(
    shell: Shell, row: Program, name: str, options: Options
) -> Iterator[str]:
    words, fed = options.operands, shell.stdin
    if row.ends:
        words = [word.partition(row.ends)[0] for word in words]
    for word in {*words}.intersection(row.hides.split()):
        shell.unknown(f'`{name} {word}` runs what is not in the command')
    yield commands_in(words)
    if row.runs == 'lines':
        yield commands_after_starts(fed or '')
    elif row.runs == 'input':
        for word in options.values('-f'):
            shell.child().script(word)
        if fed is None or is_known(fed):
            yield fed or ''
        else:
            shell.unknown(f'`{name}` reads commands that are not in the text')


def _lines_of_input(shell: Shell) -> str:
    """The output of a program that prints some or all lines of its input."""
    fed = shell.stdin or ANY
    return fed if not is_known(fed) or '\n' not in fed[:-1] else ANY
