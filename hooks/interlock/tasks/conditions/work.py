"""The evidence of work: git, builds, the audit trail, the evidence of states."""

from __future__ import annotations

from interlock.documents.tasks.trail import (
    BUILDS,
    COMMITS,
    COMPLETED,
    INVOCATIONS,
    RUNNING,
    TRANSITIONS,
)
from interlock.documents.text import shown
from interlock.model.quick_typing import Any, Iterator, Mapping
from interlock.tasks.conditions.condition import (
    AGENT_TREES,
    MAIN,
    TRAIL_SCHEMA,
    TREE,
    Unmet,
    condition,
)
from interlock.tasks.conditions.rounds import stale
from interlock.tasks.conditions.selection import strictness
from interlock.tasks.conditions.view import Completion, View, WorktreeState
from interlock.workflow.reading.transition_log import scope_decisions

# how many paths a message names
FEW = 3
COMMIT = 'interlock trail add {item} commit HEAD'
START = 'interlock trail add {item} agent-start {agent}'
END = 'interlock trail add {item} agent-end {agent}'


def _few(paths: tuple[str, ...]) -> str:
    more = f' and {len(paths) - FEW} more' if len(paths) > FEW else ''
    return f'{", ".join(map(shown, paths[:FEW]))}{more}'


def _uncommitted(where: str, tree: WorktreeState) -> Iterator[Unmet]:
    if tree.problem:
        yield Unmet(f'{where}: {tree.problem}')
    elif tree.changed:
        yield Unmet(f'{where}: {_few(tree.changed)} is not committed')


@condition('GAT023', 'the work is committed', needs={TREE, AGENT_TREES})
def work_committed(view: View) -> Iterator[Unmet]:
    yield from _uncommitted(view.code, view.tree)
    for agent, tree in view.agent_trees.items():
        yield from _uncommitted(f'worktree of {agent}', tree)


@condition('GAT025', 'the worktree is clean', needs={TREE})
def clean_worktree(view: View) -> Iterator[Unmet]:
    yield from _uncommitted(view.code, view.tree)


@condition('GAT024', 'it builds, or needs no build')
def build_evidence(view: View) -> Iterator[Unmet]:
    change = view.lock.text('change').lower()
    if all(
        each.lower() in view.protocol.build_free
        for each in view.lock.recorded('change')
    ):
        return
    builds = view.trail.sections.get(BUILDS, ()) if view.trail else ()
    if not builds:
        yield Unmet(
            f'no build is recorded, and the type of change is '
            f'{shown(change) or "not recorded"}'
        )
        return
    last = builds[-1]
    result, failed = last.get('result'), last.get('tests_failed', 0)
    if result != view.protocol.build_success or failed:
        tests = f', {failed} tests failed' if failed else ''
        yield Unmet(
            f'the last build, `{shown(str(last.get("command")))}`, ended '
            f'with {shown(str(result))}{tests}'
        )
        return
    old = stale(view, str(last.get('timestamp', '')))
    if old:
        yield Unmet(f'the last build, `{shown(str(last.get("command")))}`, was {old}')


def _once_more(view: View, done: Completion) -> str:
    """How to take back a wrong completion and complete anew: the history of the main
    branch is not rewritten."""
    parent = '-m 1 ' if done.is_merge else ''
    files = ', '.join(filter(None, (view.protocol.todo, view.protocol.changelog)))
    return (
        f'git revert {parent}--no-edit {done.commit[:10]} in the main '
        f'worktree, then git revert --no-commit HEAD, and commit the work '
        f'with {files}'
    )


@condition(
    'GAT034', 'the work and the todo list reached main together', needs={TREE, MAIN}
)
def merged_with_todo(view: View) -> Iterator[Unmet]:
    main, spec = view.main, view.protocol
    if main.problem:
        yield Unmet(main.problem)
        return
    elif not main.holds_work:
        what = f', as approved at {main.approved[:10]},' * bool(main.approved)
        yield Unmet(f'the work{what} is not part of the main branch')
    if main.unapproved:
        yield Unmet(
            f'{_few(main.unapproved)} on the main branch differs from what was '
            f'approved at {main.approved[:10]}'
        )
    done = main.completion
    if done is None:
        yield Unmet(
            f'{spec.todo} of the main branch still lists the task, or never listed it'
        )
        return
    if not done.work:
        yield Unmet(
            f'{done.commit[:10]} completes the task in {spec.todo}, but '
            f'contains none of the work',
            recovery=_once_more(view, done),
        )
    if main.has_changelog and not done.changelog:
        yield Unmet(
            f'{done.commit[:10]} completes the task, but does not change '
            f'{spec.changelog}',
            recovery=_once_more(view, done),
        )


@condition('GAT030', 'something is to be resolved now')
def scope_resolve(view: View) -> Iterator[Unmet]:
    wanted = view.protocol.scopes['resolve']
    found = list(scope_decisions(view.lock).values())
    if wanted not in found:
        said = ', '.join(map(shown, found)) or 'nothing'
        yield Unmet(f'the scope decision is {said}, and not {wanted}')


@condition('GAT031', 'everything open is deferred')
def scope_deferred(view: View) -> Iterator[Unmet]:
    wanted = view.protocol.scopes['defer']
    found = list(scope_decisions(view.lock).values())
    if not found or any(each != wanted for each in found):
        said = ', '.join(map(shown, found)) or 'nothing'
        yield Unmet(f'the scope decision is {said}, and not all {wanted}')


def _last_runs(view: View) -> dict[str, Mapping[str, Any]]:
    """The last run of each agent: an earlier one may have failed."""
    entries = view.trail.sections.get(INVOCATIONS, ()) if view.trail else ()
    names = [
        str(entry.get('agent_name') or entry.get('agent_type')) for entry in entries
    ]
    own = [view.protocol.synonyms.get(name, name) for name in names]
    return dict(zip(own, entries, strict=True))


def _first_of(section: str, view: View) -> str:
    """The command that adds the first entry to a section, '' if none does."""
    import shlex

    if section == COMMITS:
        return COMMIT
    elif section == INVOCATIONS:
        return START
    last = view.lock.log[-1] if view.lock.log else None
    if section == TRANSITIONS and last is not None and last.origin:
        step = shlex.quote(f'{last.origin}->{last.target}')
        return f'interlock trail add {{item}} transition {step}'
    return ''


@condition('GAT033', 'the audit trail is complete', needs={TRAIL_SCHEMA})
def trail_complete(view: View) -> Iterator[Unmet]:
    if view.trail is None:
        yield Unmet('there is no audit trail', recovery=COMMIT)
        return
    elif view.trail.problem:
        yield Unmet(f'the audit trail {view.trail.problem}')
        return
    for violation in view.trail.violations:
        yield Unmet(f'the audit trail is malformed: {violation}')
    for name in view.protocol.trail_sections:
        if name == INVOCATIONS and not view.agents:
            # a small change may need no agents
            continue
        elif not view.trail.sections.get(name):
            yield Unmet(
                f'the audit trail has nothing in `{name}`',
                agent=next((each.name for each in view.agents), ''),
                recovery=_first_of(name, view),
            )
    for agent, entry in _last_runs(view).items():
        status = entry.get('status')
        if status != COMPLETED:
            yield Unmet(
                f'{shown(agent)}, started at '
                f'{shown(str(entry.get("invocation_timestamp")))}, is '
                f'{shown(str(status))}, not {COMPLETED}',
                # the name that the trail uses
                agent=str(entry.get('agent_name') or entry.get('agent_type')),
                # a failed run is repeated, a running one ends
                recovery=END if status == RUNNING else START,
            )


@condition('GAT032', 'the state left its evidence')
def evidence(view: View) -> Iterator[Unmet]:
    found = view.lock.mapping('evidence').get(view.state)
    severity = strictness(view.workflow.evidence)
    if not found:
        yield Unmet(f'no evidence of {view.state} is recorded', severity)
    elif isinstance(found, dict):
        wanted = view.protocol.decisions['approved']
        for agent in view.agents:
            said = found.get(agent.name)
            if said != wanted:
                yield Unmet(
                    f'the evidence of {view.state} says about {agent.name}: '
                    f'{shown(str(said)) if said else "nothing"}',
                    severity,
                )
