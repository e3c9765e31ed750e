"""Findings of an existing repository that are excused."""

from __future__ import annotations

import os

from interlock.files.atomic_files import read, replace
from interlock.git.workflow_source import Governing
from interlock.model.change import Snapshot
from interlock.model.errors import Refusal, Unreadable
from interlock.model.finding import Finding
from interlock.model.fixes import restore
from interlock.model.quick_typing import Iterable
from interlock.workflow.language.build import BASELINE
from interlock.workflow.language.spec import Workflow


def parse(data: bytes, path: str) -> set[str]:
    # few projects have a baseline
    from interlock.documents import baseline

    try:
        return set(baseline.parse(data))
    except Unreadable as e:
        raise Refusal(f'{path} {e.message}', *restore(path).hint) from None


def file(governing: Governing) -> str:
    """The path of the baseline, beside the workflow file."""
    directory = os.path.dirname(os.path.abspath(governing.found.file))
    return os.path.join(directory, BASELINE)


def before(snapshot: Snapshot, workflow: Workflow, governing: Governing) -> set[str]:
    """The fingerprints in the baseline of the tree before a change.

    As with the workflow, a change cannot excuse itself, neither by editing the
    file nor by adding it. The file on disk counts only if the workflow is not
    in the tree either.
    """
    path = workflow.baseline
    blob = snapshot.blob(path) if workflow.path else None
    if blob is not None:
        return parse(blob.data or b'', path)
    elif workflow.path and snapshot.blob(workflow.path) is not None:
        return set()
    data = read(file(governing)) if governing.found.file else None
    return parse(data, path) if data is not None else set()


def dump(findings: Iterable[Finding]) -> bytes:
    entries = [
        {
            'fingerprint': finding.fingerprint,
            'code': finding.code,
            'item': finding.item,
            'message': finding.message,
        }
        for finding in findings
    ]
    entries.sort(key=lambda e: (e['code'], e['item'], e['fingerprint']))
    # a baseline is seldom written, but every commit imports this module
    import json

    from interlock.documents.baseline import VERSION

    data = {'version': VERSION, 'findings': entries}
    text = json.dumps(data, ensure_ascii=False, indent=2) + '\n'
    return text.encode(errors='backslashreplace')


def write(governing: Governing, findings: Iterable[Finding]) -> str:
    path = file(governing)
    replace(path, read(path), dump(findings))
    return path
