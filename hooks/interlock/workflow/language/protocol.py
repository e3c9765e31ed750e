"""What a workflow says about items that are locked, such as tasks."""

from __future__ import annotations

from interlock.model.quick_typing import Mapping, NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.documents.tasks.lock import Keys

FLAGS = 'flags'
RECORDED = 'recorded'
LENIENT = 'lenient'
STRICT = 'strict'

FORWARD = 'forward'
BACK = 'back'
CONDITIONAL = 'conditional'
SKIP = 'skip'


class Roots(NamedTuple):
    """Two directories, from the directory of the workflow file."""

    main: str
    tasks: str


class FilesSpec(NamedTuple):
    """The files of a task, from the root of the tasks."""

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

    # stands where the name of a task does, so no task has it
    name: str
    # what the lock says as its task, and as its state
    task: str
    state: str
    # the key that says what is done, and what that may be
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
    """What only agents write."""

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
    """What the plan of a task has to hold."""

    sections: tuple[str, ...]
    report_section: str
    # words that only a plan has
    words: str
    # condition -> headings; the plan must have one of them
    headings: Mapping[str, tuple[str, ...]]
    forbidden: tuple[str, ...]
    # what leaves open who starts an agent, and what settles it
    vague: tuple[str, ...]
    clear: tuple[str, ...]
    # what is presented before its parts: labels of fields, and headings
    summary_fields: tuple[str, ...] = ()
    summary_headings: tuple[str, ...] = ()


class PromptsSpec(NamedTuple):
    """What the user says."""

    # to approve what was presented, and to have a task selected
    approves: tuple[str, ...] = ()
    selects: tuple[str, ...] = ()
    # to have an abandoned task cleaned up, or to go on with it; {item} is
    # its name
    cleans: tuple[str, ...] = ()
    adopts: tuple[str, ...] = ()


class ErrorSpec(NamedTuple):
    """A class of errors of agents."""

    name: str
    # in the message of such an error
    words: tuple[str, ...]
    advice: str
    # whether the task goes back before the agent is started again
    returns: bool = False


class ConditionSpec(NamedTuple):
    """What is said of a condition that does not hold."""

    # the state that should have seen to it
    origin: str
    cause: str
    recovery: str


class ProtocolSpec(NamedTuple):
    files: FilesSpec
    # role of a file -> places where it lay before
    older: Mapping[str, tuple[str, ...]]
    # in the main worktree
    todo: str
    changelog: str
    branch: str
    agent_branch: str
    older_branches: tuple[str, ...]
    # of the lock: what a key means -> the key; an older key -> the key
    keys: Mapping[str, str]
    aliases: Mapping[str, str]
    main: MainSpec
    risks: tuple[str, ...]
    # risk level -> the types of changes that may skip states
    skips: Mapping[str, tuple[str, ...]]
    # the types of changes that need no build
    build_free: tuple[str, ...]
    # what was decided about the scope -> its word
    scopes: Mapping[str, str]
    checkpoint: str
    statuses: StatusesSpec
    decisions: Mapping[str, str]
    # what the last line of a review begins with, '' where none is asked for
    review_line: str
    # how an agent says that no work is left
    nothing_left: tuple[str, ...]
    # another name of an agent -> its name
    synonyms: Mapping[str, str]
    # what is approved -> the files that stand for it
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
        # most changes are of no task, and no lock is read for them
        from interlock.documents.tasks.lock import Keys

        return Keys(self.keys, self.aliases)


def names_of(agent: str, protocol: ProtocolSpec) -> list[str]:
    """An agent's name, and the others that stand for the same one."""
    own = protocol.synonyms.get(agent, agent)
    same = [own, *(other for other, name in protocol.synonyms.items() if name == own)]
    return [agent, *(name for name in same if name != agent)]
