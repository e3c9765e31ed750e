"""Show a menu until an option ends it, and do what is chosen."""

from __future__ import annotations

import os
import shlex
import sys

import click

from interlock.commands.click_options import Options
from interlock.git.git import GitError
from interlock.git.parse import text
from interlock.git.repository import Repository, opened
from interlock.model.errors import Denied, Refusal
from interlock.model.fixes import WHY, quoted
from interlock.model.quick_tools import contextmanager
from interlock.model.quick_typing import Iterator, NamedTuple, Sequence
from interlock.operations.menu import (
    WHAT_TO_DO,
    NoChoice,
    ShownMenu,
    is_other,
    read,
    render,
)
from interlock.report.terminal import INTERRUPTED, MISCONFIGURED, err, guarded, out
from interlock.workflow.language.menus import EXPLORATORY, Option

CONFIG = 'INTERLOCK_CONFIG'


class MenuResult(NamedTuple):
    code: int
    # None if the menu was shown and no option ended it
    option: Option | None = None


def has_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _ask(question: str) -> str:
    answer: str = click.prompt(question, prompt_suffix=' ')
    return answer


def _git(repository: Repository, *args: str) -> str:
    """Run git at the top of the repository, with literal paths."""
    top = repository.facts.top
    answer = repository.git.run('-C', top, '--literal-pathspecs', *args)
    return text(answer).rstrip('\n')


def _run_git(args: Sequence[str]) -> int:
    with opened() as repository:
        try:
            out(_git(repository, *args))
        except GitError as e:
            raise Denied(f'git {args[0]} failed: {e.error}', 'git status') from None
    return 0


@contextmanager
def _governed_by(config: str) -> Iterator[None]:
    """Commands that we run use the workflow that the user named."""
    before = os.environ.get(CONFIG)
    if config:
        os.environ[CONFIG] = os.path.abspath(config)
    try:
        yield
    finally:
        if config and before is None:
            del os.environ[CONFIG]
        elif config:
            os.environ[CONFIG] = before or ''


def show(command: Sequence[str]) -> None:
    err(f'$ {shlex.join(command)}')


def run(command: Sequence[str], config: str) -> int:
    """Run a command of ours or of git; return its exit code, never raise."""
    program, *args = command
    if program == 'git':
        return guarded(lambda: _run_git(args))
    from interlock.commands.click_options import run as run_command
    from interlock.commands.group import cli

    with _governed_by(config):
        return run_command(cli, args)


def _losses(paths: Sequence[str]) -> list[str]:
    """The changes that would be lost if these files were replaced."""
    with opened() as repository:
        found = []
        if repository.head() is not None:
            stat = _git(repository, 'diff', '--stat', 'HEAD', '--', *paths)
            found = stat.splitlines()
        untracked = _git(repository, 'ls-files', '--others', '--', *paths)
        return [
            *found,
            *(f' {path} is not committed' for path in untracked.splitlines()),
        ]


class Prompt(NamedTuple):
    """How the user works through a menu."""

    options: Options
    # the text that an option asks for
    text: str = ''
    # there is a terminal, and the command line gave no answer
    asks: bool = False
    dry_run: bool = False
    # the given command, up to the choice
    command: str = ''

    def choose(self, shown: ShownMenu, answer: str | None) -> MenuResult:
        """Show the menu until an option ends it.

        Without a terminal it is shown once, after the chosen option.
        """
        chosen = MenuResult(0)
        while True:
            if answer is not None:
                chosen = self._answered(shown, answer)
                if chosen.option is not None:
                    return chosen
            out(render(shown))
            if not self.asks:
                return chosen
            answer = _ask('>')

    def _answered(self, shown: ShownMenu, answer: str) -> MenuResult:
        try:
            option = read(shown, answer)
            code = self._perform(option, shown)
        except NoChoice as e:
            err(f'interlock: {e.message}')
            return MenuResult(MISCONFIGURED)
        if code is None or (option.kind == EXPLORATORY and code != INTERRUPTED):
            return MenuResult(0)
        return MenuResult(code, option)

    def _perform(self, option: Option, shown: ShownMenu) -> int | None:
        """Run an option; return the exit code, None if the user did not confirm."""
        if is_other(option):
            # only the reader of the output can do it, so the text is for them
            out(WHAT_TO_DO)
            said = _ask('>') if self.asks else self.text
            if said:
                out(f'Other: {said}')
            return 0
        shown = shown.given(self._given(option, shown))
        if option.note and not self.dry_run:
            from interlock.operations.handoff.record import note

            with self.options.project() as here:
                at = here.item(shown.words['item'])
                here.apply(note(at, shown.filled(option.note), here.today))
        if option.text:
            out(shown.filled(option.text))
        return self._run(option, shown) if option.run else 0

    def _given(self, option: Option, shown: ShownMenu) -> str:
        if self.text or not option.asks:
            return self.text
        elif self.asks:
            return _ask(f'{option.asks}:')
        # the recommended option of a finding is its fix, and needs no answer
        fix = shown.words.get('fix', '') if option.recommended else ''
        number = shown.menu.options.index(option) + 1
        raise Refusal(
            f'`{option.label}` needs to know {option.asks}',
            fix or f'{self.command} {number} --text {quoted([WHY])}',
        )

    def _run(self, option: Option, shown: ShownMenu) -> int | None:
        command = shown.arguments(option.run)
        show(command)
        paths = [shown.filled(path) for path in option.loses]
        lost = _losses(paths) if paths else []
        if lost:
            err('\n'.join(['this would be lost:', *lost]))
        if self.dry_run:
            return 0
        elif lost and self.asks and not click.confirm('Go on?'):
            return None
        return run(command, self.options.config)
