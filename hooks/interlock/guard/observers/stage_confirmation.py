"""The user's word to go on once a stage is committed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence

from interlock.documents import timestamps
from interlock.engine import session_records, stage_commits
from interlock.engine.session_records import Confirmation
from interlock.engine.stage_commits import StageCommit
from interlock.files.disk_snapshot import SteadySnapshot
from interlock.git.repository import Repository
from interlock.guard.item_mentions import known, named
from interlock.guard.observers.prompt import MAX_ANSWER
from interlock.guard.project_paths import repository
from interlock.model.errors import Refusal
from interlock.workflow.language.spec import ConfirmSpec, Kind
from interlock.workflow.reading import prompt_approval
from interlock.workflow.reading.records import records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.guard.context import Scene


# of the commits of a session, how many are looked at
FEW = 5


def _named(scene: Scene, opened: Repository, prompt: str) -> StageCommit | None:
    """The stage commit that waits, of the one item that a prompt names."""
    snapshot = SteadySnapshot(scene.top)
    items = [item for kind, _ in _specs(scene) for item in known(snapshot, kind)]
    found = named(prompt, items)
    return (
        stage_commits.unconfirmed(opened, scene.state, scene.workflow, found[0])
        if len(found) == 1
        else None
    )


def _own(scene: Scene, opened: Repository) -> StageCommit | None:
    """The newest stage commit of the session itself that waits."""
    head = opened.head()
    for oid in (
        session_records.commits_of(scene.state, scene.actor)[:FEW] if head else ()
    ):
        commit = opened.git.commit(oid)
        for kind, _ in _specs(scene) if head and commit else ():
            subject = commit.message.partition('\n')[0] if commit else ''
            said = head and stage_commits.named_in(
                subject, kind, opened.tree(head.tree)
            )
            found = (
                stage_commits.unconfirmed(opened, scene.state, scene.workflow, said[0])
                if said
                else None
            )
            if found and found.commit == oid:
                return found
    return None


def is_others(scene: Scene, found: StageCommit) -> bool:
    """Whether another session made the commit, and only then."""
    made = session_records.committer(scene.state, found.commit)
    return made is not None and not made.is_same(scene.actor)


def waiting(scene: Scene, prompt: str = '') -> StageCommit | None:
    """The stage commit that waits for the user: of the item that a prompt
    names, else the newest, unless one of the session's own waits as well."""
    if not scene.top or not any(_specs(scene)):
        return None
    with repository(scene, scene.top) as opened:
        said = _named(scene, opened, prompt) if prompt else None
        if said is not None:
            return said
        newest = stage_commits.newest(opened, scene.workflow)
        found = newest and stage_commits.unconfirmed(
            opened, scene.state, scene.workflow, newest.item
        )
        found = found if found == newest else None
        if newest is None or (found and not is_others(scene, found)):
            return found
        return _own(scene, opened) or found


def committed(scene: Scene) -> None:
    """After a command that may have committed: HEAD is the session's."""
    with repository(scene) as opened:
        head = opened.git.resolve('HEAD')
        session_records.record_commit(scene.state, head or '', scene.actor)


def _specs(scene: Scene) -> Iterator[tuple[Kind, ConfirmSpec]]:
    for kind in scene.workflow.kinds:
        if kind.commit is not None and kind.commit.confirm is not None:
            yield kind, kind.commit.confirm


def _chooses(scene: Scene, kind: Kind, item: str, prompt: str) -> bool:
    """Whether a prompt is the answer to the menu by which work goes on."""
    # most prompts are no answer to a menu
    from interlock.operations import menu as menus
    from interlock.workflow.language import menus as shipped

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
    scene: Scene, found: StageCommit, prompt: str, names: Sequence[str]
) -> bool:
    """Whether a prompt is the word to go on behind a stage commit."""
    for kind, confirm in _specs(scene):
        if prompt_approval.assents(prompt, confirm.words, names):
            return True
        elif len(prompt) <= MAX_ANSWER and (
            _chooses(scene, kind, found.item, prompt.strip())
        ):
            return True
    return False


def confirm(scene: Scene, found: StageCommit, prompt: str) -> None:
    session_records.confirm(
        scene.state,
        Confirmation(
            found.item,
            found.name,
            found.commit,
            timestamps.now(),
            scene.event.session,
            checksum(prompt),
        ),
    )


def checksum(prompt: str) -> str:
    return hashlib.sha256(prompt.encode(errors='replace')).hexdigest()
