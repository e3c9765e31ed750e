"""The files of a project and how git is set up in it, to compare."""

from __future__ import annotations

from tests.conftest import Repo


def snapshot(repo: Repo) -> dict[str, bytes]:
    """All but what git and we keep for ourselves."""
    kept = ('.git/hooks/', '.git/config')
    return {
        name: path.read_bytes()
        for path in sorted(repo.path.rglob('*'))
        if path.is_file()
        and (
            (name := str(path.relative_to(repo.path))).startswith(kept)
            or not name.startswith('.git/')
        )
    }
