"""Git commands with obvious effects, which are most of those that agents run.

Reading a command in full takes several times as long. Every command that is
not in these tables is left to `read.py`, and a test compares both.
"""

from __future__ import annotations

from interlock.guard.shell.plain_commands import plain_commands

# variables that point git to another repository
ELSEWHERE = ('GIT_DIR', 'GIT_WORK_TREE', 'GIT_COMMON_DIR')
READS = 'reads'
WRITES = 'writes'
# subcommand -> its options, and its options that take the next word: a number
# for subcommands that read, any text for the others
READING = {
    'status': ('-s -b -sb --short --branch --porcelain --ignored', ''),
    'log': ('-p --oneline --stat --graph --all --decorate --name-only', '-n'),
    'diff': ('--stat --cached --staged --name-only --name-status', ''),
    'show': ('--stat --oneline --name-only --name-status', ''),
}
WRITING = {
    'add': ('-A -u -v --all --update', ''),
    'commit': ('-a -q -s -v --all --quiet --signoff', '-m -am --message'),
}


def everyday_git(command: str) -> str:
    """Whether it only reads, or writes the index and commits; '' for anything else."""
    commands = plain_commands(command)
    if not commands:
        return ''
    found = {_kind(words) for words in commands}
    return '' if '' in found else WRITES if WRITES in found else READS


def _kind(words: list[str]) -> str:
    name = words[1] if words[0] == 'git' and len(words) > 1 else ''
    for table, kind in ((READING, READS), (WRITING, WRITES)):
        if name in table and _is_known(words[2:], kind, *table[name]):
            return kind
    return ''


def _is_known(words: list[str], kind: str, flags: str, taking: str) -> bool:
    known, valued = flags.split(), taking.split()
    rest = iter(words)
    for word in rest:
        if word in valued:
            value = next(rest, None)
            if value is None or (kind == READS and not value.isdigit()):
                return False
        elif word.startswith('-') and word not in known:
            return False
    return True
