"""SessionStart: where work stands, in facts; nothing where there are none."""
from __future__ import annotations

from interlock.claude import log
from interlock.claude.answer import Answer
from interlock.claude.answer import CONTEXT
from interlock.claude.answer import RECOVERY
from interlock.claude.answer import START
from interlock.claude.launcher import with_packages
from interlock.model.errors import Refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from collections.abc import Iterator

    from interlock.claude.scene import Scene

# when the client gives a session another id
RENAMED = ('clear', 'fork')
# one line must not crowd out the others
LINE = 700


def _gate(scene: Scene) -> Iterator[str]:
    from interlock.claude.wording import clean
    from interlock.world import wired
    from interlock.world.liveness import problems
    from interlock.world.place import top_of

    top = top_of(scene.directory) or scene.top
    if not top:
        return
    # hooks are read with the parser of the shell
    with_packages()
    wired.refresh(top, scene.state, scene.event.environ)
    if not scene.raw['items'] and not scene.raw.get('documents'):
        # nothing that git could refuse
        return
    found = problems(top, scene.event.environ)
    if found:
        yield (
            f'The gate is not live: {clean("; ".join(found), 200)} '
            f'(interlock doctor).'
        )


def _rebound(scene: Scene) -> Iterator[str]:
    if scene.has_tasks and scene.event.text('source') in RENAMED:
        from interlock.claude import rebinding
        yield from rebinding.rebind(scene.space, scene.actor)


def _tasks(scene: Scene) -> Iterator[str]:
    if scene.has_tasks:
        from interlock.claude import start_tasks
        yield from start_tasks.lines(scene)


def _items(scene: Scene) -> Iterator[str]:
    with_packages()
    from interlock.claude import start_items
    return start_items.lines(scene)


def _checkpoint(scene: Scene) -> Iterator[str]:
    # what is said of items is YAML
    with_packages()
    from interlock.claude import confirming
    from interlock.claude.wording import clean

    found = confirming.waiting(scene)
    if found is not None:
        yield (
            f"{clean(found.item)}: stage {found.name} is committed "
            f"({found.commit[:10]}), and the next one waits for the user's "
            f"approval."
        )


PARTS = (_gate, _rebound, _tasks, _checkpoint, _items)


def _part(scene: Scene, part: Callable[[Scene], Iterator[str]]) -> list[str]:
    """The lines of one part; that it fails keeps nothing else back."""
    from interlock.claude.answer import cut
    try:
        return [cut(line, LINE) for line in part(scene)]
    except Exception as error:
        what = f'{type(error).__name__}: {error}'
        log.failed(scene.state, scene.event.name, what)
        return []


def _facts(scene: Scene) -> list[str]:
    try:
        parts = PARTS if scene.workflow.kinds else (_gate,)
    except Refusal as e:
        return [
            f'The workflow cannot be read, so tool calls that write are '
            f'refused: {e.message} (interlock doctor).',
        ]
    return [line for part in parts for line in _part(scene, part)]


def handle(scene: Scene) -> Answer:
    from interlock.saved.saying import COMPACTED
    from interlock.saved.saying import CONTINUED
    from interlock.saved.saying import fitting
    from interlock.world.sessions import starting

    recovery = starting(scene.event.data, scene.event.environ)
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
