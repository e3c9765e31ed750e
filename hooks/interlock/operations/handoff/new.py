"""The text of a new handoff."""

from __future__ import annotations

from interlock.documents import yaml
from interlock.documents.frontmatter_edit import scalar
from interlock.model import quick_re as re
from interlock.model.errors import Refusal
from interlock.model.state import State
from interlock.operations.handoff.edit import NULL, HandoffText, handoff_spec
from interlock.workflow.reading.records import Records

PLACEHOLDER_RE = re.compile(r'\{(\w+)\}')
OPENING, CLOSING = '---\n', '\n---\n'
GAP_RE = re.compile(r'\n{3,}')


def new_handoff(at: Records, state: State) -> HandoffText:
    """The template; unknown fields are null, and unknown sections empty."""
    # only here: most commands edit a handoff that exists
    import frontmatter

    spec = handoff_spec(at)
    if not spec.template:
        raise Refusal(
            f'the workflow has no template of a handoff for {at.kind.name}s',
            'name one in the workflow as handoff: template',
        )
    known = {'item': at.item, 'state': at.kind.label(state)}
    front, _, body = spec.template.removeprefix(OPENING).partition(CLOSING)
    fields = PLACEHOLDER_RE.sub(lambda it: scalar(known.get(it[1], NULL)), front)
    body = PLACEHOLDER_RE.sub(lambda it: known.get(it[1], ''), body)
    post = frontmatter.Post(GAP_RE.sub('\n\n', body).strip('\n'))
    # not as arguments: a field may have any name
    post.metadata = yaml.value(yaml.parse(fields))
    text = frontmatter.dumps(post, sort_keys=False)
    return HandoffText(f'{text}\n', spec, at.item)
