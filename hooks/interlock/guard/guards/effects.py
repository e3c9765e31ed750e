"""Judges the effects of a command in order."""

from __future__ import annotations

import os

from interlock.documents.text import shown
from interlock.git.git_paths import top_of
from interlock.guard import protected_files
from interlock.guard.command_outcome import SCRIPTED, Outcomes, Unlisted
from interlock.guard.context import Context, is_below
from interlock.guard.decision import Decision, ask, deny, unsure
from interlock.guard.guards import programs
from interlock.guard.guards.file_writes import judge_write
from interlock.guard.guards.inline_code import named, only_reads
from interlock.guard.relevance import Write
from interlock.guard.shell.effects import (
    CopiedContent,
    Effect,
    Git,
    KeptContent,
    Patches,
    Poses,
    Removes,
    Runs,
    SetsPath,
    Skips,
    Unknown,
    Writes,
)
from interlock.guard.shell.path_patterns import covers
from interlock.guard.shell.programs.interpreters import family, is_interpreter
from interlock.guard.shell.programs.table import READERS, TABLE
from interlock.guard.shell.programs.wrappers import CONTAINERS
from interlock.model import quick_re as re
from interlock.model.quick_typing import Iterator

# the rule: a change in the main worktree needs its lock
LOCKLESS = 'LCK007'
ACQUIRE = ('lock', 'acquire')
REWRITTEN = 'CLD016'
# these create commits or move branches, and have no option that runs the hooks
HOOKLESS = (
    *('git commit-tree', 'git fast-import', 'git filter-', 'git hash-object'),
    *('git replace', 'git update-ref', 'git send-pack', 'git http-push'),
    *('git receive-pack', 'git symbolic-ref'),
)
HOOKED = 'use `git commit` and `git push`, whose hooks judge the commits'
UNSKIPPED = 'let the hooks run, and fix what they refuse'
# the largest number of paths that one pattern may match
MAX_PATHS = 1000
# the largest number of words that are joined with each other as paths
MAX_WORDS = 50
ANYWHERE = '**'
MARKS = '*?['
# stands for any name that a pattern may match
NAME = 'X'
SIGNS_OF_CODE = ' \n(\'"'
# possible file names in a text of any language
IN_CODE = re.compile(r"""['"]([^'"\s]+)['"]|=([^\s'";]+)""")
COPYING = frozenset('cp mv copy copyto sync'.split())
# parts of names of programs and scripts, and first words, that mean "only reads"
LOOKING = frozenset(
    """check verify validate lint show print list view diff test tests read dump
    parse stat stats info count report summary summarize search find query audit
    inspect compare preview render spell links upload send push sign hash digest
    dgst""".split()
)
WRITING = frozenset(
    """fix write update edit format fmt set rewrite sync migrate apply replace
    generate gen w i""".split()
)


Decisions = Iterator[Decision | None]


def _judge_path(
    context: Context, effect: Writes | Removes, path: str
) -> Decision | None:
    removed, content = isinstance(effect, Removes), None
    if isinstance(effect, Writes) and effect.how != '>>':
        content = effect.content
    write = Write(path, lambda: content, effect.how, removed, effect.recursive)
    write.kept = isinstance(effect, Writes) and isinstance(effect.origin, KeptContent)
    write.target = effect.target if isinstance(effect, Removes) else ''
    return judge_write(context, write)


def _fixed(pattern: str) -> str:
    """The part of a pattern before its first wildcard."""
    ends = [pattern.find(mark) for mark in MARKS if mark in pattern]
    return pattern[: min(ends, default=len(pattern))]


def _of_protected(
    context: Context, effect: Writes | Removes
) -> Iterator[tuple[str, Decision]]:
    """The protected files that a pattern matches."""
    fixed = _fixed(effect.path)
    for path in protected_files.files(context):
        if not path.startswith(fixed) or not covers(effect, path):
            continue
        if ANYWHERE in effect.path or os.path.lexists(path):
            decision = _judge_path(context, effect, path)
            if decision:
                yield path, decision


def _of_anywhere(context: Context, effect: Writes | Removes) -> Iterator[str]:
    """Files that may exist: deliverables, and files that other sessions hold."""
    pattern = effect.path
    space = context.space if protected_files.has_tasks(context) else None
    fixed = os.path.dirname(_fixed(pattern))
    folders = [(fixed, True)] if fixed else []
    for task in space.names() if space else ():
        folder = space.code(task) if space else ''
        if is_below(folder, fixed or os.sep):
            folders.append((folder, False))
    last = pattern.rpartition('/')[2]
    name = last.replace('**', NAME).replace('*', NAME).replace('?', NAME)
    names = [name] if '[' not in name else []
    if names and last.endswith('*') and space:
        names += [name + suffix for suffix in space.protocol.implementation.suffixes]
    for folder, is_named in folders:
        for name in names:
            path = os.path.join(folder, name)
            decision = _judge_path(context, effect, path)
            if decision and (is_named or decision.code == 'CLD007'):
                yield path


def _of_pattern(context: Context, effect: Writes | Removes) -> Decisions:
    """Judge a pattern by the files that match it. If it may match files anywhere,
    judge it by the guarded files, and let the user decide."""
    found = _of_protected(context, effect)
    if ANYWHERE in effect.path:
        path = next(found, ('',))[0] or next(_of_anywhere(context, effect), '')
        if path:
            yield unsure(f'`{shown(effect.how)}` may reach {path}')
        return
    for _, decision in found:
        yield decision
    from glob import iglob

    for count, path in enumerate(iglob(effect.path)):
        if count == MAX_PATHS:
            yield unsure(f'`{shown(effect.how)}` reaches too many files')
            return
        yield _judge_path(context, effect, path)


def _of_path(context: Context, effect: Writes | Removes) -> Decisions:
    if effect.glob:
        yield from _of_pattern(context, effect)
    else:
        yield _judge_path(context, effect, effect.path)


def _of_unlisted(context: Context, effect: Writes, fails: bool) -> Decisions:
    """Judge a write whose files are unknown: a missing archive, an unnamed revision."""
    inside = effect.path.rstrip('/') + '/X'
    tops = (context.top, context.base, top_of(effect.path))
    decision = _judge_path(context, Writes(inside, effect.how), inside)
    if decision:
        yield decision
    elif fails and effect.how != 'rsync' and effect.path in tops:
        # templates are often unpacked over the whole project
        return
    elif effect.glob or not os.path.isdir(effect.path):
        yield from _of_path(context, effect._replace(recursive=False))
    else:
        path = f'{effect.path.rstrip("/")}/{ANYWHERE}'
        yield from _of_pattern(context, Writes(path, effect.how, glob=True))


def _ran_before(done: list[Effect]) -> bool:
    """Whether the same call did anything before its last program."""
    return any([at for at, each in enumerate(done) if isinstance(each, Runs)][-1:])


def _of_written(outcomes: Outcomes, effect: Writes) -> Decisions:
    context, origin = outcomes.context, effect.origin
    if effect.glob and not (isinstance(origin, CopiedContent) and origin.glob):
        yield from _of_pattern(context, effect)
        return
    elif effect.recursive and origin in (None, KeptContent()):
        yield from _of_path(context, effect)
        return
    copied = isinstance(origin, CopiedContent) and not origin.link
    try:
        for write in outcomes.of_write(effect):
            write.how = effect.how
            decision = judge_write(context, write)
            if (
                decision
                and decision.code == REWRITTEN
                and copied
                and write.new is None
                and _ran_before(outcomes.done)
            ):
                # its result can be computed only if nothing ran before it
                decision.hint = (
                    f'run `{effect.how}` in a separate call, so that its result can '
                    f'be judged'
                )
            yield decision
    except Unlisted as error:
        yield from _of_unlisted(context, effect, any(error.args))


def _of_files(outcomes: Outcomes, effect: Writes | Removes) -> Decisions:
    """The effect itself, and the file that a link made by the same command leads to."""
    effects = [effect]
    for link in outcomes.done:
        if not isinstance(link, Writes) or not isinstance(link.origin, CopiedContent):
            continue
        if link.origin.link and is_below(effect.path, link.path):
            rest = effect.path[len(link.path) :]
            if rest or isinstance(effect, Writes):
                effects.append(effect._replace(path=link.origin.path + rest))
    for each in effects:
        if isinstance(each, Removes):
            yield from _of_path(outcomes.context, each)
        else:
            yield from _of_written(outcomes, each)


def _of_patch(outcomes: Outcomes, effect: Patches) -> Decisions:
    try:
        for write in outcomes.of_patch(effect):
            write.how = effect.how
            yield judge_write(outcomes.context, write)
    except Unlisted:
        yield unsure(f'`{shown(effect.how)}` changes the files that a patch names')


def _possible_files(effect: Runs) -> set[str]:
    """The arguments that may name files: `a`, `--out=a`, `-oa`, `x:a`."""
    words = effect.args
    if COPYING.intersection(words[:3]):
        # copies to or from another machine write only their last argument
        words = words[-1:]
    found = set()
    for word in words:
        value = word[2:] if word[:1] == '-' else word
        value = word.partition('=')[2] if '=' in word else value
        if value and not any(sign in value for sign in '*\n'):
            for name in {value, value.rpartition(':')[2]}:
                found.add(os.path.normpath(os.path.join(effect.directory, name)))
    return found


def _inside(paths: set[str]) -> set[str]:
    """Join each name with each directory among the paths: `-d folder -o name`."""
    names = {os.path.basename(path) for path in paths}
    if len(names) > MAX_WORDS:
        return set()
    folders = list(filter(os.path.isdir, paths))
    return {os.path.join(folder, name) for folder in folders for name in names}


def _is_known(effect: Runs) -> bool:
    """Whether a program only reads, or the shell reader knows its effects."""
    name = effect.program
    if name in READERS or name.startswith('interlock'):
        return True
    elif is_interpreter(name):
        # the shell reader reports a module as a program of its own
        return '-m' in effect.args
    return family(name) in TABLE and name not in (*SCRIPTED, *CONTAINERS)


def _only_looks(effect: Runs) -> bool:
    """Whether its name or first words mean that it only reads: `x check a`,
    `lint-all a`."""
    scripted = is_interpreter(effect.program)
    args = [word for word in effect.args if scripted or not os.path.splitext(word)[1]]
    first = map(os.path.basename, [effect.program, *args][:3])
    parts = {part for word in first for part in re.split('[^a-z]+', word.lower())}
    return bool(parts & LOOKING) and not parts & WRITING


def _code(effect: Runs) -> list[str]:
    return [word for word in effect.args if any(sign in word for sign in SIGNS_OF_CODE)]


def _reads_lines(effect: Runs) -> bool:
    """Whether an interpreter only reads its files: `perl -ne …`, or read-only code."""
    flags = ''.join(word for word in effect.args if re.fullmatch(r'-[a-zA-Z0]+', word))
    if effect.program in ('perl', 'ruby'):
        return bool(set('np') & set(flags)) and 'i' not in flags
    code = _code(effect)
    return bool(code) and all(only_reads(effect.program, each) for each in code)


def _of_arguments(context: Context, effect: Runs) -> Decisions:
    """Judge the arguments of an unknown program: it may write any of these files."""
    words = set() if _is_known(effect) else _possible_files(effect)
    if not words or (is_interpreter(effect.program) and _reads_lines(effect)):
        return
    words |= _inside(words)
    looks = _only_looks(effect)
    for path in protected_files.files(context):
        if path not in words or (looks and protected_files.is_record(context, path)):
            continue
        if _judge_path(context, Writes(path, effect.program), path):
            yield unsure(f'`{shown(effect.program)}` may write {path}')


def _protected_in(context: Context, effect: Runs, code: str) -> str:
    """A protected file that code names, and that must not be written; '' if none."""
    for path in named(code, effect.directory, protected_files.files(context)):
        if _judge_path(context, Writes(path, effect.program), path):
            return path
    return ''


def _of_code(context: Context, effect: Runs) -> Decisions:
    """Judge code by the files that it names, as it may write them. In an unknown
    language, a name is quoted or follows an equals sign."""
    name, scripted = shown(effect.program), is_interpreter(effect.program)
    if not scripted and (_is_known(effect) or _only_looks(effect)):
        return
    for code in _code(effect):
        if not scripted:
            names = (f'"{one or two}"' for one, two in IN_CODE.findall(code))
            if path := _protected_in(context, effect, ' '.join(names)):
                yield unsure(f'the text given to `{name}` names {path}')
        elif not only_reads(effect.program, code):
            words = (word for word in protected_files.WORDS if word in code)
            if found := next(words, '') or _protected_in(context, effect, code):
                yield unsure(f'code for {name} names {found}')


def _of(outcomes: Outcomes, effect: Effect, after: list[Effect]) -> Decisions:
    context = outcomes.context
    if isinstance(effect, Skips):
        what = shown(effect.what)
        hint = HOOKED if effect.what.startswith(HOOKLESS) else UNSKIPPED
        yield deny('CLD001', f'`{what}` keeps the hooks from running', hint)
    elif isinstance(effect, Poses):
        yield deny(
            'CLD002',
            f'`{shown(effect.how)}` changes {shown(effect.name)}, which identifies '
            f'the session',
            'run the command without changing that variable',
        )
    elif isinstance(effect, Unknown):
        yield unsure(shown(effect.why))
    elif isinstance(effect, Git):
        yield next(programs.judge_git(context, effect), None)
    elif isinstance(effect, Runs):
        yield next(programs.judge_self_call(effect, after), None)
        yield next(programs.judge_command(context, effect), None)
        yield from _of_code(context, effect)
        yield from _of_arguments(context, effect)
    elif isinstance(effect, SetsPath):
        why = programs.why_doubtful(context, effect.directories, outcomes.done)
        if why:
            decide = ask if why.startswith(programs.UNSURE) else deny
            text = f'`{shown(effect.what)}` may keep the hooks from running: {why}'
            yield decide('CLD001', text, UNSKIPPED)
    elif isinstance(effect, Patches):
        yield from _of_patch(outcomes, effect)
    else:
        yield from _of_files(outcomes, effect)


def judge(context: Context, effects: list[Effect]) -> Iterator[Decision]:
    outcomes, acquires = Outcomes(context), False
    for at, effect in enumerate(effects, 1):
        if isinstance(effect, Runs) and effect.program == 'interlock':
            acquires = acquires or effect.args[:2] == ACQUIRE
        for decision in filter(None, _of(outcomes, effect, effects[at:])):
            if decision.code == LOCKLESS and acquires:
                # this same call acquires the lock, but does not hold it yet
                decision.message += ', and this call is judged before it runs'
                decision.hint = f'in a separate call: {decision.hint}'
            yield decision
        outcomes.done.append(effect)
