"""Whether a command must be read at all.

This module imports almost nothing, because most commands end here. It answers
yes too often, never too rarely; a test compares it with the tables of the
reader.
"""

from __future__ import annotations

from interlock.model import clients

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.model.quick_typing import Mapping

# characters that write a file, or hide a name
SIGNS = '>$`{*?['
# these may be part of a word
PARTS = (
    *clients.PREFIXES,
    *'git GIT INTERLOCK_ interlock HUSKY LEFTHOOK PRE_COMMIT PREK_ SKIP'.split(),
    *'python pypy perl ruby node php lua deno osascript Rscript tclsh'.split(),
    *'UserPromptSubmit launcher.py HOME pre-commit prek lefthook settings'.split(),
    *'.json .lock .husky --no-v --no-hooks commit-hooks basetemp download'.split(),
)
WORDS = frozenset(
    (
        # shells, and programs that run other programs
        'sh bash zsh dash ksh mksh ash fish rbash csh tcsh elvish nu xonsh pwsh '
        'powershell script tmux screen nix nix-shell env cross-env cross-env-shell '
        'eval exec source . xargs parallel sudo doas su runuser systemd-run at batch '
        'crontab docker podman nerdctl ssh flock alias trap unset unsetenv export '
        'declare typeset find gfind fd fdfind watch npx busybox toybox '
        # programs that remove or write files
        'rm grm srm rimraf unlink rmdir trash trash-put gio shred cp gcp mv gmv ln '
        'link install ginstall rsync rclone tee sponge sed gsed awk gawk mawk nawk dd '
        'truncate touch chmod chown chgrp chattr setfacl sort patch apply_patch '
        'applypatch curl wget ed ex '
        'vi vim nvim yq tar gtar bsdtar hub '
        # hook managers
        'pre_commit husky '
        # programs that find files in a directory and rewrite them
        'prettier markdownlint markdownlint-cli markdownlint-cli2 rumdl mdformat '
        'remark textlint doctoc embedme dprint biome taplo rpl codespell typos unzip '
        '7z 7za pax '
        # programs that write the file they are given
        'xxd cc gcc clang openssl zip rename scp cpio expect socat mount bindfs sshfs '
        'mergerfs unionfs jj sl got gix dulwich bun tsx compgen complete enable '
        'overcommit captainhook hk tig mc ranger nnn vifm lf psql mysql sqlite3'
    ).split()
    # the clients, also by the names of their packages
    + [program for program, *_ in clients.PROGRAMS]
    + [package.rpartition('/')[2] for package, _ in clients.PACKAGES]
)
_PATHS_APART = str.maketrans(
    {**dict.fromkeys(';&|()<>=:@,!', ' '), **dict.fromkeys('"\'\\')}
)
_APART = {**_PATHS_APART, ord('/'): ' '}


def unquoted(command: str, apart: Mapping[int, str | None] = _APART) -> str:
    """The command without quotes, and with blanks in place of separators."""
    return command.replace('\\\n', '').translate(apart)


def words(command: str) -> list[str]:
    """The words of a command; some may be paths."""
    return unquoted(command, _PATHS_APART).split()


def could_matter(command: str) -> bool:
    """False only if `read` finds nothing that a rule could refuse."""
    if any(sign in command for sign in SIGNS):
        return True
    bare = unquoted(command)
    if any(part in bare for part in PARTS):
        return True
    return not WORDS.isdisjoint(bare.replace('.exe ', ' ').split())
