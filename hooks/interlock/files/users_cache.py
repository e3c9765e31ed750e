"""Our part of the user's cache directory."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.model.quick_typing import Mapping


def users_own(top: str) -> str:
    """The user's own folder for a directory outside of any repository."""
    return os.path.join(users_cache(), top.strip(os.sep).replace(os.sep, '-'))


def users_cache(environ: Mapping[str, str] = os.environ) -> str:
    """Our part of the user's cache directory."""
    home = environ.get('HOME') or os.path.expanduser('~')
    cache = environ.get('XDG_CACHE_HOME') or os.path.join(home, '.cache')
    return os.path.join(cache, 'interlock')


def compiled_folder() -> str:
    """The folder of the compiled workflows and patterns of all repositories."""
    return os.path.join(users_cache(), 'compiled')
