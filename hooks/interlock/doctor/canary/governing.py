"""Violations of the rules about workflow, hooks and baseline: the check `workflow`."""

from __future__ import annotations

import json

from interlock.doctor.canary.attempt import COMMIT, PUSH, Attempt, Want
from interlock.documents import yaml
from interlock.model.finding import OFF
from interlock.model.overlay import Files
from interlock.model.quick_typing import Iterator, NamedTuple
from interlock.rules.index import RULES
from interlock.workflow.language.spec import Workflow

# a file in a hook folder that nothing calls
HOOK = '.githooks/interlock-canary'
BASE: Files = {HOOK: b'#!/bin/sh\ninterlock hook "$@"\n'}
# the first active one of these is switched off; they are planted only before that
OTHERS = ('CFG001', 'CFG004', 'CFG007')


class GovernedTree(NamedTuple):
    workflow: Workflow
    # the workflow file in the repository; None if it lies elsewhere, or if the
    # user named it: then no commit can change it
    file: bytes | None
    baseline: bytes | None


def beside(governed: GovernedTree, items: bool) -> tuple[Files, list[Want]]:
    """Violations to plant with any others: the baseline, a broken workflow.

    `items`: whether items change in the same push.
    """
    workflow = governed.workflow
    files: dict[str, bytes | None] = {}
    wants = []
    if workflow.gate_trailer:
        # the pushed commits were made past the hooks
        wants.append(Want('COM008', refuses=False, gates=(PUSH,)))
    if workflow.path:
        files[workflow.baseline] = _excusing(governed.baseline)
        wants += [Want('CFG004', refuses=False), Want('CFG009')]
    if governed.file is not None:
        files[workflow.path] = b'version: canary\n'
        wants += [Want('CFG001', refuses=False), Want('CFG002')]
        if items:
            wants.append(Want('CFG007', refuses=False, gates=(PUSH,)))
    return files, wants


def _excusing(baseline: bytes | None) -> bytes:
    """The baseline with an added entry that matches no finding."""
    try:
        entries = json.loads(baseline or b'')['findings']
    except (ValueError, KeyError, TypeError):
        entries = []
    entries = [*entries, {'fingerprint': 'canary', 'code': 'CFG009', 'item': 'canary'}]
    return json.dumps({'version': 1, 'findings': entries}).encode()


def fixed(governed: GovernedTree) -> Iterator[Attempt]:
    """Restore the workflow; only commits are judged by a broken one."""
    if governed.file is not None:
        wants = (Want('CFG005', refuses=False, gates=(COMMIT,)),)
        files = {governed.workflow.path: governed.file}
        yield Attempt(files, 'canary: fixed', wants)


def loosened(governed: GovernedTree) -> Attempt:
    """Switch off a hook and a rule; only a reason in the message would excuse it."""
    files: dict[str, bytes | None] = {HOOK: b'#!/bin/sh\n'}
    wants = [Want('CFG006')]
    severities = governed.workflow.severities
    codes = [c for c in OTHERS if severities.get(c, RULES[c].severity) != OFF]
    if governed.file is not None and codes:
        data = yaml.value(yaml.parse(governed.file.decode()))
        data['severity'] = {**data.get('severity', {}), codes[0]: OFF}
        # JSON is YAML too
        text = json.dumps(data, ensure_ascii=False, indent=1)
        files[governed.workflow.path] = text.encode()
        wants.append(Want('CFG008'))
    return Attempt(files, 'canary: loosened', tuple(wants))


def removed(governed: GovernedTree) -> Iterator[Attempt]:
    if governed.file is not None:
        files = {governed.workflow.path: None}
        yield Attempt(files, 'canary: no workflow', (Want('CFG003'),))
