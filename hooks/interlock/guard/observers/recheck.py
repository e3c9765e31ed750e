"""After a tool ran: what it broke in the records of the project."""

from __future__ import annotations

import os

from interlock.checks.run import OF_RECORDS, judge
from interlock.documents.text import shown
from interlock.files.disk_snapshot import SteadySnapshot
from interlock.guard.context import Context
from interlock.guard.guards.records import is_sealed, of_unsealed_contract
from interlock.guard.session_files import first_time
from interlock.guard.texts import said_at
from interlock.model.change import Change, Snapshot, data_of
from interlock.model.errors import NoRepository
from interlock.model.finding import Finding
from interlock.model.overlay import Overlay
from interlock.model.quick_tools import closing
from interlock.model.quick_typing import Iterable, Iterator
from interlock.workflow.reading.item_paths import is_record

# differences that are normal while several records are edited in steps
BETWEEN = {
    'REG001': 'row and entry differ until both are edited',
    'REG010': 'registry and handoff differ until both are edited',
}
# the rule: a contract differs from its seal
CHANGED = 'CON001'
FEW = 3


def _lines(context: Context, found: Iterable[Finding]) -> Iterator[str]:
    for finding in found:
        item, path = shown(finding.item), shown(finding.path)
        free = not is_sealed(context.workflow, finding.path)
        if finding.code == CHANGED and free:
            # it may change if it is sealed again
            if first_time(context, 'seal', finding.path):
                yield (
                    f'{path} differs from its seal; before the commit: interlock '
                    f'contracts seal {item}'
                )
        elif finding.code in BETWEEN:
            yield f'{item}: {BETWEEN[finding.code]} ({finding.code})'
        else:
            yield f'broken: {said_at(finding)}'
            yield f'next: {finding.fix.step}'


def problems_text(context: Context, found: Iterable[Finding]) -> str:
    """The current problems, the worst first; '' if there are none."""
    refusing = [each for each in found if each.introduced and each.refuses]
    refusing.sort(key=lambda each: each.code in BETWEEN)
    return '\n'.join(_lines(context, refusing[:FEW]))


def _judged(
    context: Context, before: Snapshot, after: Snapshot, paths: Iterable[str]
) -> str:
    change = Change(before, after, dict.fromkeys(paths, 'M'))
    return problems_text(context, judge([change], context.workflow, OF_RECORDS))


def told_original(context: Context) -> bytes | None:
    told = context.event.response.get('originalFile')
    return told.encode(errors='surrogatepass') if isinstance(told, str) else None


def _original(context: Context, name: str) -> bytes | None:
    """The file before the tool ran: as the client sends it, else as committed."""
    told = told_original(context)
    if told is not None:
        return told
    elif context.event.response.get('type') == 'create':
        return None
    try:
        with closing(context.repository()) as repository:
            return data_of(repository.tree_of(repository.head()), name)
    except NoRepository:
        return None


def _to_amend(context: Context, after: SteadySnapshot, name: str) -> str:
    """What the commit of a frozen contract needs: the client asked only the user."""
    data = data_of(after, name)
    found = of_unsealed_contract(context, after, name, data) if data else ()
    for each in found:
        if first_time(context, 'amend', name):
            return each.message
    return ''


def after_write(context: Context, path: str) -> str:
    """What a written file broke; `path` contains no links."""
    name = context.inside(path)
    if not name or not is_record(context.workflow, name):
        return ''
    after = SteadySnapshot(path[: -len(name)].rstrip(os.sep) or os.sep)
    before = Overlay(after, {name: _original(context, name)})
    found = _judged(context, before, after, [name])
    return found or _to_amend(context, after, name)


def after_command(context: Context, paths: Iterable[str] | None) -> str:
    """What a command broke, compared with HEAD; without paths, git lists them."""
    from interlock.git.worktrees import tree

    try:
        with closing(context.repository()) as repository:
            top = repository.facts.top
            if paths is None:
                paths = tree(repository.environ, top).changed
            names = [name for name in paths if is_record(context.workflow, name)]
            commit = repository.head()
            if not names or commit is None:
                return ''
            before = repository.tree(commit.tree)
            return _judged(context, before, SteadySnapshot(top), names)
    except NoRepository:
        return ''
