"""SessionStart: where work stands, in facts; nothing where there are none."""

from __future__ import annotations

from interlock.guard import hook_log
from interlock.guard.reply import CONTEXT, RECOVERY, START, Answer
from interlock.model.errors import Refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from interlock.guard.context import Scene

# when the client gives a session another id
RENAMED = ('clear', 'fork')
# one line must not crowd out the others
LINE = 700


def _gate(scene: Scene) -> Iterator[str]:
    from interlock.files import settings_record
    from interlock.git.git_paths import top_of
    from interlock.guard.observers.gate_status import problems
    from interlock.guard.text_limits import clean

    top = top_of(scene.directory) or scene.top
    if not top:
        return
    # hooks are read with the parser of the shell
    settings_record.refresh(top, scene.state, scene.event.environ)
    if not scene.raw['items'] and not scene.raw.get('documents'):
        # nothing that git could refuse
        return
    found = problems(top, scene.event.environ)
    if found:
        yield (
            f'The gate is not live: {clean("; ".join(found), 200)} (interlock doctor).'
        )


def _rebound(scene: Scene) -> Iterator[str]:
    if scene.has_tasks and scene.event.text('source') in RENAMED:
        from interlock.guard.observers import lock_rebind

        yield from lock_rebind.rebind(scene.space, scene.actor)


def _tasks(scene: Scene) -> Iterator[str]:
    if scene.has_tasks:
        from interlock.guard.observers import session_tasks

        yield from session_tasks.lines(scene)


def _items(scene: Scene) -> Iterator[str]:
    from interlock.guard.observers import session_items

    return session_items.lines(scene)


def _checkpoint(scene: Scene) -> Iterator[str]:
    # what is said of items is YAML
    from interlock.guard.observers import stage_confirmation
    from interlock.guard.text_limits import clean

    found = stage_confirmation.waiting(scene)
    if found is not None:
        yield (
            f'{clean(found.item)}: stage {found.name} is committed '
            f"({found.commit[:10]}), and the next one waits for the user's "
            f'approval.'
        )


PARTS = (_gate, _rebound, _tasks, _checkpoint, _items)


def _part(scene: Scene, part: Callable[[Scene], Iterator[str]]) -> list[str]:
    """The lines of one part; that it fails keeps nothing else back."""
    from interlock.guard.reply import cut

    try:
        return [cut(line, LINE) for line in part(scene)]
    except Exception as error:
        what = f'{type(error).__name__}: {error}'
        hook_log.failed(scene.state, scene.event.name, what)
        return []


def _facts(scene: Scene) -> list[str]:
    try:
        parts = PARTS if scene.workflow.kinds else (_gate,)
    except Refusal as e:
        return [
            f'The workflow cannot be read, so tool calls that write are '
            f'refused: {e.message} (interlock doctor).'
        ]
    return [line for part in parts for line in _part(scene, part)]


def handle(scene: Scene) -> Answer:
    from interlock.state.hook_texts import COMPACTED, CONTINUED, fitting
    from interlock.state.state_hooks import on_session_start

    recovery = on_session_start(scene.event.data, scene.event.environ)
    if scene.event.agent_id:
        # an agent that was compacted: the facts are its session's
        return Answer(CONTEXT, recovery, RECOVERY)
    if scene.event.text('source') not in (COMPACTED, *CONTINUED):
        lines = filter(None, [*_facts(scene), recovery])
        return Answer(CONTEXT, fitting(lines, START), START)
    facts = fitting(_facts(scene), START)
    text = '\n'.join(filter(None, (recovery, facts)))
    if len(text) > RECOVERY:
        text = recovery
    return Answer(CONTEXT, text, RECOVERY)
