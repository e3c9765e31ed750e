"""Whether the user must confirm a committed stage before work continues."""

from __future__ import annotations

from interlock.documents import timestamps
from interlock.engine import session_records, stage_commits
from interlock.engine.session_records import Confirmation
from interlock.engine.stage_commits import StageCommit
from interlock.files.disk_snapshot import SteadySnapshot
from interlock.git.repository import Repository
from interlock.guard.context import Context
from interlock.guard.event import MAX_ANSWER
from interlock.guard.texts import items_named, known_items
from interlock.model import quick_hash
from interlock.model.errors import Refusal
from interlock.model.quick_tools import closing
from interlock.model.quick_typing import Iterator, Sequence
from interlock.workflow.language.spec import ConfirmSpec, Kind
from interlock.workflow.reading.records import records

# how many commits of a session are examined
FEW = 5


def _specs(context: Context) -> Iterator[tuple[Kind, ConfirmSpec]]:
    for kind in context.workflow.kinds:
        if kind.commit.confirm is not None:
            yield kind, kind.commit.confirm


def _unconfirmed(
    context: Context, repository: Repository, item: str
) -> StageCommit | None:
    state, workflow = context.state, context.workflow
    return stage_commits.unconfirmed(repository, state, workflow, item)


def _of_named_item(
    context: Context, repository: Repository, prompt: str
) -> StageCommit | None:
    """The waiting stage commit of the one item that a prompt names."""
    snapshot = SteadySnapshot(context.top)
    items = [
        item for kind, _ in _specs(context) for item in known_items(snapshot, kind)
    ]
    found = items_named(prompt, items)
    return _unconfirmed(context, repository, found[0]) if len(found) == 1 else None


def _of_session(context: Context, repository: Repository) -> StageCommit | None:
    """The newest waiting stage commit of this session."""
    head = repository.head()
    if head is None:
        return None
    for oid in session_records.commits_of(context.state, context.actor)[:FEW]:
        commit = repository.git.commit(oid)
        subject = commit.message.partition('\n')[0] if commit else ''
        for kind, _ in _specs(context) if commit else ():
            tree = repository.tree(head.tree)
            named = stage_commits.named_in(subject, kind, tree)
            found = _unconfirmed(context, repository, named[0]) if named else None
            if found and found.commit == oid:
                return found
    return None


def is_others(context: Context, found: StageCommit) -> bool:
    """Whether the commit is known to come from another session."""
    made = session_records.committer(context.state, found.commit)
    return made is not None and not made.is_same(context.actor)


def waiting(context: Context, prompt: str = '') -> StageCommit | None:
    """The stage commit that waits for the user: that of the item a prompt names,
    else the newest. A waiting commit of this session precedes one of another
    session."""
    if not context.top or not any(_specs(context)):
        return None
    with closing(context.repository(context.top)) as repository:
        named = _of_named_item(context, repository, prompt) if prompt else None
        if named is not None:
            return named
        newest = stage_commits.newest(repository, context.workflow)
        if newest is None:
            return None
        found = _unconfirmed(context, repository, newest.item)
        found = found if found == newest else None
        if found and not is_others(context, found):
            return found
        return _of_session(context, repository) or found


def record_commit(context: Context) -> None:
    """Record HEAD as this session's, after a command that may have committed."""
    with closing(context.repository()) as repository:
        head = repository.git.resolve('HEAD')
        session_records.record_commit(context.state, head or '', context.actor)


def _answers_menu(context: Context, kind: Kind, item: str, prompt: str) -> bool:
    """Whether a prompt chooses "continue" in the menu of a checkpoint."""
    # imported here, because most prompts do not answer a menu
    from interlock.files.users_cache import menus_of
    from interlock.operations import menu

    snapshot = SteadySnapshot(context.top)
    try:
        menus = menus_of(snapshot, context.workflow, kind)
        shown = menu.checkpoint(records(snapshot, kind, item), menus, '')
        options = shown.menu.options if shown else ()
        return shown is not None and menu.read(shown, prompt) is options[0]
    except Refusal:
        # the prompt is not an option, or the menus cannot be read
        return False


def confirms(
    context: Context, found: StageCommit, prompt: str, names: Sequence[str]
) -> bool:
    """Whether a prompt tells us to continue after a stage commit."""
    from interlock.workflow.reading import prompt_phrases

    for kind, confirm in _specs(context):
        if prompt_phrases.is_phrase(prompt, confirm.words, names):
            return True
        elif len(prompt) <= MAX_ANSWER:
            if _answers_menu(context, kind, found.item, prompt.strip()):
                return True
    return False


def checksum(prompt: str) -> str:
    return quick_hash.sha256(prompt.encode(errors='replace')).hexdigest()


def confirm(context: Context, found: StageCommit, prompt: str) -> None:
    record = Confirmation(
        found.item,
        found.name,
        found.commit,
        timestamps.now(),
        context.event.session,
        checksum(prompt),
    )
    session_records.confirm(context.state, record)
