"""What a shell command does, as far as its text says it.

Paths are absolute and normalised. Where `glob` is set the path is a pattern
(`path_patterns.matches`): `*` stands for anything within one name, `**` for
any text at all, `[*]` for a literal star. `**` also stands for an expansion
whose value the text does not say: `"$DIR/a.json"` is the pattern `**/a.json`,
anywhere. A word about which nothing is known becomes `Unknown`.
"""

from __future__ import annotations

from interlock.model.quick_typing import NamedTuple


class CopiedContent(NamedTuple):
    """The content is that of another file, or of the files below it."""

    path: str
    glob: bool = False
    # the target may be a directory; then another effect says what is put into it
    into: bool = False
    # a link leads to the file, and is not a copy
    link: bool = False
    # patterns of the files that are left out of a copy
    without: tuple[str, ...] = ()


class GitContent(NamedTuple):
    """The content is what git keeps of the file."""

    directory: str
    # '' is the index
    revision: str = ''
    # otherwise it may turn out to be a path
    sure: bool = False


class ArchiveContent(NamedTuple):
    """The files are the members of an archive; '' is a stream."""

    archive: str
    # leading directories that are left out
    strip: int = 0


class KeptContent(NamedTuple):
    """The content stays: only the mode or the date changes."""

    # a file that does not exist is made
    creates: bool = False


Origin = CopiedContent | GitContent | ArchiveContent | KeptContent


class Writes(NamedTuple):
    """A file is created, changed, emptied, linked, or its mode is changed.

    A target that may be a directory (`cp a b`) gives two effects: `b` and
    `b/a`.
    """

    path: str
    # the operator or the program: `>`, `>>`, `tee`, `sed -i`
    how: str
    # of the whole file, with `>>` what is added; None: `origin` may say it
    content: bytes | None = None
    glob: bool = False
    # all that is below the path as well
    recursive: bool = False
    origin: Origin | None = None


class Removes(NamedTuple):
    path: str
    how: str
    # a directory with all that is below it
    recursive: bool = False
    glob: bool = False
    # where it is moved to
    target: str = ''


class Patches(NamedTuple):
    """Files change as a patch says: its text, or the file that holds it."""

    how: str
    directory: str
    text: str | None = None
    file: str = ''
    # components of the names that are left out; -1: as many as it takes
    strip: int = -1
    reverse: bool = False


class Git(NamedTuple):
    """A call of git; aliases that the line defines are resolved."""

    # '**' where it is not known
    directory: str
    subcommand: str
    args: tuple[str, ...] = ()
    # it changes the repository or its worktree; an unknown subcommand does, a
    # push to a remote does not
    writes: bool = False
    # it can make a commit on the branch
    commits: bool = False


class Skips(NamedTuple):
    """Hooks of git would not run, or a commit would be made without them."""

    what: str


class Poses(NamedTuple):
    """A variable that says who acts is set, unset or dropped."""

    name: str
    how: str


class SetsPath(NamedTuple):
    """A git that changes something looks for programs here first."""

    directories: tuple[str, ...]
    what: str


class Runs(NamedTuple):
    """Any other program, by its base name."""

    program: str
    # the last one may be the code that an interpreter reads from its input
    args: tuple[str, ...] = ()
    directory: str = ''


class Unknown(NamedTuple):
    """The text does not say what is run, or on what."""

    why: str


Effect = Writes | Removes | Patches | Git | Skips | Poses | SetsPath | Runs | Unknown
