"""The demands of a workflow that another version of it drops.

Both are resolved, that is, merged with the files they extend. `keys.yaml` says
for each key when it is loosened.
"""

from __future__ import annotations

from itertools import product

from interlock.model.finding import ERROR, INFO, OFF, WARNING
from interlock.model.quick_tools import fnmatchcase
from interlock.model.quick_typing import Any, Iterator, Mapping, Sequence
from interlock.rules.index import RULES
from interlock.workflow.agreements.spec import COMMIT
from interlock.workflow.language.load import key_rules
from interlock.workflow.language.spec import ANY, NOTHING
from interlock.workflow.reading.transitions import ways

Data = Mapping[str, Any]
Key = tuple[str, ...]


def _keys(lists: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    return tuple(
        f'{prefix}.{name}' if prefix else name
        for prefix, names in lists.items()
        for name in names
    )


RULES_OF_KEYS = key_rules()
LISTS = {name: _keys(keys) for name, keys in RULES_OF_KEYS['loosening'].items()}
# the values from loosest to strictest, and the default
ORDERED = {
    key: (order['values'], order['default'])
    for order in RULES_OF_KEYS['orders']
    for key in _keys(order['keys'])
}
SEVERITIES = (OFF, INFO, WARNING, ERROR)
TRANSITIONS = 'transitions'
# the kinds whose records have other formats; they are written below `items` too
RECORDED = 'recorded'
# a list of rules -> the severity of a rule that names none
OWN = {'agree': ERROR, 'frozen': WARNING}
# the keys of a rule: its words, and the trailers that let it pass
WORDS = {'say', 'fix'}
TRAILERS = {'unless', 'amendment'}


def loosened(before: Data, after: Data) -> list[str]:
    """The keys that were loosened, sorted; [] if none was."""
    return sorted({*_severities(before, after), *_walk((), before, after)})


def _severities(before: Data, after: Data) -> Iterator[str]:
    both = [(each.get('severity') or {}, _named(each)) for each in (before, after)]
    for code in {code for given, _ in both for code in given}:
        own = RULES[code].severity if code in RULES else ERROR
        old, new = (
            SEVERITIES.index(given.get(code) or named.get(code, own))
            for given, named in both
        )
        if new < old:
            yield f'severity.{code}'


def _named(data: Data) -> dict[str, str]:
    """The names of agreements, each with the severity that it has by itself."""
    found: dict[str, str] = {}
    for kind in (data.get(RECORDED) or {}).values():
        for key, own in OWN.items():
            for rule in kind.get(key) or ():
                found[rule['name']] = rule.get('severity', own)
        for record in kind['records'].values():
            once = record.get('once')
            if once:
                found[once['name']] = once.get('severity', ERROR)
    return found


def _is(key: Key, patterns: Sequence[str] | Mapping[str, Any]) -> str:
    """The pattern that a key matches, '' if none."""
    for pattern in patterns:
        parts = pattern.split('.')
        if len(parts) == len(key) and all(map(fnmatchcase, key, parts)):
            return pattern
    return ''


def _name(key: Key, element: object = None) -> str:
    text = '.'.join(('items', *key[1:]) if key[:1] == (RECORDED,) else key)
    return text if element is None else f'{text}: {_text(element)}'


def _text(value: object) -> str:
    if isinstance(value, dict):
        return ', '.join(f'{key}={_text(value[key])}' for key in sorted(value))
    elif isinstance(value, list):
        return ' '.join(map(_text, value))
    return str(value)


def _walk(key: Key, before: Any, after: Any) -> Iterator[str]:
    if before == after or _is(key, LISTS['neutral']):
        return
    order = _is(key, ORDERED)
    if order:
        yield from _ordered(key, order, before, after)
    elif _is(key, LISTS['at_least']) or _is(key, LISTS['at_most']):
        yield from _bounded(key, before, after)
    elif _is(key, LISTS['permitting']) or _is(key, LISTS['restricted']):
        yield from _permitted(key, before, after)
    elif _is(key, LISTS['labels']):
        if after is None:
            yield _name(key)
    elif _is(key, LISTS['opening']):
        if after is not None:
            yield _name(key)
    elif before is None:
        # a new demand
        return
    elif _is(key, LISTS['rules']):
        yield from _rules(key, before, after)
    elif isinstance(before, dict) and isinstance(after, dict):
        yield from _mapping(key, before, after)
    elif _is_list(key, before, after):
        for element in _listed(before):
            if element not in _listed(after):
                yield _name(key, element)
    elif after is not None or not _is(key, LISTS['removable']):
        yield _name(key)


def _is_list(key: Key, before: Any, after: Any) -> bool:
    """Whether two values are lists whose order does not count."""
    if _is(key, LISTS['several']):
        return after is not None
    lists = isinstance(before, list) and isinstance(after, list)
    return lists and not _is(key, LISTS['ordered'])


def _rules(key: Key, before: Sequence[Data], after: Any) -> Iterator[str]:
    for old in before:
        same = [new for new in after or () if new['name'] == old['name']]
        if not any(_is_as_strict(new, old, OWN[key[-1]]) for new in same):
            yield _name(key, old['name'])


def _is_as_strict(new: Data, old: Data, own: str) -> bool:
    ranks = [SEVERITIES.index(each.get('severity', own)) for each in (new, old)]
    if ranks[0] < ranks[1] or new.get('at') not in (None, COMMIT, old.get('at')):
        return False
    demands = {*new, *old} - WORDS - TRAILERS - {'severity', 'at'}
    return all(new.get(key) == old.get(key) for key in demands) and all(
        new.get(key) in (None, old.get(key)) for key in TRAILERS
    )


def _mapping(key: Key, before: Data, after: Data) -> Iterator[str]:
    is_kind = len(key) == 2 and key[0] == 'items'
    if is_kind:
        yield from _transitions(key, before, after)
    for name in {*before, *after}:
        if (is_kind and name == TRANSITIONS) or (*key, name) == ('severity',):
            continue
        yield from _walk((*key, name), before.get(name), after.get(name))


def _ordered(key: Key, order: str, before: Any, after: Any) -> Iterator[str]:
    ranks, default = ORDERED[order]
    old, new = (default if each is None else each for each in (before, after))
    if new not in ranks or old not in ranks or (ranks.index(new) < ranks.index(old)):
        yield _name(key)


def _bounded(key: Key, before: Any, after: Any) -> Iterator[str]:
    if before is None:
        return
    rises = after is not None and after > before
    if after is None or rises != bool(_is(key, LISTS['at_least'])):
        yield _name(key)


def _permitted(key: Key, before: Any, after: Any) -> Iterator[str]:
    if isinstance(after, dict) or isinstance(before, dict):
        for name, value in (after or {}).items():
            yield from _permitted((*key, name), (before or {}).get(name, []), value)
    elif _is(key, LISTS['restricted']) and (before is None or after is None):
        if after is None:
            yield _name(key)
    else:
        for element in _listed(after):
            if element not in _listed(before):
                yield _name(key, element)


# the rule for a step: its severity, whether it needs no reason, and its conditions
StepRule = tuple[int, bool, frozenset[str]]
ILLEGAL: StepRule = (len(SEVERITIES), False, frozenset())


def _listed(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value or ())


def _step(origin: str, target: str, kind: Data) -> StepRule:
    """The rule of the first matching line."""
    for line in kind.get(TRANSITIONS) or ():
        origins = _listed(line['from'])
        if target in _listed(line['to']) and (
            origin in origins or (ANY in origins and origin != NOTHING)
        ):
            severity = line.get('severity', '')
            if severity == ERROR:
                return ILLEGAL
            rank = SEVERITIES.index(severity) if severity else 0
            free = not (line.get('reason') or '')
            return rank, free, frozenset(line.get('gate') or ())
    return ILLEGAL


def _transitions(key: Key, before: Data, after: Data) -> Iterator[str]:
    """Loosened steps between old states, including steps by way of new states."""
    known, present = before.get('states') or {}, after.get('states') or {}
    new = [name for name in present if name not in known]
    kept = [name for name in known if name in present]
    for origin, target in product((NOTHING, *kept), kept):
        if origin == target:
            continue
        old = _step(origin, target, before)
        name = _name((*key, TRANSITIONS), f'{origin} -> {target}')
        now = _step(origin, target, after)
        if old == ILLEGAL and now == ILLEGAL:
            if _leads(origin, target, after, new):
                yield name
        elif now[0] < old[0] or (now[1] and not old[1] and old != ILLEGAL):
            yield name
        elif now != ILLEGAL:
            yield from (f'{name}: {each}' for each in sorted(old[2] - now[2]))


def _leads(origin: str, target: str, kind: Data, new: Sequence[str]) -> bool:
    """Whether legal steps through new states lead to a known one."""
    through = ways(
        origin, lambda at: [name for name in new if _step(at, name, kind)[0] == 0]
    )
    return any(_step(name, target, kind)[0] == 0 for name in through if name in new)
