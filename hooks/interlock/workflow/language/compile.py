"""The text of a workflow file, validated whole."""

from __future__ import annotations

from interlock.model.quick_typing import Any
from interlock.workflow.agreements.references import names, wrong
from interlock.workflow.language import cross_references
from interlock.workflow.language.load import load
from interlock.workflow.language.presets import Reader, is_preset
from interlock.workflow.language.spec import ANY


def _expand_any_target(kind: dict[str, Any]) -> None:
    """`to: any` is every state, so that nobody else has to know the word."""
    lines = kind.get('transitions', ())
    for line in lines:
        if line['to'] == ANY and ANY not in kind.get('states', {}):
            line['to'] = list(kind.get('states', {}))


def compile_workflow(
    name: str, data: bytes, reader: Reader
) -> tuple[dict[str, Any], dict[str, bytes]]:
    """The merged workflow, and every file that went into it."""
    source = load(name, data, reader)
    items = source.data.get('items', {})
    recorded = {name: kind for name, kind in items.items() if 'records' in kind}
    for name in recorded:
        del items[name]
    for path, message in wrong(recorded):
        raise source.refuse(path, message)
    for kind in items.values():
        _expand_any_target(kind)
    cross_references.check(source, names(recorded))
    extended = [file for file in source.files if not is_preset(file)]
    # a project without items has handoff documents and saved states
    merged = {
        'items': {},
        **source.data,
        'recorded': recorded,
        'extended': extended[1:],
    }
    return merged, source.files
