"""When other hooks run, before and after pre-commit installs our hook types.

A hook without `stages` runs at every installed type, so four types instead of
one would make it run four times.
"""

from __future__ import annotations

from interlock.documents.wiring.hook_files import HOOK_TYPES, dicts
from interlock.model.quick_typing import Any, Iterable, Iterator, NamedTuple

TYPES = 'default_install_hook_types'
STAGES = 'default_stages'
COMMIT, PUSH = 'pre-commit', 'pre-push'
# names of stages that pre-commit and prek still accept
OLD_NAMES = {'commit': COMMIT, 'push': PUSH, 'merge-commit': 'pre-merge-commit'}


class HookTypes(NamedTuple):
    """The hook types that are installed without us."""

    names: tuple[str, ...] = (COMMIT,)

    @property
    def stages(self) -> list[str]:
        # hooks at the stage `manual` run only by name
        return [*self.names, 'manual']

    def added(self, stages: Any) -> list[str]:
        """Those of the stages that are installed only because of us."""
        given = _named(stages)
        return [each for each in HOOK_TYPES if each in given and each not in self.names]

    def kept(self, stages: Any) -> str:
        """The key with the others of the stages."""
        added = self.added(stages)
        kept = [each for each in _named(stages) if each not in added]
        return f'stages: [{", ".join(kept or ["manual"])}]'


def _named(stages: Any) -> list[str]:
    given = stages if isinstance(stages, list) else ()
    return [OLD_NAMES.get(each, each) for each in map(str, given)]


def types_before(config: dict[str, Any], installed: Iterable[str] = ()) -> HookTypes:
    """The types in the configuration, and those installed by hand."""
    types = config.get(TYPES)
    have = types if isinstance(types, list) and types else [COMMIT]
    return HookTypes(tuple(dict.fromkeys((*map(str, have), *installed))))


def _hooks(config: dict[str, Any]) -> Iterator[tuple[str, Any, bool]]:
    """The name and stages of each hook, and whether a manifest that is not here may
    set its stages."""
    for repo in dicts(config.get('repos')):
        remote = repo.get('repo') not in ('local', 'meta')
        for hook in dicts(repo.get('hooks')):
            yield str(hook.get('id')), hook.get('stages'), remote


def warnings_about_others(config: dict[str, Any], before: HookTypes) -> Iterator[str]:
    """Messages about other hooks that may run more often, with a way to prevent it."""
    keep = f'stages: [{", ".join(before.names)}]'
    hooks = [*_hooks(config)]
    named: dict[str, list[str]] = {}
    for name, stages, _ in hooks:
        if before.added(stages):
            named.setdefault(before.kept(stages), []).append(name)
    for kept, names in named.items():
        one = len(names) == 1
        yield (
            f'the hook{"" if one else "s"} {", ".join(names)} '
            f'{"names" if one else "name"} stages that were not installed before, '
            f'and {"runs" if one else "run"} at them from now on; to prevent it: '
            f'`{kept}`'
        )
    default = config.get(STAGES)
    if before.added(default):
        yield (
            f'`{STAGES}` names {", ".join(before.added(default))}, so hooks without '
            f'`stages` run there from now on; to prevent it: `default_'
            f'{before.kept(default)}`'
        )
    unseen = [name for name, stages, remote in hooks if remote and stages is None]
    if unseen and PUSH not in before.names:
        yield (
            f'{", ".join(unseen)}: run at push too where their own repository says '
            f'so; to prevent it, add to each of them: `{keep}`'
        )
