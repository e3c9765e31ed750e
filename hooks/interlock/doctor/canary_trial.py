"""Violations are tried on what is installed, by real commits and a push."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from interlock.doctor.canary.attempt import (
    COMMIT,
    PUSH,
    Attempt,
    Plan,
    TaskAttempt,
    Want,
)
from interlock.doctor.copies import link_tools
from interlock.doctor.hook_places import Place, framework_config
from interlock.doctor.scratch import BRANCH, REMOTE, SECONDS, Scratch
from interlock.doctor.single_hook import called, demanded, only
from interlock.documents.trailers import LOCK
from interlock.documents.wiring.files import PRE_COMMIT, PREK
from interlock.documents.wiring.hook_files import hooks_of
from interlock.files.actor import AGENT, SESSIONS
from interlock.tasks.lock_store import event, locks_of
from interlock.tasks.task_layout import Workspace

BASE = 'canary: base'
# the hook that knows the message
SPOKEN = 'commit-msg'


class Answer(NamedTuple):
    """What became of a violation at a gate."""

    want: Want
    gate: str
    told: bool
    # the whole change
    refused: bool
    # the last line of the output, where we were not heard
    said: str

    @property
    def holds(self) -> bool:
        return self.told and (self.refused or not self.want.refuses)


def _last(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return lines[-1] if lines else ''


def _answers(
    wants: Iterable[Want], gate: str, code: int, output: str
) -> Iterator[Answer]:
    for want in wants:
        told = f': {want.code} {want.item}: ' in output
        said = '' if told else _last(output)
        yield Answer(want, gate, told, code != 0, said)


def others(place: Place, environ: str) -> str:
    """The hooks of other people, which are not tried here."""
    names = [name for name in environ.split(',') if name]
    for framework in (PRE_COMMIT, PREK):
        names.extend(
            str(hook.get('id', ''))
            for hook, ours in hooks_of(framework_config(place, framework))
            if not ours
        )
    return ','.join(dict.fromkeys(names))


class Trial:
    def __init__(self, scratch: Scratch, place: Place, plan: Plan) -> None:
        self.scratch = scratch
        self.place = place
        self.plan = plan
        skipped = others(place, scratch.environ.get('SKIP', ''))
        self.more = {'SKIP': skipped} if skipped else {}
        # hook -> what became of violations where it was the only one
        self.alone: dict[str, list[Answer]] = {}

    def _try(self, *args: str, top: str = '', **more: str) -> tuple[int, str]:
        git = self.scratch.git(top, **self.more, **more)
        return git.tried(*args, seconds=SECONDS)

    def begin(self) -> None:
        """The remote has all that is there before anything is planted."""
        self.scratch.commit(self.plan.base, BASE)
        self.scratch.quietly('remote', 'add', REMOTE, self.scratch.remote)
        self.scratch.quietly('push', '--quiet', '--no-verify', REMOTE, BRANCH)

    def _session(self, session: str) -> dict[str, str]:
        return {SESSIONS[0]: session} if session else {}

    def _commit(self, attempt: Attempt) -> Iterator[Answer]:
        scratch = self.scratch
        if attempt.base or attempt.base_message:
            scratch.commit(attempt.base, attempt.base_message or BASE)
        scratch.stage(attempt.change)
        wants = [want for want in attempt.wants if COMMIT in want.gates]
        if wants and self.place.top:
            self._each_alone(attempt)
            code, output = self._try(
                'commit', '-m', attempt.message, **self._session(attempt.session)
            )
            yield from _answers(wants, COMMIT, code, output)
            if code == 0:
                return
        scratch.commit({}, attempt.message)

    def _each_alone(self, attempt: Attempt) -> None:
        """A hook is tried on the first violation that it has to refuse."""
        for name, checks in called(self.place).items():
            wants = demanded(attempt.wants, checks)
            # the first one is wrong whatever its message says
            if attempt is self.plan.attempts[0] or name == SPOKEN:
                if wants and name not in self.alone:
                    self.alone[name] = [*self._by_one(name, attempt, wants)]

    def _by_one(
        self, name: str, attempt: Attempt, wants: Iterable[Want]
    ) -> Iterator[Answer]:
        code, output = self._try(
            '-c',
            f'core.hooksPath={only(self.scratch, name)}',
            'commit',
            '-m',
            attempt.message,
            **self._session(attempt.session),
        )
        if code == 0:
            self.scratch.quietly('reset', '--quiet', '--soft', 'HEAD~1')
        yield from _answers(wants, name, code, output)

    def commits(self) -> Iterator[Answer]:
        """Each is committed in the end, so that a push brings all of them."""
        for attempt in self.plan.attempts:
            yield from self._commit(attempt)

    def _in_task(self, attempt: TaskAttempt, space: Workspace) -> tuple[int, str]:
        task, locks, code = self.plan.task, locks_of(space), space.code(self.plan.task)
        held = locks.get(task)
        if held is not None:
            locks.remove(task, held, event('withdrawn', task), keep=False)
        if attempt.lock is not None:
            locks.create(task, attempt.lock, event('acquired', task))
        self.scratch.stage(attempt.change, code)
        agent = {AGENT: '1'} if attempt.automated else {}
        return self._try(
            'commit',
            '-m',
            'canary: in a task',
            top=code,
            **agent,
            **self._session(attempt.session),
        )

    def tasks(self, space: Workspace) -> Iterator[Answer]:
        code = space.code(self.plan.task)
        os.makedirs(os.path.dirname(code), exist_ok=True)
        self.scratch.quietly(
            'worktree', 'add', '--quiet', '-b', self.plan.task, code, BRANCH
        )
        link_tools(self.place, code)
        for attempt in self.plan.in_task:
            result, output = self._in_task(attempt, space)
            yield from _answers(attempt.wants, COMMIT, result, output)
            self.scratch.git(code).run('reset', '--quiet', '--hard', BRANCH)

    def is_signed(self, space: Workspace) -> tuple[bool, str]:
        """Whether a sound commit in a task passes, and says whose it is."""
        assert self.plan.sound is not None, 'there are tasks'
        result, output = self._in_task(self.plan.sound, space)
        if result:
            return False, f'a sound commit is refused ({_last(output)})'
        code = space.code(self.plan.task)
        text = self.scratch.git(code).line('log', '-1', '--format=%B')
        if f'{LOCK}: {self.plan.task}@' not in text:
            return False, 'a commit in a task does not say whose it is'
        return True, 'a commit in a task says whose it is'

    def push(self, gate: str) -> Iterator[Answer]:
        wants = [
            want
            for attempt in self.plan.attempts
            for want in attempt.wants
            if PUSH in want.gates
        ]
        code, output = self._try('push', REMOTE, BRANCH)
        yield from _answers(wants, gate, code, output)
