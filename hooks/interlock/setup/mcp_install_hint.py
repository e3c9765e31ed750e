"""The command that installs the MCP SDK, which is optional."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import shlex
import sys

PACKAGE = 'interlock-hooks'
MCP = 'mcp'


def _requirement() -> str:
    try:
        wanted = importlib.metadata.requires(PACKAGE) or ()
    except importlib.metadata.PackageNotFoundError:
        # a source tree that is not installed
        wanted = ()
    return next(
        (
            line.partition(';')[0].strip()
            for line in wanted
            if line.startswith(MCP) and f'extra == "{MCP}"' in line
        ),
        MCP,
    )


def install_mcp() -> str:
    """The command that installs it into the environment that runs us."""
    # environments created by uv have no pip
    pip = (
        [sys.executable, '-m', 'pip', 'install']
        if importlib.util.find_spec('pip')
        else ['uv', 'pip', 'install', '--python', sys.executable]
    )
    return shlex.join([*pip, _requirement()])
