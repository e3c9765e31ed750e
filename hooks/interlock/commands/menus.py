"""The menus of a project, for the commands that show one."""
from __future__ import annotations

from interlock.commands.project import Project
from interlock.commands.project import today
from interlock.operations import menu
from interlock.operations.menu import Shown
from interlock.workflow import menus
from interlock.workflow.menus import Menus
from interlock.workflow.records import Records
from interlock.workflow.spec import Kind


def menus_of(here: Project, kind: Kind | None) -> Menus:
    file = here.workflow.path or here.workflow.source

    def read(path: str) -> bytes | None:
        blob = here.snapshot.blob(path)
        return blob.data if blob else None

    return menus.load(kind, file, read)


def checkpoint(here: Project, at: Records, text: str = '') -> Shown | None:
    """The menu after a state was reached, None where there is none."""
    return menu.checkpoint(at, menus_of(here, at.kind), today(), context=text)
