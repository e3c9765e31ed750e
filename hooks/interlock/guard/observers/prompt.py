"""UserPromptSubmit: what only the user can say is recorded.

An approval of what was presented, and the word to continue once a stage is
committed; two questions of the user are answered. Nothing is refused, and all
other prompts are left alone.
"""

from __future__ import annotations

from interlock.guard.decision import CONTEXT, Decision
from interlock.guard.event import MAX_ANSWER
from interlock.model.errors import Refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.guard.context import Context

# who writes a prompt: the client's own are not the user's
PEOPLE = ('', 'user', 'sdk')
# a longer one does not answer a question
MAX_PROMPT = 300


def _may_be_for_us(context: Context, prompt: str) -> bool:
    """Decided by the words of the prompt alone."""
    text = prompt.lower()
    if context.watch['confirms'] and len(prompt) <= MAX_ANSWER:
        return True
    return any(word in text for word in context.watch['words'])


def handle(context: Context) -> Decision | None:
    event = context.event
    prompt = event.prompt
    if event.agent_id or event.text('source') not in PEOPLE:
        return None
    elif not prompt.strip() or len(prompt) > MAX_PROMPT:
        return None
    elif not _may_be_for_us(context, prompt):
        return None
    from interlock.guard.observers import prompt_actions

    try:
        return Decision(CONTEXT, prompt_actions.answer(context, prompt))
    except Refusal as e:
        # the user said something that counts, and it was not recorded
        hint = f' (next: {e.hint})' if e.hint else ''
        return Decision(CONTEXT, f'Nothing was recorded: {e.message}{hint}')
