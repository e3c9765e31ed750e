"""The effects of a shell command, as far as its text shows them.

Paths are absolute and normalised. If `glob` is set, the path is a pattern
(`path_patterns.matches`): `*` matches anything within one name, `**` matches
any text at all, and `[*]` matches a literal star. `**` also stands for an
expansion whose value is not in the text: `"$DIR/a.json"` is the pattern
`**/a.json`, anywhere. A word about which nothing is known becomes `Unknown`.
"""

from __future__ import annotations

from interlock.model.quick_typing import NamedTuple


class CopiedContent(NamedTuple):
    """The content comes from another file, or from the files below it."""

    path: str
    glob: bool = False
    # the target may be a directory; then another effect covers the files in it
    into: bool = False
    # a link to the file, not a copy
    link: bool = False
    # patterns of files that the copy leaves out
    without: tuple[str, ...] = ()


class GitContent(NamedTuple):
    """The content is the version that git keeps of the file."""

    directory: str
    # '' is the index
    revision: str = ''
    # false: the revision may turn out to be a path
    sure: bool = False


class ArchiveContent(NamedTuple):
    """The files are the members of an archive; '' is a stream."""

    archive: str
    # how many leading directories are stripped
    strip: int = 0


class KeptContent(NamedTuple):
    """The content stays: only the mode or the date changes."""

    # a missing file is created
    creates: bool = False


class EditedContent(NamedTuple):
    """The content is what this command prints when it reads the old content; when it
    runs again, it may change it again."""

    command: tuple[str, ...]


Origin = CopiedContent | GitContent | ArchiveContent | KeptContent | EditedContent


class Writes(NamedTuple):
    """A file is created, changed, emptied, linked, or its mode is changed.

    A target that may be a directory (`cp a b`) gives two effects: `b` and
    `b/a`.
    """

    path: str
    # the operator or the program: `>`, `>>`, `tee`, `sed -i`
    how: str
    # the whole content, or with `>>` the added text; None: see `origin`
    content: bytes | None = None
    glob: bool = False
    # everything below the path as well
    recursive: bool = False
    origin: Origin | None = None


class Removes(NamedTuple):
    path: str
    how: str
    # a directory with everything below it
    recursive: bool = False
    glob: bool = False
    # the path that it moves to
    target: str = ''


class Patches(NamedTuple):
    """A patch changes files; it is given as text, or as the file that holds it."""

    how: str
    directory: str
    text: str | None = None
    file: str = ''
    # how many leading components of names are stripped; -1: `patch` finds out
    strip: int = -1
    reverse: bool = False


class Git(NamedTuple):
    """A call of git, with the aliases resolved that the command line defines."""

    # '**' if it is unknown
    directory: str
    subcommand: str
    args: tuple[str, ...] = ()
    # it changes the repository or its worktree; an unknown subcommand counts,
    # a push to a remote does not
    writes: bool = False
    # it can create a commit on the branch
    commits: bool = False


class Skips(NamedTuple):
    """Hooks of git would not run, or a commit would be created without them."""

    what: str


class Poses(NamedTuple):
    """A variable that says who acts is set, unset or dropped."""

    name: str
    how: str


class SetsPath(NamedTuple):
    """Git commands that change something find programs in these directories first."""

    directories: tuple[str, ...]
    what: str


class Runs(NamedTuple):
    """A call of any other program, by its base name."""

    program: str
    # the last argument may be code that an interpreter reads from its input
    args: tuple[str, ...] = ()
    directory: str = ''


class Unknown(NamedTuple):
    """The text does not show what is run, or on which files."""

    why: str


Effect = Writes | Removes | Patches | Git | Skips | Poses | SetsPath | Runs | Unknown
