"""UserPromptSubmit: records what only the user can say.

That is an approval of what was presented, or the word to continue after a
stage is committed. Two questions of the user are answered as well. Nothing is
refused, and all other prompts are ignored.
"""

from __future__ import annotations

from interlock.guard.context import Context
from interlock.guard.decision import CONTEXT, Decision
from interlock.guard.event import MAX_ANSWER
from interlock.model.errors import Refusal

# sources of a prompt that are the user; the client writes prompts of its own
PEOPLE = ('', 'user', 'sdk')
# a longer prompt does not answer a question
MAX_PROMPT = 300


def _may_be_for_us(context: Context, prompt: str) -> bool:
    """Whether the words of a prompt may concern us."""
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
        # the user said something that counts, but it was not recorded
        hint = f' (next: {e.hint})' if e.hint else ''
        return Decision(CONTEXT, f'Nothing was recorded: {e.message}{hint}')
