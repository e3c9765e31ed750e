"""What a client's transcript (JSON lines) says about a session.

Transcripts grow to many megabytes and are written while we read. So a line is parsed
only if it can matter, and an invalid line is skipped.
"""

from __future__ import annotations

import json

from interlock.model import quick_re as re
from interlock.model.quick_typing import Any, Iterable, Iterator, Mapping, NamedTuple

REQUEST = 'request'
CLARIFICATION = 'clarification'
CORRECTION = 'correction'
FEEDBACK = 'feedback'
APPROVAL = 'approval'

# a longer message says more than a yes
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

# the fields that TaskUpdate may change: key of a todo -> key of the tool's input
CHANGED = (('content', 'subject'), ('status', 'status'), ('activeForm', 'activeForm'))
DELETED = 'deleted'

HEAD = 2000
MAX_MESSAGE = 4000
MAX_ERROR = 500

COMMAND_RE = re.compile(
    r'<command-name>(.*?)</command-name>'
    r'(?:.*?<command-args>(.*?)</command-args>)?',
    re.DOTALL,
)
# text that the client, not the user, writes in a user's turn
NOT_SAID = (
    '<local-command-',
    '<system-reminder>',
    '<task-notification>',
    '<bash-stdout>',
    '<bash-stderr>',
    '[Request interrupted',
    'Caveat:',
)
FILE_KEYS = ('file_path', 'notebook_path')
# the absolute path of a document in a line of JSON
PATH_RE = re.compile(rb'(?<![\w.~:/-])/[^\s"\'`<>|()\[\]\\]+\.md\b')
MARKDOWN = b'.md'


class Message(NamedTuple):
    text: str
    type: str
    timestamp: str


class Correction(NamedTuple):
    # what the agent said before the user corrected it
    original: str
    correction: str


class Transcript(NamedTuple):
    messages: tuple[Message, ...] = ()
    errors: tuple[str, ...] = ()
    corrections: tuple[Correction, ...] = ()
    # as the session's tools left them; None if it used none
    todos: tuple[dict[str, Any], ...] | None = None
    skills: tuple[str, ...] = ()
    # the files that were read, written or mentioned
    paths: tuple[str, ...] = ()


def cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f'{text[: limit - 1]}…'


def message_kind(text: str, before: str, first: bool) -> str:
    """Guess the kind of a message, for readers only: it decides nothing.

    `before` is the agent's last message.
    """
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


def _input(given: Mapping[str, Any], key: str) -> str:
    value = given.get(key)
    return value if isinstance(value, str) else ''


def created_todo(given: Mapping[str, Any], name: object = None) -> dict[str, Any]:
    """The todo that TaskCreate makes; {} if it names no subject."""
    subject, active = _input(given, 'subject'), _input(given, 'activeForm')
    if not subject:
        return {}
    todo: dict[str, Any] = {'content': subject, 'status': 'pending'}
    if name is not None:
        todo['id'] = str(name)
    if active:
        todo['activeForm'] = active
    return todo


def updated_todos(
    todos: Iterable[dict[str, Any]], given: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """The list after TaskUpdate."""
    name = str(given.get('taskId', ''))
    result = []
    for todo in todos:
        if str(todo.get('id', '')) == name:
            if given.get('status') == DELETED:
                continue
            changed = {key: _input(given, source) for key, source in CHANGED}
            todo = {**todo, **{key: text for key, text in changed.items() if text}}
        result.append(todo)
    return result


def _parsed(line: bytes) -> dict[str, Any]:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        # the line is still being written
        return {}
    return entry if isinstance(entry, dict) else {}


def _blocks(entry: dict[str, Any]) -> Iterator[dict[str, Any]]:
    message = entry.get('message')
    content = message.get('content') if isinstance(message, dict) else None
    yield from _content(content)


def _content(content: Any) -> Iterator[dict[str, Any]]:
    if isinstance(content, str):
        yield {'type': 'text', 'text': content}
    elif isinstance(content, list):
        yield from (block for block in content if isinstance(block, dict))


def _text(blocks: Iterable[dict[str, Any]]) -> str:
    return '\n'.join(
        str(block.get('text', '')) for block in blocks if block.get('type') == 'text'
    ).strip()


def _said(entry: dict[str, Any]) -> str:
    """The user's text, '' if the client wrote it."""
    if entry.get('isMeta') or entry.get('isCompactSummary'):
        return ''
    text = _text(_blocks(entry))
    command = COMMAND_RE.search(text)
    if command is not None:
        return ' '.join(part for part in command.groups() if part).strip()
    return '' if text.startswith(NOT_SAID) else text


def _errors(entry: dict[str, Any]) -> Iterator[str]:
    for block in _blocks(entry):
        if block.get('type') == 'tool_result' and block.get('is_error'):
            yield cut(_text(_content(block.get('content'))), MAX_ERROR)


class _TranscriptReader:
    def __init__(self, agent: bool) -> None:
        self.agent = agent
        self.messages: list[Message] = []
        self.errors: list[str] = []
        self.corrections: list[Correction] = []
        self.todos: list[dict[str, Any]] | None = None
        # new tasks, by the call whose result will hold their id
        self.made: dict[str, dict[str, Any]] = {}
        # the list before a call that replaces it, which may fail
        self.lists: dict[str, list[dict[str, Any]] | None] = {}
        self.skills: list[str] = []
        self.paths: list[str] = []
        # the last answer, parsed only if a user replies to it
        self.answer = b''

    def user(self, line: bytes) -> None:
        result = b'"tool_result"' in line
        uses = (*self.made, *self.lists) if result else ()
        awaited = any(use.encode() in line for use in uses)
        if result and b'"is_error"' not in line and not awaited:
            return
        entry = _parsed(line)
        if entry.get('type') != 'user':
            return
        elif entry.get('isSidechain') and not self.agent:
            return
        if awaited:
            self._answered(entry)
        self.errors.extend(filter(None, _errors(entry)))
        text = cut(_said(entry), MAX_MESSAGE)
        if not text:
            return
        before = _text(_blocks(_parsed(self.answer)))
        kind = message_kind(text, before, first=not self.messages)
        time = str(entry.get('timestamp') or '')
        self.messages.append(Message(text, kind, time))
        self._named(line)
        if kind == CORRECTION:
            self.corrections.append(
                Correction(cut(before, MAX_ERROR), cut(text, MAX_ERROR))
            )

    def assistant(self, line: bytes) -> None:
        if b'"isSidechain":true' in line and not self.agent:
            return
        if b'"text"' in line:
            self.answer = line
            self._named(line)
        if b'"tool_use"' in line:
            for block in _blocks(_parsed(line)):
                given = block.get('input')
                if block.get('type') == 'tool_use' and isinstance(given, dict):
                    use = str(block.get('id', ''))
                    self._tool(str(block.get('name', '')), given, use)

    def _named(self, line: bytes) -> None:
        if MARKDOWN in line:
            self.paths.extend(
                path.decode(errors='replace')
                for path in PATH_RE.findall(line.replace(rb'\n', b'\n'))
            )

    def _answered(self, entry: dict[str, Any]) -> None:
        """Take the id of a new task from its result; undo a list whose call failed."""
        result = entry.get('toolUseResult')
        task = result.get('task') if isinstance(result, dict) else None
        for block in _blocks(entry):
            use = str(block.get('tool_use_id', ''))
            before = self.lists.pop(use, self.todos)
            if block.get('is_error'):
                self.todos = before
            todo = self.made.pop(use, None)
            if todo is not None and block.get('is_error'):
                self.todos = [each for each in self.todos or () if each is not todo]
            elif todo is not None and isinstance(task, dict):
                todo['id'] = str(task.get('id', ''))

    def _tool(self, name: str, given: dict[str, Any], use: str) -> None:
        if name == 'TodoWrite' and isinstance(given.get('todos'), list):
            self.lists = {use: self.todos}
            self.todos = [todo for todo in given['todos'] if isinstance(todo, dict)]
        elif name == 'TaskCreate' and created_todo(given):
            self.made[use] = created_todo(given)
            self.todos = [*(self.todos or ()), self.made[use]]
        elif name == 'TaskUpdate':
            self.todos = updated_todos(self.todos or (), given)
        elif name == 'Skill' and isinstance(given.get('skill'), str):
            self.skills.append(given['skill'])
        self.paths.extend(
            given[key] for key in FILE_KEYS if isinstance(given.get(key), str)
        )


def is_entry(line: bytes) -> bool:
    """Whether it is a line of a transcript."""
    return isinstance(_parsed(line).get('type'), str)


def read(lines: Iterable[bytes], agent: bool = False) -> Transcript:
    """Read a transcript; `agent`: it is an agent's. A session's skips its agents."""
    reader = _TranscriptReader(agent)
    for line in lines:
        # the type of a line is near its start, and the rest may be long
        if b'"assistant"' in line[:HEAD]:
            reader.assistant(line)
        elif b'"user"' in line:
            reader.user(line)
    return Transcript(
        tuple(reader.messages),
        tuple(reader.errors),
        tuple(reader.corrections),
        None if reader.todos is None else tuple(reader.todos),
        tuple(reader.skills),
        tuple(dict.fromkeys(reader.paths)),
    )
