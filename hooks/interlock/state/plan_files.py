"""Which files are planning documents."""

from __future__ import annotations

DESIGN = 'design'
IMPL = 'impl'
# the end of a name -> the list of the state that holds such documents
ENDINGS = {'-design.md': DESIGN, '-impl.md': IMPL, '-plan.md': IMPL}


def encoded(project: str) -> str:
    """The directory name of a project among all plans."""
    return project.lstrip('/').replace('/', '-')


def kind_of(path: str, plans: str) -> str:
    """`design` or `impl` for a plan, '' for another file.

    `plans` is the directory of the project's plans, or ''.
    """
    for ending, kind in ENDINGS.items():
        if path.endswith(ending):
            return kind
    inside = plans and path.startswith(f'{plans.rstrip("/")}/')
    return IMPL if inside and path.endswith('.md') else ''
