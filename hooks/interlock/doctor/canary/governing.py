"""Violations of the rules about what governs: the check `workflow`."""

from __future__ import annotations

import json

from interlock.checks.workflow import baseline_path
from interlock.doctor.canary.attempt import COMMIT, PUSH, Want
from interlock.documents import yaml
from interlock.model.finding import OFF
from interlock.model.quick_typing import NamedTuple
from interlock.operations.outcome import Files
from interlock.rules.index import RULES
from interlock.workflow.language.spec import Workflow

# a hook that nothing calls, in a folder of hooks
HOOK = '.githooks/interlock-canary'
BASE: Files = {HOOK: b'#!/bin/sh\ninterlock hook "$@"\n'}
# rules that are not planted after one of them is switched off
OTHERS = ('CFG001', 'CFG004', 'CFG007')
# the files of a change, and what it breaks
Change = tuple[Files, list[Want]]


class GovernedTree(NamedTuple):
    workflow: Workflow
    # the workflow file as it lies in the repository; None if it does not, or if
    # the user named it: then no commit can change what governs
    file: bytes | None
    baseline: bytes | None


def beside(governed: GovernedTree, items: bool) -> Change:
    """Together with anything else: baseline, a broken workflow.

    `items`: whether items change in the same push.
    """
    workflow = governed.workflow
    files: dict[str, bytes | None] = {}
    wants = []
    if workflow.gate_trailer:
        # what is pushed was committed past the hooks
        wants.append(Want('COM008', refuses=False, gates=(PUSH,)))
    if workflow.path:
        files[baseline_path(workflow)] = _excusing(governed.baseline)
        wants += [Want('CFG004', refuses=False), Want('CFG009')]
    if governed.file is not None:
        files[workflow.path] = b'version: canary\n'
        wants += [Want('CFG001', refuses=False), Want('CFG002')]
        if items:
            wants.append(Want('CFG007', refuses=False, gates=(PUSH,)))
    return files, wants


def _excusing(baseline: bytes | None) -> bytes:
    """The baseline with an entry that excuses nothing."""
    try:
        entries = json.loads(baseline or b'')['findings']
    except (ValueError, KeyError, TypeError):
        entries = []
    entries = [*entries, {'fingerprint': 'canary', 'code': 'CFG009', 'item': 'canary'}]
    return json.dumps({'version': 1, 'findings': entries}).encode()


def fixed(governed: GovernedTree) -> Change:
    """The workflow comes back; only a commit is judged by a broken one."""
    if governed.file is None:
        return {}, []
    wants = [Want('CFG005', refuses=False, gates=(COMMIT,))]
    return {governed.workflow.path: governed.file}, wants


def loosened(governed: GovernedTree) -> Change:
    """A hook and a rule are switched off without a reason: the message decides."""
    files: dict[str, bytes | None] = {HOOK: b'#!/bin/sh\n'}
    wants = [Want('CFG006')]
    severities = governed.workflow.severities
    codes = [c for c in OTHERS if severities.get(c, RULES[c].severity) != OFF]
    if governed.file is None or not codes:
        return files, wants
    data = yaml.value(yaml.parse(governed.file.decode()))
    data['severity'] = {**data.get('severity', {}), codes[0]: OFF}
    # JSON is YAML too
    text = json.dumps(data, ensure_ascii=False, indent=1)
    files[governed.workflow.path] = text.encode()
    return files, [*wants, Want('CFG008')]


def removed(governed: GovernedTree) -> Change:
    if governed.file is None:
        return {}, []
    return {governed.workflow.path: None}, [Want('CFG003')]
