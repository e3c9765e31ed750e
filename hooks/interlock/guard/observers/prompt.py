"""UserPromptSubmit: what only the user can say is recorded.

An approval of what was presented, and the word to go on once a stage is
committed; two questions of the user are answered. Nothing is refused, and a
prompt that says nothing of the kind is left alone.
"""

from __future__ import annotations

from interlock.guard.reply import CONTEXT, SILENCE, Answer
from interlock.model.errors import Refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.guard.context import Scene

# who writes a prompt: the client's own are not the user's
PEOPLE = ('', 'user', 'sdk')
# a longer one is no answer to a question
MAX_PROMPT = 300
# of an answer to a menu: its number, a keyword, or its label
MAX_ANSWER = 40


def _speaks(scene: Scene, prompt: str) -> bool:
    """Whether a prompt may be about us, without looking at anything else."""
    # the workflow is not built for it yet
    text, words = prompt.lower(), []
    for kind in scene.raw['items'].values():
        said = kind.get('protocol', {}).get('prompts', {})
        for phrases in said.values():
            words += phrases
        words += (kind.get('handoff') or {}).get('resumes', [])
        confirm = (kind.get('commit') or {}).get('confirm')
        if confirm is not None:
            words += confirm.get('words', [])
            # the number or the keyword of a menu
            words += [''] if len(prompt) <= MAX_ANSWER else []
    # of a phrase its longest word: politeness may stand in between
    return any(
        max(word.replace('{item}', '').lower().split(' '), key=len) in text
        for word in words
    )


def handle(scene: Scene) -> Answer:
    event = scene.event
    prompt = event.text('prompt')
    if (
        event.agent_id
        or event.text('source') not in PEOPLE
        or (not prompt.strip() or len(prompt) > MAX_PROMPT)
        or not _speaks(scene, prompt)
    ):
        return SILENCE
    from interlock.guard.observers import prompt_actions

    try:
        return Answer(CONTEXT, prompt_actions.answered(scene, prompt))
    except Refusal as e:
        # the user said something that counts, and it was not recorded
        hint = f' (next: {e.hint})' if e.hint else ''
        return Answer(CONTEXT, f'Nothing was recorded: {e.message}{hint}')
