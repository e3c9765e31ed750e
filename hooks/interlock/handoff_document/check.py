"""Every rule about a handoff document."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator

from interlock.handoff_document import document as documents
from interlock.handoff_document.document_context import Case, Facts
from interlock.handoff_document.rules import (
    boot,
    commands,
    context,
    partial,
    plans,
    reality,
    state,
    structure,
    tables,
    todos,
)
from interlock.handoff_document.rules import transcript as recorded
from interlock.model.change import Blob
from interlock.model.errors import Unreadable
from interlock.model.finding import Finding
from interlock.model.fixes import edit
from interlock.rules.new_finding import Location
from interlock.state.transcript import Transcript

RULES: tuple[Callable[[Case], Iterator[Finding]], ...] = (
    boot.first,
    boot.skill,
    boot.reads,
    boot.todos,
    structure.missing,
    structure.order,
    structure.position,
    plans.planned,
    plans.reread,
    plans.absolute,
    plans.exist,
    plans.agree,
    state.readable,
    state.placeholders,
    state.valid,
    state.filled,
    state.project,
    state.gates,
    partial.gaps,
    partial.unfilled,
    todos.verbatim,
    todos.implicit,
    todos.verified,
    tables.words,
    tables.agree,
    tables.denied,
    context.pattern,
    context.results,
    context.discrepancies,
    context.environment,
    commands.resume,
    commands.reentry,
    commands.resumed,
    commands.entered,
    commands.done,
    reality.checkpoints,
    reality.artifacts,
    reality.saved,
    reality.environment,
    reality.gates,
    recorded.messages,
    recorded.errors,
    recorded.conversation,
    recorded.skills,
    recorded.progress,
    recorded.concepts,
)


def _sorted(found: Iterator[Finding]) -> list[Finding]:
    """By line; what two rules say in the same words is said once."""
    unique = {(f.line, f.message, f.fingerprint): f for f in found}
    return sorted(unique.values(), key=lambda f: (f.line, f.code))


def unreadable(path: str, problem: Unreadable) -> Finding:
    return Location(posixpath.basename(path), path, problem.line).finding(
        'DOC032',
        f'it {problem.message}',
        fix=edit(path, problem.line, 'save it as UTF-8 text'),
        found=problem.message,
    )


def check(
    path: str,
    blob: Blob,
    facts: Facts | None = None,
    transcript: Transcript | None = None,
    before: str | None = None,
) -> list[Finding]:
    """What is wrong with a handoff document, in the order of its lines."""
    try:
        document = documents.parse(blob)
    except Unreadable as e:
        return [unreadable(path, e)]
    case = Case(path, document, facts, transcript)

    def found() -> Iterator[Finding]:
        for rule in RULES:
            yield from rule(case)
        yield from partial.document(case, before)

    return _sorted(found())
