"""The part of a workflow that describes locked items, such as tasks."""

from __future__ import annotations

from interlock.model.quick_typing import Mapping, NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.documents.tasks.lock import Keys

FORWARD = 'forward'
BACK = 'back'
CONDITIONAL = 'conditional'
SKIP = 'skip'


class FilesSpec(NamedTuple):
    """The files of a task, relative to the root of the tasks."""

    lock: str
    mirror: str
    plan: str
    code: str
    agent_code: str
    status: str
    report: str
    trail: str


class MainSpec(NamedTuple):
    """The lock of the main worktree."""

    # used in place of a task name, so no task may have it
    name: str
    # the task and the state that the lock records
    task: str
    state: str
    # the key for the current operation, and its allowed values
    key: str
    operations: tuple[str, ...]


class StatusesSpec(NamedTuple):
    """The words for the status of an agent."""

    done: str
    error: str
    working: tuple[str, ...]
    waiting: tuple[str, ...]


class NumbersSpec(NamedTuple):
    report_bytes: int
    stale_minutes: int
    limit_minutes: int
    start_minutes: int
    retries: int
    tasks_per_session: int


class ImplementationSpec(NamedTuple):
    """Files that only agents write."""

    suffixes: tuple[str, ...]
    files: tuple[str, ...]
    folders: tuple[str, ...] = ()


class TodoSpec(NamedTuple):
    """The words of the todo list."""

    ready: str
    blocked: str
    working: str
    done: tuple[str, ...]


class PlanSpec(NamedTuple):
    """Requirements for the plan of a task."""

    sections: tuple[str, ...]
    report_section: str
    # words that only a plan contains
    words: str
    # condition -> headings of which the plan must have one
    headings: Mapping[str, tuple[str, ...]]
    forbidden: tuple[str, ...]
    # words that leave open who starts an agent, and words that settle it
    vague: tuple[str, ...]
    clear: tuple[str, ...]
    # the summary, presented before the parts: labels of fields, and headings
    summary_fields: tuple[str, ...] = ()
    summary_headings: tuple[str, ...] = ()


class PromptsSpec(NamedTuple):
    """Phrases by which the user gives an instruction."""

    # approve what was presented; have a task selected
    approves: tuple[str, ...] = ()
    selects: tuple[str, ...] = ()
    # clean up an abandoned task, or continue it; {item} is its name
    cleans: tuple[str, ...] = ()
    adopts: tuple[str, ...] = ()


class ErrorSpec(NamedTuple):
    """A class of agent errors."""

    name: str
    # words in the message of such an error
    words: tuple[str, ...]
    advice: str
    # whether the task goes back before the agent is restarted
    returns: bool = False


class ConditionSpec(NamedTuple):
    """The explanation for a condition that does not hold."""

    # the state that should have met it
    origin: str
    cause: str
    recovery: str


class ProtocolSpec(NamedTuple):
    files: FilesSpec
    # role of a file -> its former places
    older: Mapping[str, tuple[str, ...]]
    # in the main worktree
    todo: str
    changelog: str
    branch: str
    agent_branch: str
    older_branches: tuple[str, ...]
    # keys of the lock: meaning -> key; older key -> key
    keys: Mapping[str, str]
    aliases: Mapping[str, str]
    main: MainSpec
    risks: tuple[str, ...]
    # risk level -> types of changes that may skip states
    skips: Mapping[str, tuple[str, ...]]
    # types of changes that need no build
    build_free: tuple[str, ...]
    # a decision about the scope -> its word
    scopes: Mapping[str, str]
    checkpoint: str
    statuses: StatusesSpec
    decisions: Mapping[str, str]
    # the beginning of a review's last line, '' if none is required
    review_line: str
    # phrases by which an agent says that no work is left
    nothing_left: tuple[str, ...]
    # another name of an agent -> its name
    synonyms: Mapping[str, str]
    # approval -> the files that stand for it
    flags: Mapping[str, tuple[str, ...]]
    plan: PlanSpec
    words: TodoSpec
    trail_sections: tuple[str, ...]
    numbers: NumbersSpec
    implementation: ImplementationSpec
    # the programs that build
    builds: tuple[str, ...]
    build_success: str
    errors: tuple[ErrorSpec, ...]
    conditions: Mapping[str, ConditionSpec]
    prompts: PromptsSpec = PromptsSpec()

    @property
    def lock_keys(self) -> Keys:
        # most changes belong to no task and read no lock
        from interlock.documents.tasks.lock import Keys

        return Keys(self.keys, self.aliases)


def names_of(agent: str, protocol: ProtocolSpec) -> list[str]:
    """An agent's name, and its synonyms."""
    own = protocol.synonyms.get(agent, agent)
    same = [own, *(other for other, name in protocol.synonyms.items() if name == own)]
    return [agent, *(name for name in same if name != agent)]
