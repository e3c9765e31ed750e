"""Does a line of a document speak of a state?"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from interlock.model.state import State
from interlock.workflow.language.spec import Kind


def _forms(state: State, kind: Kind) -> Iterator[str]:
    """Every way to write a state, as records and subjects do."""
    for word, name in kind.words.items():
        if name == state.name:
            yield str(State(word, state.phase))
    stage = kind.states[state.name].stage
    for form in kind.commit.subjects if kind.commit else ():
        if form.state:
            if form.state == state.name and state.phase is None:
                yield form.text
        elif ('{phase}' in form.text) == (state.phase is not None):
            phase = f'{stage}.{state.phase}'
            yield form.text.replace('{phase}', phase).replace('{stage}', stage)


@functools.lru_cache(maxsize=64)
def _form_re(forms: tuple[str, ...]) -> re.Pattern[str]:
    any_of = '|'.join(re.escape(form) for form in forms)
    # not a part of `Stage 3.1` or `Stage 30`
    return re.compile(rf'(?<![\w.])(?:{any_of})(?!\.?\w)', re.IGNORECASE)


def mentions(text: str, state: State, kind: Kind) -> bool:
    forms = tuple(_forms(state, kind))
    return _form_re(forms).search(text) is not None
