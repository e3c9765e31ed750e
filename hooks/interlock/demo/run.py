"""A throwaway repository in which good and bad commits are tried."""

from __future__ import annotations

import json
import os
import shlex
import sys
import tempfile
import textwrap
import time
from pathlib import Path

from interlock.demo import project_files
from interlock.demo.attempts import (
    BRIEF,
    CODE,
    START,
    Attempt,
    Files,
    attempts,
    handoff_of,
)
from interlock.git.run_command import feed
from interlock.model import quick_re as re
from interlock.model.errors import Refusal
from interlock.model.quick_typing import Any, Iterator, Mapping, NamedTuple

# seconds for any of its commands
SECONDS = 300
SCRIPTS = Path(sys.executable).parent
FINDING_RE = re.compile(r'\S.*: [A-Z]{3}[0-9]{3} ')
RULE_RE = re.compile(r'^(live|dead|not wired) +([A-Z]{3}[0-9]{3}) ', re.MULTILINE)
# how the doctor begins the names of what the client is asked
CLIENT = {'claude', 'canary'}
# the rules that only a message can break
MESSAGES = {
    'REG019',
    'CON006',
    'CON007',
    'COM002',
    'COM003',
    'COM004',
    'COM005',
    'COM006',
}
# seconds for the answer of a guard
ANSWER = 60
SETTINGS = Path('.claude', 'settings.local.json')


class Call(NamedTuple):
    what: str
    tool: str
    given: Mapping[str, str]
    # the code that refuses it, '' for a call that must be let through
    refused_by: str


def calls(top: Path) -> list[Call]:
    return [
        Call(
            'an agent rewrites a sealed contract',
            'Write',
            {'file_path': str(top / BRIEF), 'content': '# Mine\n'},
            'CON006',
        ),
        Call(
            'an agent skips the hooks',
            'Bash',
            {'command': 'git commit -anm "quick fix"'},
            'CLD001',
        ),
        Call(
            'an agent removes a hook',
            'Bash',
            {'command': 'rm .git/hooks/pre-commit'},
            'CLD003',
        ),
        Call(
            'an agent writes code, and a message about --no-verify',
            'Write',
            {'file_path': str(top / CODE), 'content': '// no --no-verify\n'},
            '',
        ),
    ]


def _handler(top: Path) -> dict[str, Any]:
    settings = json.loads((top / SETTINGS).read_text(encoding='UTF-8'))
    groups = settings['hooks']['PreToolUse']
    handler: dict[str, Any] = groups[0]['hooks'][0]
    return handler


def send(top: Path, environ: Mapping[str, str], call: Call) -> tuple[int, str]:
    """Runs what the settings name; its exit code and what the agent sees."""
    handler = _handler(top)
    event = {
        'hook_event_name': 'PreToolUse',
        'cwd': str(top),
        'session_id': 'demo',
        'tool_name': call.tool,
        'tool_input': call.given,
    }
    words = (
        [handler['command'], *handler['args']]
        if 'args' in handler
        # a shell reads a command whose arguments do not stand beside it
        else ['sh', '-c', handler['command']]
    )
    answered = feed(
        words,
        json.dumps(event).encode(),
        str(top),
        {**environ, 'CLAUDECODE': '1'},
        ANSWER,
    )
    if not answered.out.strip():
        return answered.code, ''
    answer = json.loads(answered.out)['hookSpecificOutput']
    return answered.code, str(answer['permissionDecisionReason'])


def _ours(output: str) -> Iterator[str]:
    """Every finding with its remedy, and the verdict."""
    remedy = False
    for line in output.splitlines():
        found = FINDING_RE.match(line) is not None
        if found or remedy or line.startswith('interlock: '):
            yield line
        remedy = found


def _rules(output: str) -> list[tuple[str, str]]:
    """The verdict on each rule, as the doctor gives it."""
    return RULE_RE.findall(output)


class Demo:
    def __init__(self, directory: str) -> None:
        self.top = Path(directory, 'repository')
        self.top.mkdir()
        self.server = Path(directory, 'server.git')
        identity = {
            f'GIT_{role}_{key}': value
            for role in ('AUTHOR', 'COMMITTER')
            for key, value in (('NAME', 'Demo'), ('EMAIL', 'demo@example.invalid'))
        }
        self.environ = {
            **os.environ,
            **identity,
            'PATH': f'{SCRIPTS}{os.pathsep}{os.environ["PATH"]}',
            'GIT_CONFIG_GLOBAL': os.devnull,
        }

    def say(self, text: str) -> None:
        sys.stdout.write(f'{text}\n')
        sys.stdout.flush()

    def run(self, *command: str, show: bool = True) -> tuple[int, str]:
        if show:
            self.say(f'$ {shlex.join(command)}')
        found = feed(command, b'', str(self.top), self.environ, SECONDS)
        return found.code, found.out + found.err

    def must(self, *command: str, show: bool = True) -> None:
        code, output = self.run(*command, show=show)
        if code:
            raise Refusal(
                f'cannot set up the demo: {output.strip()}', 'interlock doctor'
            )

    def write(self, files: Files) -> None:
        for name, text in files.items():
            path = self.top / name
            if text is None:
                path.unlink()
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding='UTF-8')

    def set_up(self) -> None:
        self.must('git', 'init', '-q', '-b', 'main')
        self.write(
            {
                'PLUGINS.md': project_files.registry(START),
                project_files.handoff_path('Bravo'): handoff_of('2'),
                project_files.handoff_path('Charlie'): project_files.handoff(
                    'Charlie', '6', status='workflow_complete'
                ),
                **project_files.item_files('Bravo'),
                **project_files.item_files('Charlie'),
            }
        )
        self.must('interlock', 'init', '--git-hooks', '--claude')
        self.must('git', 'add', '--all')
        self.must('git', 'commit', '-q', '-m', 'chore: three plugins')

    def verdict(self, right: bool, output: str) -> bool:
        if not right:
            self.say(output)
        self.say('  as expected' if right else '  NOT AS EXPECTED')
        return right

    def push(self) -> bool:
        """A commit past the local hooks meets the same rules on a server."""
        self.say(
            '\n-- a commit made with --no-verify is pushed (must be '
            'refused by the server)'
        )
        self.must('git', 'clone', '-q', '--bare', '.', str(self.server), show=False)
        hook = self.server / 'hooks' / 'pre-receive'
        hook.write_text('#!/bin/sh\nexec interlock pre-receive --budget 60\n')
        hook.chmod(0o755)
        self.run('git', 'remote', 'add', 'server', str(self.server), show=False)
        self.write({BRIEF: '# Quietly another brief\n'})
        self.must('git', 'commit', '-q', '--no-verify', '-a', '-m', 'oops')
        # past the hook of the push, too
        code, output = self.run('git', 'push', '--no-verify', 'server', 'main')
        for line in _ours(output.replace('remote: ', '')):
            self.say(f'  {line.rstrip()}')
        self.run('git', 'reset', '-q', '--hard', 'HEAD~1', show=False)
        return self.verdict(code != 0 and ': CON001 ' in output, output)

    def canary(self, what: str, dead: set[str] | None) -> bool:
        """Every rule is tried; None: all of them must be found dead."""
        wanted = (
            'every rule must be dead'
            if dead is None
            else f'{len(dead)} rules must be dead'
            if dead
            else 'every rule must be live'
        )
        self.say(f'\n-- is the gate live, {what} ({wanted})')
        code, output = self.run('interlock', 'doctor', '--canary')
        rules = _rules(output)
        found = {name for verdict, name in rules if verdict == 'dead'}
        for verdict in ('live', 'dead'):
            names = [name for said, name in rules if said == verdict]
            if names:
                text = f'  {verdict}: {" ".join(names)}'
                self.say(textwrap.fill(text, 79, subsequent_indent='    '))
        if dead is None:
            dead = {name for _, name in rules}
        right = bool(rules) and found == dead and (code != 0) == bool(dead)
        return self.verdict(right, output)

    def canaries(self) -> list[bool]:
        right = [self.canary('with all hooks installed', set())]
        hook = self.top / '.git' / 'hooks' / 'commit-msg'
        aside = hook.with_name('commit-msg.aside')
        hook.rename(aside)
        right.append(self.canary('without the hook commit-msg', MESSAGES))
        aside.rename(hook)
        self.must('git', 'config', 'core.hooksPath', '.git/elsewhere')
        right.append(self.canary('with another core.hooksPath', None))
        self.must('git', 'config', '--unset', 'core.hooksPath', show=False)
        right.append(self.broken_settings())
        return right

    def broken_settings(self) -> bool:
        """The rules that git asks about stay live, the client's do not."""
        self.say(
            '\n-- is the gate live, with broken settings of the client '
            '(exactly the client must be dead)'
        )
        file = self.top / SETTINGS
        whole = file.read_text(encoding='UTF-8')
        file.write_text(whole[:-20], encoding='UTF-8')
        code, output = self.run('interlock', 'doctor', '--canary')
        file.write_text(whole, encoding='UTF-8')
        dead = [line for line in output.splitlines() if line[:4] == 'dead']
        for line in dead[:2]:
            self.say(f'  {line}')
        self.say(f'  and {len(dead) - 2} more of the client')
        rules = _rules(output)
        right = (
            code != 0
            and bool(rules)
            and bool(dead)
            and all(verdict != 'dead' for verdict, _ in rules)
            and all(line.split()[1] in CLIENT for line in dead)
        )
        return self.verdict(right, output)

    def tool(self, call: Call) -> bool:
        """Tries a tool call; True if it went as it should."""
        wanted = (
            f'must be refused by {call.refused_by}'
            if call.refused_by
            else 'must be let through'
        )
        self.say(f'\n-- {call.what} ({wanted})')
        self.say(f'  {call.tool} {next(iter(call.given.values()))}')
        code, reason = send(self.top, self.environ, call)
        for line in reason.splitlines():
            self.say(
                textwrap.fill(line, 77, initial_indent='  ', subsequent_indent='    ')
            )
        right = (code, reason[:6]) == (
            (2, call.refused_by) if call.refused_by else (0, '')
        )
        return self.verdict(right, reason)

    def attempt(self, attempt: Attempt) -> bool:
        """Tries a commit; True if it went as it should."""
        wanted = (
            f'must be refused by {attempt.refused_by}'
            if attempt.refused_by
            else 'must be accepted'
        )
        self.say(f'\n-- {attempt.what} ({wanted})')
        self.write(attempt.files)
        self.run('git', 'add', '--all', show=False)
        code, output = self.run('git', 'commit', '-m', attempt.message)
        for line in _ours(output):
            self.say(f'  {line}')
        if attempt.refused_by:
            right = code != 0 and f': {attempt.refused_by} ' in output
            self.run('git', 'reset', '-q', '--hard', show=False)
        else:
            right = code == 0
        return self.verdict(right, output)


def main() -> int:
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix='interlock-demo-') as directory:
        demo = Demo(directory)
        demo.set_up()
        tried = attempts()
        right = [demo.attempt(attempt) for attempt in tried]
        tools = calls(demo.top)
        right.extend(demo.tool(call) for call in tools)
        right.append(demo.push())
        told = demo.canaries()
        right.extend(told)
        demo.say('\n-- the board')
        _, board = demo.run('interlock', 'status')
        demo.say(board.rstrip())
        refused = sum(bool(attempt.refused_by) for attempt in tried)
        stopped = sum(bool(call.refused_by) for call in tools)
        seconds = time.monotonic() - start
        demo.say(
            f'\n{refused} bad commits refused, '
            f'{len(tried) - refused} good ones accepted, {stopped} tool '
            f'calls and 1 push refused, {len(told)} times told what is '
            f'live, in {seconds:.0f} seconds'
            if all(right)
            else f'\n{right.count(False)} of {len(right)} attempts went wrong'
        )
    return 0 if all(right) else 1
