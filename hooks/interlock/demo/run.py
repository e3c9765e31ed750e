"""Tries good and bad commits in a throwaway repository."""

from __future__ import annotations

import json
import os
import shlex
import sys
import tempfile
import textwrap
import time
from pathlib import Path

from interlock.demo.attempts import (
    FROZEN,
    SPEC,
    TABLE,
    WORKFLOW,
    Attempt,
    calls,
    commits,
    table,
)
from interlock.git.run_command import feed
from interlock.model import quick_re as re
from interlock.model.errors import Refusal
from interlock.model.quick_typing import Iterator, Mapping

# the time limit for each of its commands, in seconds
SECONDS = 300
SCRIPTS = Path(sys.executable).parent
FINDING_RE = re.compile(r'\S.*: [A-Z]{3}[0-9]{3} ')
# the command after a remedy
HINT_RE = re.compile(r'^    [^:]+: (.+)$', re.MULTILINE)
RULE_RE = re.compile(r'^(live|dead|not wired) +([A-Z]{3}[0-9]{3}) ', re.MULTILINE)
# prefixes of the doctor's probes that concern the client
CLIENT = {'claude', 'canary'}
# the rules that only a commit message can break
MESSAGES = {'REG019', 'CON007'}
SETTINGS = Path('.claude', 'settings.local.json')


def _ours(output: str) -> Iterator[str]:
    """Every finding with its remedy, and the verdict."""
    remedy = False
    for line in output.splitlines():
        found = FINDING_RE.match(line) is not None
        if found or remedy or line.startswith('interlock: '):
            yield line
        remedy = found


def _rules(output: str) -> list[tuple[str, str]]:
    """The doctor's verdict on each rule."""
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

    def write(self, files: Mapping[str, str]) -> None:
        for name, text in files.items():
            path = self.top / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding='UTF-8')

    def set_up(self) -> None:
        self.must('git', 'init', '-q', '-b', 'main')
        self.write({TABLE: table(), SPEC: '# Logs people in\n'})
        self.say(f'$ cat {TABLE}\n{table().rstrip()}')
        self.must('interlock', 'init', '--git-hooks', '--claude')
        self.say(f'$ cat >>{WORKFLOW}\n{FROZEN.rstrip()}')
        with open(self.top / WORKFLOW, 'a', encoding='UTF-8') as file:
            file.write(FROZEN)
        self.must('git', 'add', '--all')
        self.must('git', 'commit', '-q', '-m', 'chore: adopt interlock')

    def verdict(self, right: bool, output: str) -> bool:
        if not right:
            self.say(output)
        self.say('  as expected' if right else '  NOT AS EXPECTED')
        return right

    def attempt(self, attempt: Attempt) -> bool:
        """Try a commit or a call; return whether the result was as expected."""
        code = attempt.refused_by
        wanted = f'must be refused by {code}' if code else 'must pass'
        self.say(f'\n-- {attempt.what} ({wanted})')
        is_refused, output = (self.call if attempt.tool else self.commit)(attempt)
        right = is_refused == bool(code) and code in output
        if attempt.follows:
            right = self.follow(output) and right
        if code and not attempt.tool:
            self.run('git', 'reset', '-q', '--hard', show=False)
        return self.verdict(right, output)

    def commit(self, attempt: Attempt) -> tuple[bool, str]:
        """Whether a commit is refused, and what git says."""
        self.write(attempt.given)
        self.run('git', 'add', '--all', show=False)
        code, output = self.run('git', 'commit', '-m', attempt.message)
        for line in _ours(output):
            self.say(f'  {line}')
        return code != 0, output

    def call(self, attempt: Attempt) -> tuple[bool, str]:
        """Whether the command in the client's settings refuses a call, and why."""
        self.say(f'  {attempt.tool} {next(iter(attempt.given.values()))}')
        settings = json.loads((self.top / SETTINGS).read_text(encoding='UTF-8'))
        command = settings['hooks']['PreToolUse'][0]['hooks'][0]['command']
        event = {
            'hook_event_name': 'PreToolUse',
            'cwd': str(self.top),
            'session_id': 'demo',
            'tool_name': attempt.tool,
            'tool_input': attempt.given,
        }
        environ = {**self.environ, 'CLAUDECODE': '1'}
        data = json.dumps(event).encode()
        found = feed(['sh', '-c', command], data, str(self.top), environ, SECONDS)
        if not found.out.strip():
            return found.code != 0, found.err
        reason = json.loads(found.out)['hookSpecificOutput']['permissionDecisionReason']
        for line in reason.splitlines():
            self.say(
                textwrap.fill(line, 77, initial_indent='  ', subsequent_indent='    ')
            )
        return True, reason

    def follow(self, output: str) -> bool:
        """Run the command in a refusal; return whether the check then passes."""
        (command, *_) = HINT_RE.findall(output) or ['false']
        self.say('  what it names is run:')
        code, said = self.run('sh', '-c', command, show=False)
        self.say(f'  $ {command}')
        for line in said.splitlines():
            self.say(f'    {line}')
        self.run('git', 'add', '--all', show=False)
        left, _ = self.run('interlock', 'check', show=False)
        return (code, left) == (0, 0)

    def push(self) -> bool:
        """Push a commit that bypassed the local hooks: the server must refuse it."""
        self.say(
            '\n-- a commit made with --no-verify is pushed (must be '
            'refused by the server)'
        )
        self.must('git', 'clone', '-q', '--bare', '.', str(self.server), show=False)
        hook = self.server / 'hooks' / 'pre-receive'
        hook.write_text('#!/bin/sh\nexec interlock pre-receive --budget 60\n')
        hook.chmod(0o755)
        self.run('git', 'remote', 'add', 'server', str(self.server), show=False)
        self.write({SPEC: '# Quietly another spec\n'})
        self.must('git', 'commit', '-q', '--no-verify', '-a', '-m', 'oops')
        # bypasses the push hook too
        code, output = self.run('git', 'push', '--no-verify', 'server', 'main')
        for line in _ours(output.replace('remote: ', '')):
            self.say(f'  {line.rstrip()}')
        self.run('git', 'reset', '-q', '--hard', 'HEAD~1', show=False)
        return self.verdict(code != 0 and ': CON007 ' in output, output)

    def canary(self, what: str, wanted: str, dead: set[str] | None) -> bool:
        """Try every rule with the canary; None: all of them must be found dead."""
        self.say(f'\n-- is the gate live, {what} ({wanted})')
        code, output = self.run('interlock', 'doctor', '--canary')
        rules = _rules(output)
        lines = [line for line in output.splitlines() if line.startswith('dead ')]
        for line in lines[:1]:
            self.say(f'  {line}')
        for verdict in ('live', 'dead'):
            names = [name for said, name in rules if said == verdict]
            if names:
                text = f'  {verdict}: {" ".join(names)}'
                self.say(textwrap.fill(text, 79, subsequent_indent='    '))
        every = {name for _, name in rules}
        found = {line.split()[1] for line in lines} & (every | CLIENT)
        right = bool(rules) and found == (every if dead is None else dead)
        return self.verdict(right and bool(code) == bool(found), output)

    def canaries(self) -> Iterator[bool]:
        yield self.canary('with all hooks installed', 'every rule must be live', set())
        hook = self.top / '.git' / 'hooks' / 'commit-msg'
        aside = hook.rename(hook.with_name('commit-msg.aside'))
        what = 'without the hook commit-msg'
        yield self.canary(what, f'{len(MESSAGES)} rules must be dead', MESSAGES)
        aside.rename(hook)
        self.must('git', 'config', 'core.hooksPath', '.git/elsewhere')
        what = 'with another core.hooksPath'
        yield self.canary(what, 'every rule must be dead', None)
        self.must('git', 'config', '--unset', 'core.hooksPath', show=False)
        file = self.top / SETTINGS
        whole = file.read_bytes()
        file.write_bytes(whole[:-20])
        what = 'with broken settings of the client'
        yield self.canary(what, 'exactly the client must be dead', CLIENT)
        file.write_bytes(whole)


def main() -> int:
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix='interlock-demo-') as directory:
        demo = Demo(directory)
        demo.set_up()
        tried = [*commits(), *calls()]
        right = [demo.attempt(attempt) for attempt in tried]
        right.append(demo.push())
        right.extend(demo.canaries())
        demo.say('\n-- the board')
        _, board = demo.run('interlock', 'status')
        demo.say(board.rstrip())
        good = sum(not attempt.refused_by for attempt in tried)
        seconds = time.monotonic() - start
        demo.say(
            f'\n{len(tried) - good} bad commits and tool calls and 1 bad push refused, '
            f'{good} good ones accepted, {len(right) - len(tried) - 1} times told what '
            f'is live, in {seconds:.0f} seconds'
            if all(right)
            else f'\n{right.count(False)} of {len(right)} attempts went wrong'
        )
    return 0 if all(right) else 1
