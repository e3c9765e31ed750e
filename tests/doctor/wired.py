"""Hooks as the frameworks write them, and what they read."""

from __future__ import annotations

from pathlib import Path

from interlock.documents.wiring.hook_files import CALLS, HOOK_TYPES, git_hook
from tests.conftest import Repo

# what husky puts into a folder that git ignores
HUSKY = """\
#!/usr/bin/env sh
. "${0%/*}/h"
"""
HUSKY_HELPER = """\
#!/usr/bin/env sh
name=$(basename "$0")
script=$(dirname "$(dirname "$0")")/$name
[ ! -f "$script" ] && exit 0
[ "${HUSKY-}" = "0" ] && exit 0
export PATH="node_modules/.bin:$PATH"
sh -e "$script" "$@"
exit $?
"""
LEFTHOOK = """\
#!/bin/sh
if [ "$LEFTHOOK" = "0" ]; then
  exit 0
fi
call_lefthook()
{
  dir="$(git rev-parse --show-toplevel)"
  if test -x "$dir/node_modules/.bin/lefthook"; then
    "$dir/node_modules/.bin/lefthook" "$@"
  else
    echo "Can't find lefthook in PATH"
    exit 1
  fi
}
call_lefthook run "NAME" "$@"
"""
# what a runner does with `lefthook run HOOK ARGS...`
RUNNER = """\
#!/bin/sh
shift
name=$1
shift
script=$(cat lefthook.yml lefthook-local.yml 2>/dev/null |
    sed -n "s/^  run-$name: //p" | tail -n 1)
[ -z "$script" ] || exec sh -c "$script" "$name" "$@"
"""
LEFTHOOK_FILE = ''.join(
    f'{name}:\n  run-{name}: interlock {CALLS[name]} "$@"\n' for name in HOOK_TYPES
)


def script(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding='UTF-8')
    path.chmod(0o755)


def plain(repo: Repo, directory: str = '.git/hooks') -> None:
    for name in HOOK_TYPES:
        data = git_hook(CALLS[name]).decode()
        script(repo.path / directory / name, data)


def husky(repo: Repo, directory: str = '.husky') -> None:
    folder = repo.path / directory
    for name in HOOK_TYPES:
        script(folder / '_' / name, HUSKY)
        line = f'interlock {CALLS[name]} "$@"\n'
        (folder / name).write_text(line, encoding='UTF-8')
    script(folder / '_' / 'h', HUSKY_HELPER)
    (folder / '_' / '.gitignore').write_text('*')
    repo.git('config', 'core.hooksPath', f'{directory}/_')


def lefthook(repo: Repo) -> None:
    for name in HOOK_TYPES:
        text = LEFTHOOK.replace('NAME', name)
        script(repo.path / '.git' / 'hooks' / name, text)
    script(repo.path / 'node_modules' / '.bin' / 'lefthook', RUNNER)
    repo.write({'lefthook.yml': LEFTHOOK_FILE, '.gitignore': 'node_modules\n'})
