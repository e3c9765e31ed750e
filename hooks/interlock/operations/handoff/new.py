"""The text of a new handoff."""

from __future__ import annotations

import re
from collections.abc import Mapping

from interlock.documents.frontmatter_edit import scalar
from interlock.model.errors import Refusal
from interlock.workflow.language.spec import HandoffSpec
from interlock.workflow.reading.records import Records

PLACEHOLDER_RE = re.compile(r'\{(\w+)\}')
FENCE = '\n---\n'
GAP_RE = re.compile(r'\n{3,}')


def blank(at: Records, spec: HandoffSpec, known: Mapping[str, str]) -> str:
    """The template; what is not known is null, and its sections are empty."""
    if not spec.template:
        raise Refusal(
            f'the workflow has no template of a handoff for {at.kind.name}s',
            'name one in the workflow as handoff: template',
        )
    front, fence, body = spec.template.partition(FENCE)

    def value(match: re.Match[str]) -> str:
        return scalar(known.get(match[1], 'null'))

    def words(match: re.Match[str]) -> str:
        return known.get(match[1], '')

    text = PLACEHOLDER_RE.sub(words, body).rstrip('\n') + '\n'
    return PLACEHOLDER_RE.sub(value, front) + fence + GAP_RE.sub('\n\n', text)
