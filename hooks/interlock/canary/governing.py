"""Violations of the rules about what governs: the check `workflow`."""
from __future__ import annotations

from typing import NamedTuple

from interlock.canary.attempt import COMMIT
from interlock.canary.attempt import PUSH
from interlock.canary.attempt import Want
from interlock.checks.workflow import baseline_path
from interlock.model.finding import EVERY_ITEM
from interlock.operations.change import Files
from interlock.workflow.spec import Workflow

# a hook that nobody calls, in a folder of hooks
HOOK = '.githooks/interlock-canary'
EMPTY_BASELINE = b'{"version": 1, "findings": []}\n'


class Governed(NamedTuple):
    workflow: Workflow
    # the workflow file as it lies in the repository; None if it does not,
    # or if it was named by the user: then no commit can change what governs
    file: bytes | None
    baseline: bytes | None


def _want(code: str, refuses: bool, *gates: str) -> Want:
    return Want(code, EVERY_ITEM, refuses, gates or (COMMIT, PUSH))


def base() -> Files:
    return {HOOK: b'#!/bin/sh\ninterlock hook "$@"\n'}


def beside(governed: Governed, items: bool) -> tuple[Files, list[Want]]:
    """Together with anything else: wiring, baseline, a broken workflow.

    `items`: whether items change in the same push.
    """
    files: dict[str, bytes | None] = {HOOK: b'#!/bin/sh\n'}
    wants = [_want('CFG006', True)]
    if governed.workflow.gate_trailer:
        # what is pushed was committed past the hooks
        wants.append(_want('COM008', False, PUSH))
    if governed.workflow.path:
        path = baseline_path(governed.workflow)
        files[path] = (governed.baseline or EMPTY_BASELINE) + b'\n'
        wants.append(_want('CFG004', False))
    if governed.file is not None:
        files[governed.workflow.path] = b'version: canary\n'
        wants += [_want('CFG001', False), _want('CFG002', True)]
        if items:
            wants.append(_want('CFG007', False, PUSH))
    return files, wants


def mended(governed: Governed) -> tuple[Files, list[Want]]:
    """The workflow comes back; only a commit is judged by a broken one."""
    if governed.file is None:
        return {}, []
    files = {governed.workflow.path: governed.file}
    return files, [_want('CFG005', False, COMMIT)]


def removed(governed: Governed) -> tuple[Files, list[Want]]:
    if governed.file is None:
        return {}, []
    return {governed.workflow.path: None}, [_want('CFG003', True)]
