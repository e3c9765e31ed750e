"""Changes between trees that are held in memory, and what is found."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from interlock.checks.all_checks import CHECKS
from interlock.checks.run import judge
from interlock.checks.watched_paths import touches_watched
from interlock.documents.message import parse
from interlock.model.change import Blob, Change, Nothing, Snapshot
from interlock.model.finding import SEVERITIES, Finding
from interlock.rules.index import RULES
from interlock.workflow.language.build import build
from interlock.workflow.language.compile import compile_workflow
from interlock.workflow.language.spec import Workflow
from tests import samples

T = TypeVar('T')
# None: a file that is too large to be read
Files = Mapping[str, str | bytes | None]

WORKFLOW_FILE = '.interlock.yaml'


def nowhere(path: str) -> bytes | None:
    return None


@functools.cache
def workflow(text: str = samples.WORKFLOW) -> Workflow:
    data, _ = compile_workflow(WORKFLOW_FILE, text.encode(), nowhere)
    return build(data, WORKFLOW_FILE, WORKFLOW_FILE)


class Tree:
    """A snapshot of files in memory."""

    def __init__(self, files: Files) -> None:
        self.files = {
            path: data.encode() if isinstance(data, str) else data
            for path, data in files.items()
        }
        self.known: dict[Hashable, Any] = {}

    def blob(self, path: str) -> Blob | None:
        if path not in self.files:
            return None
        data = self.files[path]
        if data is None:
            return Blob('huge', 50_000_000, None)
        return Blob(hashlib.sha1(data).hexdigest(), len(data), data)

    def is_link(self, path: str) -> bool:
        return False

    def prefetch(self, paths: Iterable[str]) -> None:
        pass

    def parsed(self, path: str, parse: Callable[[Blob], T]) -> T | None:
        blob = self.blob(path)
        if blob is None:
            return None
        if (path, parse) not in self.known:
            self.known[path, parse] = parse(blob)
        found: T = self.known[path, parse]
        return found

    def digest(self, path: str, algorithm: str) -> str | None:
        data = self.files.get(path)
        if data is None:
            return None
        return hashlib.new(algorithm, data).hexdigest()

    def paths(self) -> Sequence[str]:
        return list(self.files)


def change(
    before: Files | None,
    after: Files,
    message: str | None = None,
    everything: bool = False,
) -> Change:
    old, new = before or {}, after
    touched = {}
    for path in sorted({*old, *new}):
        if path not in new:
            touched[path] = 'D'
        elif path not in old:
            touched[path] = 'A'
        elif old[path] != new[path]:
            touched[path] = 'M'
    snapshot: Snapshot = Nothing() if before is None else Tree(old)
    said = None if message is None else parse(message)
    return Change(snapshot, Tree(new), touched, said, everything=everything)


def _is_complete(finding: Finding) -> bool:
    command = finding.fix.command
    return bool(
        finding.item
        and finding.message
        and finding.fix.label
        and finding.fix.step
        and (not command or command.startswith(('git ', 'interlock ')))
        and (finding.line >= 1 or not finding.path)
        and finding.check == RULES[finding.code].check
        and finding.severity in SEVERITIES
        and '\n' not in finding.message
        and not finding.message.removesuffix('...').endswith('.')
    )


def found(
    before: Files | None,
    after: Files,
    message: str | None = None,
    *,
    only: Sequence[str] = (),
    by: Workflow | None = None,
    everything: bool = False,
) -> list[Finding]:
    """The findings of a change; each of them must be complete."""
    made, rules = change(before, after, message, everything), by or workflow()
    findings = judge([made], rules, only)
    incomplete = [f for f in findings if not _is_complete(f)]
    assert incomplete == []
    unwatched = [f for f in findings if _is_missed_in_history(f, made, rules)]
    assert unwatched == [], 'see `watches` in checks/all_checks.py'
    skipped = [f for f in findings if not CHECKS[f.check].of_commits]
    assert everything or not skipped or touches_watched(made, rules)
    return findings


def _is_missed_in_history(finding: Finding, made: Change, rules: Workflow) -> bool:
    """Whether a past commit of this file would not be judged."""
    alone = made._replace(touched={finding.path: 'M'})
    return finding.path in made.touched and not touches_watched(alone, rules)


def codes(findings: Sequence[Finding]) -> list[str]:
    """The codes of what is introduced, sorted."""
    return sorted(f.code for f in findings if f.introduced)


def inherited(findings: Sequence[Finding]) -> list[str]:
    return sorted(f.code for f in findings if not f.introduced)


def introduced(
    before: Files | None,
    after: Files,
    message: str | None = None,
    *,
    only: Sequence[str] = (),
    by: Workflow | None = None,
) -> list[str]:
    return codes(found(before, after, message, only=only, by=by))


def at(
    status: str,
    stage: str = '',
    phase: str = 'null',
    *,
    item: str = 'Bravo',
    row: str = '',
    **fields: str,
) -> dict[str, str]:
    """One item: its registry, its files, and a handoff if it has a stage.

    `progress` is the status in the handoff.
    """
    progress = fields.pop('progress', 'complete')
    files = {
        'PLUGINS.md': samples.registry({item: status}, {item: row} if row else None),
        **samples.item_files(item),
    }
    if stage:
        files[samples.handoff_path(item)] = samples.handoff(
            item, stage, phase, progress, None, **fields
        )
    return files


def excusing(*fingerprints: str) -> str:
    """A baseline."""
    entries = [
        {'fingerprint': each, 'code': 'REG001', 'item': 'Bravo'}
        for each in fingerprints
    ]
    return json.dumps({'version': 1, 'findings': entries})


def without(files: Mapping[str, str], *paths: str) -> dict[str, str]:
    return {path: text for path, text in files.items() if path not in paths}
