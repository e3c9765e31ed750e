"""The text of a workflow file, validated whole."""

from __future__ import annotations

from interlock.model.quick_typing import Any
from interlock.workflow.agreements.references import names, wrong
from interlock.workflow.language import cross_references
from interlock.workflow.language.load import load
from interlock.workflow.language.presets import Reader, is_preset


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
