"""Recognises commits in which no check can find anything: most of a long history."""

from __future__ import annotations

from interlock.checks.all_checks import CHECKS
from interlock.checks.workflow import governs, is_script
from interlock.documents import trailers
from interlock.model.change import DOUBLED, Change
from interlock.model.quick_typing import Callable
from interlock.workflow.language.patterns import any_path_re
from interlock.workflow.language.spec import Workflow
from interlock.workflow.reading.item_paths import (
    folded,
    is_record,
    item_of,
    record_paths,
)
from interlock.workflow.reading.kind_cache import remember

# a history contains the same paths many times
MOST_PATHS = 8192


def is_watched(workflow: Workflow, path: str) -> bool:
    """Whether checks compare the content of a file before and after."""
    return (
        governs(workflow, path)
        or is_record(workflow, path)
        or any(
            path in {kind.protocol.todo, kind.protocol.changelog}
            for kind in workflow.kinds
            if kind.protocol is not None
        )
    )


def _records(workflow: Workflow) -> Callable[[str], bool]:
    """Selects the paths that records of other formats concern."""
    if not workflow.recorded:
        return lambda path: False
    from interlock.workflow.agreements.scope import watched_by

    return watched_by(workflow.recorded)


@remember
def _may_matter(workflow: Workflow) -> Callable[[str], bool]:
    """Selects the paths that any check reads."""
    is_recorded = _records(workflow)
    registries = [kind.registry.file for kind in workflow.kinds if kind.registry]
    # a file whose name differs from these only by case is refused
    twins = {folded(each) for each in (*workflow.governing, *registries)}
    of_checks = [check.watches for check in CHECKS.values() if check.watches]
    places = [folded(path) for each in workflow.kinds for path in record_paths(each)]
    fits = any_path_re(tuple(places)).match
    known: dict[str, bool] = {}

    def is_twin(path: str) -> bool:
        return path in twins or (bool(places) and fits(path) is not None)

    def is_asked_for(path: str) -> bool:
        return (
            is_watched(workflow, path)
            or is_recorded(path)
            or is_script(path)
            or is_twin(folded(path))
            or any(item_of(path, kind) for kind in workflow.kinds)
            or any(watches(path, workflow) for watches in of_checks)
        )

    def may_matter(path: str) -> bool:
        found = known.get(path)
        if found is None:
            if len(known) >= MOST_PATHS:
                known.clear()
            found = known[path] = is_asked_for(path)
        return found

    return may_matter


def touches_watched(change: Change, workflow: Workflow) -> bool:
    return any(map(_may_matter(workflow), change.touched))


@remember
def _judges_messages(workflow: Workflow) -> bool:
    """Whether commit messages are judged, and not only changed files."""
    return any(kind.commit or kind.protocol for kind in workflow.kinds)


def touches_nothing(change: Change, workflow: Workflow) -> bool:
    """Whether a past commit, or the step of a ref, touches no file of any check."""
    if not change.commit or change.everything or change.parents:
        return False
    return not touches_watched(change, workflow)


def is_unwatched(change: Change, workflow: Workflow) -> bool:
    """Whether no check can find anything in a past commit."""
    if change.message is None or change.site is not None or change.is_ref_step:
        return False
    elif _judges_messages(workflow) or trailers.lock(change.message):
        return False
    # an entry of a tree that is there twice is refused, whatever it is
    is_doubled = DOUBLED in change.touched.values()
    return not is_doubled and touches_nothing(change, workflow)
