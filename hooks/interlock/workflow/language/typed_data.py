"""Builds NamedTuples from plain data, by their annotations.

A field that the data lacks gets its default, or the empty value of its type.
If a mapping holds records that have a name, each gets its key as its name.

The annotations are read as text: a hook has no time to evaluate them.
"""

from __future__ import annotations

import sys

from interlock.model import quick_tools as functools
from interlock.model.quick_typing import Any, Callable

Convert = Callable[[Any], Any]

# the place of a field in the data, if not under its own name: `a.b` is a key
# of a nested mapping, '' is the mapping itself
PLACES = {
    'TransitionSpec.origins': 'from',
    'TransitionSpec.targets': 'to',
    'RegistrySpec.entry_file': 'entry.file',
    'RegistrySpec.entry_format': 'entry.format',
    'RegistrySpec.template': 'entry.template',
    'HandoffSpec.expected_sections': 'sections.expected',
    'HandoffSpec.sections': 'sections.roles',
    'HandoffSpec.filled_after': 'fills.after',
    'HandoffSpec.fills': 'fills.sections',
    'DocumentsSpec.plans_root': 'plans.root',
    'DocumentsSpec.plans': 'plans.patterns',
    'ProtocolSpec.plan': '',
    'PlanSpec.words': 'plan_words',
    'ProtocolSpec.words': '',
    'TodoSpec.ready': 'todo_states.ready',
    'TodoSpec.blocked': 'todo_states.blocked',
    'TodoSpec.working': 'todo_states.working',
    'TodoSpec.done': 'todo_done',
    'Workflow.severities': 'severity',
    'ProjectFile.files': 'file',
    'ProjectFile.keys': 'at',
    'Record.files': 'file',
    'Record.excluded': 'not',
    'Edit.record': 'set',
    'Edit.word': 'to',
    'RecordedKind.words': 'states',
    'RecordedKind.words_from': 'words',
}


def build_record(record: Any, data: Any) -> Any:
    """A NamedTuple; data that already is one is returned unchanged."""
    if isinstance(data, record):
        return data
    values = []
    for name, convert, place in _fields(record):
        value = data
        for key in place:
            value = value.get(key) if value else None
        if value is None and name in record._field_defaults:
            values.append(record._field_defaults[name])
        else:
            values.append(convert(value))
    return record._make(values)


@functools.cache
def _fields(record: Any) -> list[tuple[str, Convert, list[str]]]:
    """Name, converter and place of each field."""
    found = []
    for name, annotation in record.__annotations__.items():
        text = getattr(annotation, '__forward_arg__', annotation)
        place = PLACES.get(f'{record.__name__}.{name}', name)
        convert = _converter(text, record.__module__)
        found.append((name, convert, place.split('.') if place else []))
    return found


@functools.cache
def _converter(annotation: str, module: str) -> Convert:
    """A function that converts data to the annotated type; None is missing data."""
    if annotation.endswith(' | None'):
        some = _converter(annotation[: -len(' | None')], module)
        return lambda data: None if data is None else some(data)
    elif annotation.startswith('tuple['):
        return _tuple(annotation[len('tuple[') : -len(', ...]')], module)
    elif annotation.startswith('Sequence['):
        return _tuple(annotation[len('Sequence[') : -1], module)
    elif annotation.startswith('Mapping[str, '):
        return _mapping(annotation[len('Mapping[str, ') : -1], module)
    elif annotation == 'str':
        return lambda data: '' if data is None else str(data)
    elif annotation == 'bool':
        return bool
    record = getattr(sys.modules[module], annotation, None)
    if hasattr(record, '_fields'):
        return functools.partial(build_record, record)
    return lambda data: data


def _is_named(annotation: str, module: str) -> bool:
    record = getattr(sys.modules[module], annotation, None)
    return 'name' in getattr(record, '_fields', ())


def _mapping(annotation: str, module: str) -> Convert:
    one, named = _converter(annotation, module), _is_named(annotation, module)

    def convert(data: Any) -> dict[str, Any]:
        return {
            key: one({'name': key, **value} if named else value)
            for key, value in (data or {}).items()
        }

    return convert


def _is_flat(data: Any) -> bool:
    """Whether it is one list, and not a list of lists."""
    return data is not None and not any(isinstance(each, list) for each in data)


def _tuple(annotation: str, module: str) -> Convert:
    one, named = _converter(annotation, module), _is_named(annotation, module)
    nested = annotation.startswith('tuple[')

    def convert(data: Any) -> tuple[Any, ...]:
        if isinstance(data, dict) and named:
            data = [{'name': key, **value} for key, value in data.items()]
        elif isinstance(data, (str, dict)) or (nested and _is_flat(data)):
            # a single value is a list of one
            data = [data]
        return tuple(one(each) for each in data or ())

    return convert
