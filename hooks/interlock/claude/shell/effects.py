"""What a shell command does, as far as its text says it.

Paths are absolute and normalised. Where `glob` is set the path is a pattern
(`patterns.matches`): `*` stands for anything within one name, `**` for any
text at all, and `[*]` for a star that is meant. `**` is also what is written
for an expansion whose value the text does not say, so `"$DIR/a.json"` is the
pattern `**/a.json`, anywhere. A word of which nothing is known becomes
`Unknown`.
"""
from __future__ import annotations

from typing import NamedTuple


class Writes(NamedTuple):
    """A file is created, changed, emptied, linked, or its mode is changed.

    `how` is the operator or the program: `>`, `>>`, `tee`, `sed -i`. The
    `content` is that of the whole file, with `>>` what is added to it, and
    None where the text does not say it. A recursive one reaches all that is
    below the path. A target that may be a directory (`cp a b`) is told
    twice: `b` and `b/a`.
    """

    path: str
    how: str
    content: bytes | None = None
    glob: bool = False
    recursive: bool = False


class Removes(NamedTuple):
    """A file or directory goes away; a recursive one with all below it."""

    path: str
    how: str
    recursive: bool = False
    glob: bool = False


class Git(NamedTuple):
    """A call of git, its aliases resolved where the line defines them.

    `writes`: it changes the repository or its worktree; an unknown
    subcommand does. A push to a remote does not. `commits`: it can make a
    commit on the branch. The directory is '**' where it is not known.
    """

    directory: str
    subcommand: str
    args: tuple[str, ...] = ()
    writes: bool = False
    commits: bool = False


class Skips(NamedTuple):
    """Hooks of git would not run, or a commit would be made without them."""

    what: str


class Poses(NamedTuple):
    """A variable that says who acts is set, unset or dropped."""

    name: str
    how: str


class Runs(NamedTuple):
    """Any other program: its base name. Code that an interpreter gets on its
    standard input is the last of the arguments."""

    program: str
    args: tuple[str, ...] = ()
    directory: str = ''


class Unknown(NamedTuple):
    """What is run, or on what, does not stand in the text."""

    why: str


Effect = Writes | Removes | Git | Skips | Poses | Runs | Unknown
