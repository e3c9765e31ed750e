"""Follows every hint that a test makes us print, on the state that made it.

With INTERLOCK_HINTS=FILE each run of the command line is read for hints. One
hint of each template is followed to its end in a copy of the test's folder,
which takes the folder's place meanwhile, and what came of it is added to FILE.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from interlock.commands.group import COMMANDS

FILE = 'INTERLOCK_HINTS'
SCRIPTS = Path(sys.executable).parent
# what stands for a reason that only the reader knows, and such a reason
WHY = 'WHY'
REASON = 'the client asked for it'
PLACEHOLDER_RE = re.compile(
    r'(?<![\w$./-])(?:ITEM|STAGE|STATUS|STATE|TYPE|TEXT|REASON|RESULT|ID|VALUE|'
    r'NAME|FILE|SUBJECT|PHASE|TASK|AGENT|KEY|REV|N|HEADER|COLUMN|PATH|BRANCH|SESSION|'
    r'CODE|URL|CLIENT|PRESET)(?![\w./-])'
)
NEXT_RE = re.compile(
    r'(?:^|[ ;(])(?:next|then|go on with|when [\w ]+): (.+?)\)?$', re.MULTILINE
)
PROGRAMS = {
    *('interlock', 'git', 'rm', 'mv', 'chmod', 'sed', 'ls', 'df', 'export', 'cd'),
    *('pip', 'pipx', 'pre-commit', 'prek', 'lefthook', 'npx', 'npm', 'claude', 'cat'),
}
# an option of a menu, and the line below them
OPTION_RE = re.compile(r'^(\d+)\. (.+)$', re.MULTILINE)
MENU = 'Choose (1-'
# a command of an agent's client: those of our plugin exist
SLASH_RE = re.compile(r'(?<![\w/.-])/([a-z-]+)(?![\w/.-])')
SLASHED = {path.stem for path in (Path(__file__).parents[2] / 'commands').glob('*.md')}
# waits until another session is done
WAITS = '--until-free'
# these show remedies of which a person chooses one, or what may stand in a file
# that only a person can correct
CHOICES = ('interlock resolve', 'interlock menu', 'interlock config explain')
LONGEST = 6
# an option that changes nothing, and says nothing
LEAVES = 'Pause'
# how the options of a menu are taken without a terminal
TAKEN_BY = {'menu': '--choice', 'resolve': '--choose'}
# what an agent cannot do, and must not be told to do
OF_PEOPLE_RE = re.compile(r'EDITOR|export INTERLOCK_SESSION|\b(?:vi|nano|terminal)\b')
# the way on once the user has agreed
AGREED = '; then: '


class Agent(NamedTuple):
    """Who follows a hint that the guard gave: its own calls are judged too."""

    cwd: Path
    environ: Mapping[str, str]
    # the refusal of a command of a shell, '' where it may run
    refusal: Callable[[str], str]

    def keeps_from(self, command: str) -> str:
        found = OF_PEOPLE_RE.search(command)
        if found:
            return f'an agent has no {found[0]}'
        refused = self.refusal(filled_in(command))
        return f'the guard refuses it: {refused}' if refused else ''


class Hint(NamedTuple):
    text: str
    # of a finding: its severity, code and item
    finding: tuple[str, str, str] | None = None


class Ran(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def following(self) -> str:
        found = NEXT_RE.findall(self.err) or NEXT_RE.findall(self.out)
        return found[0].strip() if found else ''


def hints(out: str, err: str) -> Iterator[Hint]:
    try:
        data = json.loads(out)
    except ValueError:
        data = None
    if isinstance(data, dict):
        for each in data.get('findings') or ():
            if isinstance(each, dict) and 'fix' in each:
                about = each['severity'], each['code'], each['item']
                yield Hint(each['fix']['command'] or each['fix']['label'], about)
    else:
        yield from map(Hint, NEXT_RE.findall(out))
    yield from map(Hint, NEXT_RE.findall(err))


def options(args: Sequence[str], out: str) -> Iterator[tuple[str, Hint]]:
    """Each option of a menu, by its label, and the command that takes it."""
    taken_by = TAKEN_BY.get(args[0], '')
    if taken_by and taken_by not in args and out.count(MENU) == 1:
        for number, label in OPTION_RE.findall(out):
            choice = [*args, taken_by, number]
            if label.startswith(LEAVES):
                continue
            yield label, Hint(f"interlock {shlex.join(choice)} --text '{WHY}'")


def is_command(text: str) -> bool:
    return text.split(' ')[0] in PROGRAMS


def template(text: str) -> str:
    """A hint without what differs from one project to another."""
    if not is_command(text):
        return re.sub(r'`[^`]*`|[\w.-]*[/.][\w./-]+|\d+', '_', text)
    try:
        words = shlex.split(text)
    except ValueError:
        return text
    kept = []
    for at, word in enumerate(words):
        is_verb = at in {1, 2} and re.fullmatch('[a-z-]+', word)
        if word.startswith('-'):
            kept.append(word.partition('=')[0])
        elif (
            at == 0
            or word in COMMANDS
            or is_verb
            or not (word[0].isalnum() or word[0] == '/')
        ):
            kept.append(word)
        elif kept[-1] != '_':
            kept.append('_')
    return ' '.join(kept)


def content(tops: Sequence[Path]) -> dict[str, bytes]:
    """Everything that a hint can change."""
    return {
        str(path): path.read_bytes()
        for top in tops
        for path in sorted(top.rglob('*'))
        if path.is_file()
        and not {'objects', 'logs', 'cache'} & set(path.parts)
        and path.name not in {'index', 'COMMIT_EDITMSG'}
    }


def filled_in(command: str) -> str:
    """With a reason where only the reader knows one."""
    return command.replace(WHY, REASON)


def shell(command: str, more: Mapping[str, str] | None = None) -> Ran:
    environ = {
        **os.environ,
        **(more or {}),
        'PATH': f'{SCRIPTS}{os.pathsep}{os.environ["PATH"]}',
        'EDITOR': 'false',
        'GIT_EDITOR': 'false',
    }
    done = subprocess.run(
        ['sh', '-c', filled_in(command)],
        env=environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors='backslashreplace',
        timeout=60,
    )
    return Ran(done.returncode, done.stdout, done.stderr)


class Followed(NamedTuple):
    # '' where the hint leads on
    wrong: str
    way: tuple[str, ...]


def _unusable(text: str) -> str:
    if 'EDITOR' in text:
        return 'it opens an editor'
    unknown = set(SLASH_RE.findall(text)) - SLASHED
    if unknown:
        return f'there is no /{unknown.pop()}'
    found = PLACEHOLDER_RE.search(text)
    return f'`{found[0]}` has to be filled in' if found else ''


def _not_run(ran: Ran) -> str:
    if ran.code in {126, 127} or 'Usage: ' in ran.err:
        return f'it does not run: {ran.err[-300:]}'
    return ''


def follow(
    hint: Hint, tops: Sequence[Path], origin: Sequence[str], agent: Agent | None = None
) -> Followed:
    """Run a hint, and each that comes of it, to the end of the way."""
    command, way = hint.text, []
    seen: set[tuple[str, str]] = set()
    while is_command(command) and WAITS not in command:
        way.append(command)
        before = content(tops)
        state = command, repr(before)
        wrong = _unusable(command) or (agent.keeps_from(command) if agent else '')
        if wrong or len(way) > LONGEST or state in seen:
            return Followed(wrong or 'it leads in a circle', tuple(way))
        seen.add(state)
        ran = shell(command, agent.environ if agent else None)
        if wrong := _not_run(ran):
            return Followed(wrong, tuple(way))
        elif ran.code == 0 or MENU in ran.out:
            break
        elif not ran.following and content(tops) == before:
            said = f'{ran.out[-300:]}{ran.err[-300:]}'
            return Followed(f'exit {ran.code}, and nothing comes next: {said}', (*way,))
        elif not ran.following:
            break
        command = ran.following
    else:
        return Followed(_unusable(command), (*way, command))
    if (
        hint.finding
        and hint.finding[0] == 'error'
        and not _only_shows(way[-1])
        # what a commit did stays in it
        and not {'audit', '--range', '--commit', '--base'} & set(origin)
    ):
        return Followed(_remains(hint, origin), tuple(way))
    return Followed('', tuple(way))


def _only_shows(command: str) -> bool:
    return command.startswith(CHOICES)


def _remains(hint: Hint, origin: Sequence[str]) -> str:
    ran = shell(f'interlock {shlex.join(origin)}')
    same = [
        each
        for each in hints(ran.out, '')
        if each.finding and each.text == hint.text and each.finding == hint.finding
    ]
    return f'{hint.finding} is still there' if same else ''


_followed: set[str] = set()
# where the test that runs works
folders: list[Path] = []


def replay(file: str, args: Sequence[str], out: str, err: str) -> None:
    """Follow the hints of one run that are of a new template."""
    found = [(template(hint.text), hint) for hint in hints(out, err)]
    for form, hint in [*found, *options(args, out)]:
        _replay(file, form, hint, args)


def replay_reply(file: str, reason: str, agent: Agent) -> None:
    """Follow what the guard tells an agent, once the user has agreed."""
    for hint in hints('', reason):
        text = hint.text.rpartition(AGREED)[2]
        form = f'agent: {template(text)}'
        _replay(file, form, Hint(text), ('guard',), agent)


def _replay(
    file: str, form: str, hint: Hint, args: Sequence[str], agent: Agent | None = None
) -> None:
    if form in _followed:
        return
    _followed.add(form)
    here = os.getcwd()
    aside = {folder: folder.with_name(f'{folder.name}.aside') for folder in folders}
    for folder, kept in aside.items():
        os.rename(folder, kept)
    try:
        for folder, kept in aside.items():
            shutil.copytree(kept, folder, symlinks=True)
        os.chdir(agent.cwd if agent else here)
        followed = follow(hint, folders, args, agent)
    finally:
        for folder, kept in aside.items():
            shutil.rmtree(folder, ignore_errors=True)
            os.rename(kept, folder)
        os.chdir(here)
    record: dict[str, Any] = {
        'template': form,
        'test': os.environ.get('PYTEST_CURRENT_TEST', ''),
        'args': list(args),
        'way': followed.way,
        'wrong': followed.wrong,
    }
    with open(file, 'a', encoding='UTF-8') as stream:
        stream.write(json.dumps(record, ensure_ascii=False) + '\n')
