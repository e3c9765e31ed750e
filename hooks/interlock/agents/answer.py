"""Answers a client in a process that lives for a moment.

It runs without `site`, which takes longer than most answers: dependencies
(`yaml`, the parser of shell commands) are found when one is first imported.
"""

from __future__ import annotations

import gc
import os
import sys

from interlock.files import module_cache

# the dependencies that an answer may need
DEPENDENCIES = ('frontmatter', 'jsonschema', 'tree_sitter', 'tree_sitter_bash', 'yaml')


def _of_environment() -> str:
    """The packages of the virtual environment that we run in, '' without one."""
    prefix = os.path.dirname(os.path.dirname(os.path.abspath(sys.executable)))
    if not os.path.exists(os.path.join(prefix, 'pyvenv.cfg')):
        return ''
    version = f'python{sys.version_info[0]}.{sys.version_info[1]}'
    return os.path.join(prefix, 'lib', version, 'site-packages')


class Packages:
    """Finds our dependencies once one of them is imported."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> object:
        if name not in DEPENDENCIES:
            return None
        sys.meta_path.remove(Packages)  # type: ignore[arg-type]
        folder = _of_environment()
        if folder and os.path.isdir(os.path.join(folder, 'yaml')):
            sys.path.append(folder)
        else:
            import site

            site.main()
        from importlib.machinery import PathFinder

        return PathFinder.find_spec(name)


def start(arguments: list[str]) -> None:
    # a process this short never needs to free memory
    gc.disable()
    sys.meta_path.append(Packages)  # type: ignore[arg-type]
    from interlock.agents.respond import main
    from interlock.files import pattern_cache
    from interlock.files.users_cache import compiled

    pattern_cache.use(compiled())
    code = main(arguments)
    try:
        pattern_cache.keep(compiled())
        module_cache.keep()
    finally:
        # a client takes any other code for a failure, and lets the call pass
        os._exit(code)
