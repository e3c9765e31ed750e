"""Commits in which no check can find anything: most of a long history."""

from __future__ import annotations

from interlock.checks import document
from interlock.checks.workflow import governing_files, governs, is_script
from interlock.documents import trailers
from interlock.model.change import Change
from interlock.model.quick_typing import Callable
from interlock.workflow.language.spec import Workflow
from interlock.workflow.reading.item_paths import is_record, item_of
from interlock.workflow.reading.kind_cache import remember

# a history speaks of the same paths again and again
MOST_PATHS = 8192


def is_watched(workflow: Workflow, path: str) -> bool:
    """Whether checks compare what a file holds before and after."""
    return (
        is_record(workflow, path)
        or governs(workflow, path)
        or any(
            path in {kind.protocol.todo, kind.protocol.changelog}
            for kind in workflow.kinds
            if kind.protocol is not None
        )
    )


def _records(workflow: Workflow) -> Callable[[str], bool]:
    """Tells the paths that records of other formats are about."""
    if not workflow.recorded:
        return lambda path: False
    from interlock.workflow.agreements.scope import watched_by

    return watched_by(workflow.recorded)


def _may_matter(workflow: Workflow) -> Callable[[str], bool]:
    """Tells the paths that any check asks for."""
    is_recorded = _records(workflow)
    registries = [kind.registry.file for kind in workflow.kinds if kind.registry]
    # a file whose name differs from theirs by case only is refused
    folded = {each.casefold() for each in (*governing_files(workflow), *registries)}
    known: dict[str, bool] = {}

    def is_asked_for(path: str) -> bool:
        return (
            is_watched(workflow, path)
            or is_recorded(path)
            or is_script(path)
            or path.casefold() in folded
            or any(item_of(path, kind) for kind in workflow.kinds)
            or document.is_named(path, workflow)
        )

    def may_matter(path: str) -> bool:
        found = known.get(path)
        if found is None:
            if len(known) >= MOST_PATHS:
                known.clear()
            found = known[path] = is_asked_for(path)
        return found

    return may_matter


_of_workflow = remember(_may_matter)


def touches_watched(change: Change, workflow: Workflow) -> bool:
    return any(map(_of_workflow(workflow), change.touched))


def _speaks(workflow: Workflow) -> bool:
    """Whether messages of commits are judged, and not only what they touch."""
    return any(kind.commit or kind.protocol for kind in workflow.kinds)


_by_messages = remember(_speaks)


def is_unwatched(change: Change, workflow: Workflow) -> bool:
    """Whether no check can find anything in a commit that is history."""
    if not change.commit or change.message is None or change.site is not None:
        return False
    elif change.everything or change.parents or change.is_ref_step:
        return False
    elif _by_messages(workflow) or trailers.lock(change.message):
        return False
    return not touches_watched(change, workflow)
