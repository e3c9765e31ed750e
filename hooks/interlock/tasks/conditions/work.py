"""What git and the builds have to show for the work."""

from __future__ import annotations

from interlock.documents.tasks.trail import BUILDS
from interlock.documents.text import shown
from interlock.model.quick_typing import Iterator
from interlock.tasks.conditions.condition import (
    AGENT_TREES,
    MAIN,
    TREE,
    Unmet,
    condition,
)
from interlock.tasks.conditions.rounds import stale
from interlock.tasks.conditions.view import Completion, View, WorktreeState
from interlock.workflow.reading.transition_log import scope_decisions

# how many paths a sentence names
FEW = 3


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
    """What was completed wrongly is taken back, and completed anew: the
    history of the main branch is not rewritten."""
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
            f'{spec.todo} of the main branch still lists the task, or never did'
        )
        return
    if not done.work:
        yield Unmet(
            f'{done.commit[:10]} completes the task in {spec.todo}, and '
            f'none of the work is in it',
            recovery=_once_more(view, done),
        )
    if main.has_changelog and not done.changelog:
        yield Unmet(
            f'{done.commit[:10]} completes the task, and {spec.changelog} '
            f'is not part of it',
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
