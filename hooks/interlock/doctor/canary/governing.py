"""Violations of the rules about what governs: the check `workflow`."""

from __future__ import annotations

import json
from typing import NamedTuple

from interlock.checks.workflow import baseline_path
from interlock.doctor.canary.attempt import COMMIT, PUSH, Want
from interlock.documents import yaml
from interlock.model.finding import EVERY_ITEM, OFF
from interlock.operations.outcome import Files
from interlock.rules.index import RULES
from interlock.workflow.language.spec import Workflow

# a hook that nobody calls, in a folder of hooks
HOOK = '.githooks/interlock-canary'
# rules that are not planted behind one that is off
OTHERS = ('CFG001', 'CFG004', 'CFG007')


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
        files[path] = _excusing(governed.baseline)
        wants += [_want('CFG004', False), _want('CFG009', True)]
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


def _excusing(baseline: bytes | None) -> bytes:
    """The baseline with an entry for something that is not wrong."""
    try:
        entries = json.loads(baseline or b'')['findings']
    except (ValueError, KeyError, TypeError):
        entries = []
    entries = [*entries, {'fingerprint': 'canary', 'code': 'CFG009', 'item': 'canary'}]
    return json.dumps({'version': 1, 'findings': entries}).encode()


def loosened(governed: Governed) -> tuple[Files, list[Want]]:
    """One rule off, and no word why."""
    severities = governed.workflow.severities
    code = next(
        (code for code in OTHERS if severities.get(code, RULES[code].severity) != OFF),
        '',
    )
    if governed.file is None or not code:
        return {}, []
    data = yaml.value(yaml.parse(governed.file.decode()))
    data['severity'] = {**data.get('severity', {}), code: OFF}
    # JSON is YAML too
    text = json.dumps(data, ensure_ascii=False, indent=1)
    return {governed.workflow.path: text.encode()}, [_want('CFG008', True)]


def removed(governed: Governed) -> tuple[Files, list[Want]]:
    if governed.file is None:
        return {}, []
    return {governed.workflow.path: None}, [_want('CFG003', True)]
