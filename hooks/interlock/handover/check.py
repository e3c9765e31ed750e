"""Every rule about a handoff document."""
from __future__ import annotations

import posixpath
from collections.abc import Callable
from collections.abc import Iterator

from interlock.handover import document as documents
from interlock.handover.case import Case
from interlock.handover.case import Facts
from interlock.handover.rules import boot
from interlock.handover.rules import commands
from interlock.handover.rules import context
from interlock.handover.rules import partial
from interlock.handover.rules import plans
from interlock.handover.rules import recorded
from interlock.handover.rules import state
from interlock.handover.rules import structure
from interlock.handover.rules import tables
from interlock.handover.rules import todos
from interlock.handover.rules import truth
from interlock.model.change import Blob
from interlock.model.errors import Unreadable
from interlock.model.finding import Finding
from interlock.model.make import finding
from interlock.model.remedy import edit
from interlock.saved.transcript import Transcript

RULES: tuple[Callable[[Case], Iterator[Finding]], ...] = (
    boot.first, boot.skill, boot.reads, boot.todos,
    structure.missing, structure.order, structure.position,
    plans.planned, plans.reread, plans.absolute, plans.exist, plans.agree,
    state.readable, state.placeholders, state.valid, state.filled,
    state.project, state.gates, partial.gaps, partial.unfilled,
    todos.verbatim, todos.implicit, todos.verified,
    tables.words, tables.agree, tables.denied,
    context.pattern, context.results, context.discrepancies,
    context.environment,
    commands.resume, commands.reentry, commands.resumed, commands.entered,
    commands.done,
    truth.checkpoints, truth.artifacts, truth.saved, truth.environment,
    truth.gates,
    recorded.messages, recorded.errors, recorded.conversation,
    recorded.skills, recorded.progress, recorded.concepts,
)


def _sorted(found: Iterator[Finding]) -> list[Finding]:
    """By line; what two rules say in the same words is said once."""
    unique = {(f.line, f.message, f.fingerprint): f for f in found}
    return sorted(unique.values(), key=lambda f: (f.line, f.code))


def unreadable(path: str, problem: Unreadable) -> Finding:
    return finding(
        'DOC032', posixpath.basename(path), path, problem.line,
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
