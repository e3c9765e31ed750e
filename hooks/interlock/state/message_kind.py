"""What kind of message a user wrote: one of the five of a handoff.

A guess from the words, made for the reader of a list: it decides nothing.
"""

from __future__ import annotations

import re

REQUEST = 'request'
CLARIFICATION = 'clarification'
CORRECTION = 'correction'
FEEDBACK = 'feedback'
APPROVAL = 'approval'

# longer ones say more than yes
MAX_APPROVAL = 80

CORRECTION_RE = re.compile(
    r'^(?:no|nope|wrong|stop|wait|actually|revert|undo|don.?t|do not|never'
    r'|not like that|not what)\b'
    r'|\binstead\b|\bi (?:said|told you|asked you|meant)\b'
    r'|\byou (?:should(?:n.?t| not)? have|forgot|misunderstood|were told)\b'
    r'|\bwhy did you\b|\bthat.?s (?:wrong|not)\b|\bplease don.?t\b',
    re.IGNORECASE,
)
APPROVAL_RE = re.compile(
    r'^(?:yes|yep|yeah|ok|okay|sure|approved?|accepted|lgtm|go ahead|go on'
    r'|continue|proceed|do it|ship it|looks good|sounds good|agreed'
    r'|correct|right|exactly|perfect)\b',
    re.IGNORECASE,
)
FEEDBACK_RE = re.compile(
    r'^(?:thanks|thank you|great|good|nice|well done|excellent|hm+|too)\b'
    r'|\b(?:looks|works|feels|seems|is|are) (?:good|great|fine|better|nice'
    r'|bad|worse|slow|ugly|wrong|broken|too)\b'
    r'|\b(?:does not|doesn.?t|still) (?:work|fails?|crash)',
    re.IGNORECASE,
)


def kind_of(text: str, before: str, first: bool) -> str:
    """The kind of a message; `before` is what the agent had said last."""
    text = text.strip()
    if first:
        return REQUEST
    elif CORRECTION_RE.search(text):
        return CORRECTION
    elif len(text) <= MAX_APPROVAL and APPROVAL_RE.search(text):
        return APPROVAL
    elif before.rstrip().endswith('?'):
        return CLARIFICATION
    elif FEEDBACK_RE.search(text):
        return FEEDBACK
    return REQUEST
