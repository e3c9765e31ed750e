"""Reads the meaning of a status text in a workflow."""

from __future__ import annotations

from interlock.documents.text import emoji, plain
from interlock.model import quick_re as re
from interlock.model.quick_typing import NamedTuple
from interlock.model.state import State
from interlock.workflow.language.spec import Kind, StateSpec
from interlock.workflow.reading.kind_cache import by_kind

ANNOTATION_RE = re.compile(r'(.*?)\s*(\([^()]*\))$')
PHASE_RE = re.compile(r'(.+)\.([1-9][0-9]{0,3}|0)$')
# continues the word or number before it
MORE_RE = re.compile(r'\w|[.-]\w')
# characters that may separate a status from the one beside it
BESIDE = ' ,;+/&|-'


class Status(NamedTuple):
    # as written in the record
    raw: str
    # for comparison: aliases replaced, styling removed
    text: str
    state: State | None
    # a second status beside the first
    beside: str
    annotation: str
    emoji: str
    # the word as written, and the emoji that the workflow gives it
    word: str
    own_emoji: str
    # whether the workflow has this status
    is_known: bool

    @property
    def name(self) -> str:
        return self.state.name if self.state else ''


def _split_beside(text: str, kind: Kind) -> tuple[str, str]:
    for name, state in kind.states.items():
        if state.beside and name in text and text != name:
            before, _, after = text.partition(name)
            rest = f'{before.rstrip(BESIDE)} {after.lstrip(BESIDE)}'.strip()
            if rest.startswith('(') and rest.endswith(')'):
                rest = rest[1:-1]
            return rest.replace('()', '').strip(), name
    return text, ''


def _lookup(text: str, kind: Kind) -> State | None:
    known = kind.words
    if text in known:
        return State(known[text])
    match = PHASE_RE.match(text)
    if match and match[1] in known and kind.states[known[match[1]]].phased:
        return State(known[match[1]], int(match[2]))
    return None


def bare(text: str) -> str:
    """A status for comparison: its words, else the emoji that stands alone."""
    return plain(text) or emoji(text)


def _own_emoji(word: str, beside: str, spec: StateSpec, kind: Kind) -> str:
    # a template would import `re`, which most commits do not need
    base = PHASE_RE.sub(lambda found: found[1], word)
    own = spec.aliases.get(base, spec.emoji)
    return own + kind.states[beside].emoji if beside else own


@by_kind
def read(raw: str, kind: Kind) -> Status:
    text = bare(raw)
    rest, beside = _split_beside(text, kind)
    annotation = ''
    state = _lookup(rest, kind)
    word = rest
    if state is None:
        match = ANNOTATION_RE.match(rest)
        if match:
            state = _lookup(match[1], kind)
            if state is not None:
                word, annotation = match[1], match[2]
    compared = text
    if state is not None:
        compared = ' '.join(filter(None, (str(state), annotation, beside)))
    spec = kind.states[state.name] if state else None
    own = _own_emoji(word, beside, spec, kind) if spec else ''
    return Status(
        raw,
        compared,
        state,
        beside,
        annotation,
        emoji(raw),
        word,
        emoji(own),
        spec is not None and (not annotation or spec.annotation),
    )


def is_begun(status: Status | None, kind: Kind) -> bool:
    """Whether a status says that work at its state is in progress."""
    return (
        status is not None
        and status.state is not None
        and status.word in kind.states[status.state.name].begun
    )


def starts_with(text: str, status: Status) -> bool:
    """Whether a text begins with a status, whatever follows."""
    rest = bare(text)
    for word in (status.text, status.word):
        if word and rest.startswith(word) and (not MORE_RE.match(rest, len(word))):
            return True
    return False


def nearest(status: Status, kind: Kind) -> str:
    if status.state is not None:
        return str(status.state)
    spec = kind.by_stage(status.text)
    if spec is not None:
        # a bare `4`
        return spec.name
    match = PHASE_RE.match(plain(status.raw))
    if match and match[1] in kind.words:
        # a phase of a state without phases
        return kind.words[match[1]]
    # imported here, because most words are known
    from interlock.model import fixes

    text = plain(status.raw)
    near = fixes.nearest(text, kind.words)
    longer = fixes.words_starting_with(text, kind.words)
    if not near and len({kind.words[word] for word in longer}) == 1:
        return longer[0]
    # of the words that are equally similar, all have to mean the same state
    others = [word for word, name in kind.words.items() if name != kind.words.get(near)]
    return fixes.nearest(text, filter(None, [near, *others]), clearly=True)
