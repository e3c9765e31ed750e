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


class Copied(NamedTuple):
    """The content is that of another file, or of the files below it.

    `into`: the target may be a directory, and then another effect says what
    is put into it. A link leads to the file, and is no copy.
    """

    path: str
    glob: bool = False
    into: bool = False
    link: bool = False
    # patterns of what is not copied
    without: tuple[str, ...] = ()


class Revised(NamedTuple):
    """The content is what git keeps of the file: of a revision, or, where
    it is '', of the index. One that is not sure may turn out to be a path.
    """

    directory: str
    revision: str = ''
    sure: bool = False


class Unpacked(NamedTuple):
    """The files are the members of an archive, '' if that is a stream."""

    archive: str
    # leading directories that are left out
    strip: int = 0


class Kept(NamedTuple):
    """The content stays: the mode changes, or the date. A file that is not
    there is made, or not."""

    creates: bool = False


Origin = Copied | Revised | Unpacked | Kept


class Writes(NamedTuple):
    """A file is created, changed, emptied, linked, or its mode is changed.

    `how` is the operator or the program: `>`, `>>`, `tee`, `sed -i`. The
    `content` is that of the whole file, with `>>` what is added to it, and
    None where the text does not say it; then the `origin` may. A recursive
    one reaches all that is below the path. A target that may be a directory
    (`cp a b`) is told twice: `b` and `b/a`.
    """

    path: str
    how: str
    content: bytes | None = None
    glob: bool = False
    recursive: bool = False
    origin: Origin | None = None


class Removes(NamedTuple):
    """A file or directory goes away; a recursive one with all below it."""

    path: str
    how: str
    recursive: bool = False
    glob: bool = False
    # where it is moved to
    target: str = ''


class Patches(NamedTuple):
    """Files change as a patch says: its text, or the file that it is in."""

    how: str
    directory: str
    text: str | None = None
    file: str = ''
    # components of the names that are left out; -1: as many as it takes
    strip: int = -1
    reverse: bool = False


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


class Finds(NamedTuple):
    """Programs are looked for in these directories first, by a git that
    changes something."""

    directories: tuple[str, ...]
    what: str


class Runs(NamedTuple):
    """Any other program: its base name. Code that an interpreter gets on its
    standard input is the last of the arguments."""

    program: str
    args: tuple[str, ...] = ()
    directory: str = ''


class Unknown(NamedTuple):
    """What is run, or on what, does not stand in the text."""

    why: str


Effect = Writes | Removes | Patches | Git | Skips | Poses | Finds | Runs | Unknown
