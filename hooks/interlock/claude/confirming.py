"""The user's word to go on once a stage is committed."""
from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator
from collections.abc import Sequence

from interlock.claude.prompts import MAX_ANSWER
from interlock.model.errors import Refusal
from interlock.workflow import assent
from interlock.workflow.records import records
from interlock.workflow.spec import ConfirmSpec
from interlock.workflow.spec import Kind
from interlock.world import checkpoints
from interlock.world import confirmations
from interlock.world import holding
from interlock.world.checkpoints import Checkpoint
from interlock.world.confirmations import Confirmation
from interlock.world.disk import SteadySnapshot
from interlock.world.repository import Repository
from interlock.world.worktrees import LOCAL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.claude.scene import Scene



@contextlib.contextmanager
def repository(scene: Scene) -> Iterator[Repository]:
    """That of the workflow file, whatever the client's environment says."""
    environ = {
        name: value for name, value in scene.event.environ.items()
        if name not in LOCAL
    }
    opened = Repository(environ, scene.top)
    try:
        yield opened
    finally:
        opened.close()


def waiting(scene: Scene) -> Checkpoint | None:
    """The newest stage commit, if it waits for the user."""
    if not scene.top or not any(
            kind.commit and kind.commit.confirm
            for kind in scene.workflow.kinds
    ):
        return None
    with repository(scene) as opened:
        newest = checkpoints.newest(opened, scene.workflow)
        found = newest and checkpoints.unconfirmed(
            opened, scene.state, scene.workflow, newest.item,
        )
        return found if found == newest else None


def _specs(scene: Scene) -> Iterator[tuple[Kind, ConfirmSpec]]:
    for kind in scene.workflow.kinds:
        if kind.commit is not None and kind.commit.confirm is not None:
            yield kind, kind.commit.confirm


def _chooses(scene: Scene, kind: Kind, item: str, prompt: str) -> bool:
    """Whether a prompt is the answer to the menu by which work goes on."""
    # most prompts are no answer to a menu
    from interlock.operations import menu as menus
    from interlock.workflow import menus as shipped

    snapshot = SteadySnapshot(scene.top)

    def read(path: str) -> bytes | None:
        blob = snapshot.blob(path)
        return blob.data if blob else None

    try:
        found = shipped.load(kind, scene.path, read)
        at = records(snapshot, kind, item)
        shown = menus.checkpoint(at, found, '')
        return shown is not None and (
            menus.read(shown, prompt) is shown.menu.options[0]
        )
    except Refusal:
        # none of the options, or menus that cannot be read
        return False


def confirms(
        scene: Scene,
        found: Checkpoint,
        prompt: str,
        names: Sequence[str],
) -> bool:
    """Whether a prompt is the word to go on behind a stage commit."""
    for kind, confirm in _specs(scene):
        if assent.assents(prompt, confirm.words, names):
            return True
        elif len(prompt) <= MAX_ANSWER and (
                _chooses(scene, kind, found.item, prompt.strip())
        ):
            return True
    return False


def confirm(scene: Scene, found: Checkpoint, prompt: str) -> None:
    confirmations.record(scene.state, Confirmation(
        found.item, found.name, found.commit, holding.now(),
        scene.event.session, checksum(prompt),
    ))


def checksum(prompt: str) -> str:
    return hashlib.sha256(prompt.encode(errors='replace')).hexdigest()
