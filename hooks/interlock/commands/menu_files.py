"""The menus of a project, for the commands that show one."""

from __future__ import annotations

from interlock.commands.items.project import Project, today
from interlock.operations import menu
from interlock.operations.menu import Shown
from interlock.workflow.language import menus
from interlock.workflow.language.menus import Menus
from interlock.workflow.language.spec import Kind
from interlock.workflow.reading.records import Records


def menus_of(here: Project, kind: Kind | None) -> Menus:
    file = here.workflow.path or here.workflow.source

    def read(path: str) -> bytes | None:
        blob = here.snapshot.blob(path)
        return blob.data if blob else None

    return menus.load(kind, file, read)


def checkpoint(here: Project, at: Records, text: str = '') -> Shown | None:
    """The menu after a state was reached, None where there is none."""
    return menu.checkpoint(at, menus_of(here, at.kind), today(), context=text)
