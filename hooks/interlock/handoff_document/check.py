"""Every rule about a handoff document."""

from __future__ import annotations

from interlock.handoff_document.case import RULES, Case, ProjectFacts, complete, finding
from interlock.handoff_document.document import parse

# importing them registers their rules
from interlock.handoff_document.rules import (  # noqa: F401
    agreement,
    calls,
    continuation,
    documents,
    partial,
    reality,
    sections,
    state,
    tables,
    todos,
)
from interlock.handoff_document.rules import transcript as _  # noqa: F401
from interlock.model.change import Blob
from interlock.model.errors import Unreadable
from interlock.model.finding import Finding
from interlock.state.transcript import Transcript


def unreadable(path: str, problem: Unreadable) -> Finding:
    found = finding(problem.line, f'it {problem.message}', found=problem.message)
    return complete(path, found, 'DOC032', 'save it as UTF-8 text')


def check(
    path: str,
    blob: Blob,
    facts: ProjectFacts | None = None,
    transcript: Transcript | None = None,
    before: str | None = None,
) -> list[Finding]:
    """What is wrong with a handoff document, in the order of its lines."""
    try:
        case = Case(path, parse(blob), facts, transcript, before)
    except Unreadable as e:
        return [unreadable(path, e)]
    found = [each for rule in RULES for each in rule(case)]
    # two rules may say the same
    unique = {(f.line, f.message, f.fingerprint): f for f in found}
    return sorted(unique.values(), key=lambda f: (f.line, f.code))
