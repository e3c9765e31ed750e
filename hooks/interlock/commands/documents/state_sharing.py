"""Saved states of a project that a team shares, as the commands see them."""

from __future__ import annotations

import os
import time

from interlock.git.git_paths import folder_of, project_of, top_of
from interlock.git.remotes import repository_name
from interlock.git.workflow_source import nearest, of_file
from interlock.model.errors import Refusal
from interlock.model.quick_typing import NamedTuple
from interlock.report.terminal import err
from interlock.state.shared_states import SharedStates
from interlock.state.store import LoadedState, Owner, Store
from interlock.workflow.language.sharing import STORE, store_on


class Sharing(NamedTuple):
    states: SharedStates
    service: str
    # days
    keep: int

    def send(self, store: Store, project: str) -> int:
        """Send what others do not have yet; returns how many states."""
        rows = store.unsent(project)
        self.states.send(rows, self.keep)
        store.mark_sent(project, rows)
        return len(rows)


def sharing_of(project: str) -> Sharing | None:
    """How the project shares its states; None: it does not.

    The workflow is that of the working directory.
    """
    file = nearest('') if project == project_of('.') else ''
    if not file:
        return None
    workflow = of_file(file, top_of(folder_of(file)))
    found = store_on(workflow.store, os.environ.get(STORE, ''))
    if not found.is_shared:
        return None
    name = repository_name(os.environ, project, workflow.locks)
    states = SharedStates(found.service, name, workflow.locks.timeout)
    return Sharing(states, found.service, found.keep)


def send_if_shared(store: Store, project: str) -> None:
    """After something was saved; it is kept here if it cannot be sent."""
    if not store.is_shared(project):
        return
    try:
        sharing = sharing_of(project)
        if sharing is not None:
            sharing.send(store, project)
    except Refusal as e:
        err(f'interlock: warning: {e.message}')


def load_elsewhere(project: str, owner: Owner, max_age: float) -> LoadedState:
    """What other machines sent, for a session that finds nothing here."""
    try:
        sharing = sharing_of(project)
        if sharing is not None:
            return sharing.states.load(owner, time.time(), max_age)
    except Refusal as e:
        err(f'interlock: warning: {e.message}')
    return LoadedState(None)
