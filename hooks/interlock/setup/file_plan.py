"""A file that a command writes, leaves or removes."""

from __future__ import annotations

import os

from interlock.files.atomic_files import refuse_changed, remove, replace
from interlock.model.errors import Refusal
from interlock.model.quick_typing import NamedTuple, Sequence
from interlock.report.terminal import err, fitted, out


class FileStep(NamedTuple):
    path: str
    old: bytes | None
    # None: the file stays unchanged
    new: bytes | None
    remark: str
    executable: bool = False
    # text for standard output, to be added by hand
    shown: str = ''
    advice: tuple[str, ...] = ()
    # the file is removed
    gone: bool = False


def _write(step: FileStep) -> None:
    assert step.new is not None
    try:
        os.makedirs(os.path.dirname(step.path), exist_ok=True)
    except OSError as e:
        folder = os.path.dirname(step.path)
        raise Refusal(f'cannot create {folder}: {e.strerror}') from None
    replace(step.path, step.old, step.new)
    if step.executable:
        os.chmod(step.path, 0o755)  # noqa: S103 git runs it


def _remove(step: FileStep) -> None:
    refuse_changed(step.path, step.old)
    remove(step.path)


def _take(step: FileStep, top: str, dry_run: bool) -> None:
    name = os.path.relpath(step.path, top)
    why = f' ({step.remark})' if step.remark else ''
    if step.gone:
        if not dry_run:
            _remove(step)
        done = 'would be removed' if dry_run else 'removed'
        err(f'{name}: {done}{why}')
    elif step.new is None:
        err(f'{name}: {step.remark}')
    elif dry_run:
        out(f'{name}: would be written{why}')
        out(step.new.decode(errors='replace').rstrip('\n'))
    else:
        _write(step)
        err(fitted(f'{name}: written{why}', 4, is_error=True))
    out(step.shown)
    for line in step.advice:
        # there is no file yet that would have to be removed first
        begin = f'rm {os.path.relpath(step.path)} && '
        said, *commands = (line.replace(begin, '') if dry_run else line).split('\n')
        err(fitted(said, 4, is_error=True))
        for command in commands:
            err(command)


def take_all(steps: Sequence[FileStep], top: str, dry_run: bool) -> None:
    """Take the steps; advice that several give is printed with the last of them."""
    for number, step in enumerate(steps, 1):
        later = {line for each in steps[number:] for line in each.advice}
        advice = tuple(line for line in step.advice if line not in later)
        _take(step._replace(advice=advice), top, dry_run)
