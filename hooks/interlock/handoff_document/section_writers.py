"""What each section of a new handoff document says."""

from __future__ import annotations

from interlock.handoff_document.comparisons import flat, value
from interlock.handoff_document.draft import Known, State, gap, state
from interlock.handoff_document.markdown_writer import (
    NONE,
    Body,
    Draft,
    bullets,
    cell,
    document,
    fenced,
    machine,
    reads,
    resume_call,
    skill,
    tables,
    todos,
)
from interlock.handoff_document.outline import outline

UNFIXED = 'how it was fixed is not recorded'


def _position(draft: Draft) -> str:
    """Where the newest skill stands, if that says it exactly."""
    for row in draft.rows('skill_stack')[:1]:
        if row.get('phase') and row.get('step'):
            return f'{row["phase"]}, {row["step"]}'
    return gap('file:line, or phase and task')


def _main(draft: Draft) -> str:
    names = ', '.join(value(row, 'name') for row in draft.rows('skill_stack'))
    return bullets(
        [
            f'**Persona:** {draft.said("identity", "persona")}',
            f'**Responsibilities:** {gap("your work, and what is delegated")}',
            f'**Skills and commands:** {names or NONE}',
            f'**Current task:** {draft.said("goals", "main_task")}',
            f'**{draft.outline.marks.field}:** {_position(draft)}',
        ]
    )


def _place(row: State) -> str:
    places = [value(row, key, '') for key in ('phase', 'step')]
    said = ', '.join(filter(None, places))
    return f' ({said})' if said else ''


def _tree(draft: Draft) -> str:
    """Each skill below the one that runs it, then what subagents do."""
    # the newest stands first in the state
    stack = list(reversed(draft.rows('skill_stack')))
    names = [row.get('name') for row in stack]
    agents = [
        f'{value(row, "id")}: {value(row, "task")} ({value(row, "status")})'
        for row in draft.rows('subagents')
    ]
    lines: list[str] = []
    depths: dict[object, int] = {}
    for row, name in zip(stack, names, strict=True):
        # a parent that is not there, or comes later, holds nothing
        depth = depths.get(row.get('parent'), -1) + 1
        depths[name] = depth
        lines.append(_branch(f'{value(row, "name")}{_place(row)}', depth))
    below = max(depths.values(), default=-1) + 1
    lines += [_branch(agent, below) for agent in agents]
    return '\n'.join(lines)


def _branch(text: str, depth: int) -> str:
    return f'{"      " * (depth - 1)}  └── {flat(text)}' if depth else (flat(text))


def _skills(draft: Draft) -> str:
    made = tables(draft, '1.1.1')
    if not draft.rows('skill_stack'):
        return made
    return f'{made}\n\n{fenced(_tree(draft))}'


def _pattern(draft: Draft) -> str:
    chosen = draft.get('workflow', 'pattern')
    ticks = [
        f'[{"x" if name == chosen else " "}] {title}'
        for name, title in draft.outline.patterns.items()
    ]
    waiting = draft.get('workflow', 'waiting_for') or NONE
    listed = [waiting] if isinstance(waiting, str) else map(str, waiting)
    return (
        f'{bullets(ticks)}\n\n'
        f'**Details:** {draft.said("workflow", "details")}\n'
        f'**Waiting for:** {", ".join(listed)}'
    )


def _goals(draft: Draft) -> str:
    return bullets(
        [
            f'**Ultimate goal:** {draft.said("goals", "ultimate")}',
            f'**Current phase:** {draft.said("goals", "current_phase")}',
            f'**Your task:** {draft.said("goals", "main_task")}',
            f'**Delegated:** {draft.said("goals", "delegated_summary")}',
            f'**Items under way:** {"; ".join(draft.known.items) or NONE}',
            f'**Locks:** {"; ".join(draft.known.locks) or NONE}',
        ]
    )


def _decisions(draft: Draft) -> str:
    made = [
        f'{value(row, "decision")}: {value(row, "rationale")}'
        for kind in ('binding', 'technical')
        for row in draft.rows('decisions', kind)
    ]
    return bullets(made, draft.open('decisions', 'binding') or NONE)


def _changes(draft: Draft) -> str:
    files = bullets([f'`{path}`' for path in draft.known.changed])
    return (
        f'Uncommitted:\n\n{files}\n\n'
        f'**Main agent:** {gap("files changed and commands run")}\n'
        f'**Subagents:** {gap("what each of them changed")}'
    )


def _errors(draft: Draft) -> str:
    errors = [
        f'{value(row, "error")}: {value(row, "fix", UNFIXED)}'
        for row in draft.rows('conversation', 'errors')
    ]
    lessons = [
        f'{value(row, "correction")}: {value(row, "lesson")}'
        for row in draft.rows('conversation', 'corrections')
    ]
    return f'{bullets(errors)}\n\nCorrections by the user:\n\n{bullets(lessons)}'


def _messages(draft: Draft) -> str:
    made = [
        value(row, 'content') for row in draft.rows('conversation', 'user_messages')
    ]
    return bullets(made, draft.open('conversation', 'user_messages') or NONE)


def _pending(draft: Draft) -> str:
    marks = draft.outline.marks
    made = [
        f'{value(row, "content")} ({value(row, "status")})'
        for row in draft.rows('todos', 'explicit')
    ]
    waiting = [
        f'{value(row, "id")}: {value(row, "task")}'
        for row in draft.rows('subagents')
        if row.get('status') not in {'completed', 'failed'}
    ]
    implicit = draft.get('todos', 'implicit')
    listed = [str(each) for each in implicit] if isinstance(implicit, list) else []
    return (
        f'**{marks.todos[0]}:**\n'
        f'{bullets(made, draft.open("todos", "explicit") or NONE)}\n\n'
        f'**Pending with subagents:**\n{bullets(waiting)}\n\n'
        f'**{marks.implicit[0]}:**\n'
        f'{bullets(listed, draft.open("todos", "implicit") or NONE)}'
    )


def _plans(draft: Draft) -> str:
    if not draft.rows('documents', 'design') + draft.rows('documents', 'impl'):
        return f'{draft.outline.nothing["1.9"][0]} - ad-hoc work'
    progress = '\n\n'.join(
        f'DOC: {row["path"]}\n'
        f'Completed, in progress, remaining: {gap("sections")}\n'
        f'Where it differs from the todos: {gap("differences")}'
        for row in draft.rows('documents', 'impl')
    )
    said = fenced(progress) if progress else NONE
    return f'{tables(draft, "1.9")}\n\n#### Progress\n\n{said}'


def _again(draft: Draft) -> str:
    calls = reads(draft, '1.10', ' TO RE-READ')
    if not draft.rows('documents', 'must_read'):
        return calls
    return f'{tables(draft, "1.10")}\n\nBefore any work:\n\n{calls}'


def _artifacts(draft: Draft) -> str:
    marks = draft.outline.marks
    ran = '\n'.join(
        f'{flat(value(row, "command"))}  # {marks.result} {flat(value(row, "actual"))}'
        for row in draft.rows('artifacts', 'verification_results')
    )
    failed = [
        f'{value(row, "command")}: {value(row, "actual")}'
        for row in draft.rows('artifacts', 'verification_results')
        if row.get('passed') is False
    ] + [
        f'{value(row, "path")}: {value(row, "actual")}'
        for row in draft.rows('artifacts', 'files')
        if row.get('status') in {'partial', 'missing'}
    ]
    said = f'{fenced(ran, "bash")}\n\n' if ran else ''
    return (
        f'{tables(draft, "1.12")}\n\n{said}'
        f'**{marks.discrepancies[0]}:**\n{bullets(failed)}'
    )


def _verification(draft: Draft) -> str:
    rows = [
        f'| {value(row, "id")} | `{cell(str(row["verification"]))}` '
        f'| exit 0 | not run |'
        for row in draft.rows('todos', 'explicit')
        if row.get('verification')
    ]
    head = '| Task | Command | Expected | Actual |\n|---|---|---|---|\n'
    return head + '\n'.join(rows) if rows else NONE


def _resume(draft: Draft) -> str:
    # the newest stands first in the state, and its parents run before it
    calls = [resume_call(draft, row) for row in reversed(draft.rows('skill_stack'))]
    return fenced('\n'.join(calls)) if calls else (draft.open('skill_stack') or NONE)


def _environment(draft: Draft) -> str:
    mark = draft.outline.marks.expected
    return fenced(
        f'git branch; git status  # {mark} '
        f'{draft.said("environment", "git_branch")}, '
        f'{draft.said("environment", "git_status")}',
        'bash',
    )


def _done(draft: Draft) -> str:
    return bullets(
        [
            f'[ ] {gap("a condition, with the `command` that checks it")}',
            '[ ] All verification of 1.13 passes',
            '[ ] The user has approved',
        ]
    )


def _entry(draft: Draft) -> str:
    stack = draft.rows('skill_stack')
    if not stack:
        return draft.open('skill_stack') or NONE
    plans = draft.rows('documents', 'impl') + draft.rows('documents', 'design')
    context = '\n'.join(
        [
            *(f'--plan {row["path"]} ({value(row, "status")})' for row in plans),
            f'Position: {_position(draft)}',
            'The decisions of 1.15 stand. What is complete is not run again, '
            'what was answered is not asked again.',
        ]
    )
    return fenced(f'{resume_call(draft, stack[-1])}\n{context}')


def _conversation(draft: Draft) -> str:
    kinds = ('user_messages', 'corrections', 'errors')
    if all(draft.get('conversation', kind) == [] for kind in kinds):
        return f'{draft.outline.nothing["1.25"][0]}'
    return tables(draft, '1.25')


def _smoke(draft: Draft) -> str:
    files = [str(row['path']) for row in draft.rows('documents', 'must_read')]
    mark = draft.outline.marks.expected
    tests = [f'test -f {path} && echo OK || echo MISSING' for path in files]
    number = len(draft.known.changed)
    return fenced(
        '\n'.join(
            [
                f'pwd  # {mark} {draft.known.project}',
                *tests,
                f'git status --porcelain | wc -l  # {mark} ~{number}',
            ]
        ),
        'bash',
    )


BODIES: dict[str, Body] = {
    '0.1': skill,
    '0.2': lambda draft: reads(draft, '0.2', ' TO READ'),
    '0.3': todos,
    'main': _main,
    '1.1.1': _skills,
    'subagents': lambda draft: tables(draft, 'subagents'),
    'pattern': _pattern,
    '1.2': _goals,
    '1.3': lambda draft: gap('technologies, patterns and why'),
    '1.4': _decisions,
    '1.5': _changes,
    '1.6': _errors,
    '1.7': _messages,
    '1.8': _pending,
    '1.9': _plans,
    '1.10': _again,
    '1.11': lambda draft: gap('two or three paragraphs on what happened'),
    '1.12': _artifacts,
    '1.13': _verification,
    '1.14': _resume,
    '1.15': lambda draft: tables(draft, '1.15'),
    '1.18': lambda draft: tables(draft, '1.18'),
    '1.19': _environment,
    '1.20': machine,
    '1.21': _done,
    '1.22': lambda draft: tables(draft, '1.22'),
    '1.23': _entry,
    '1.25': _conversation,
    'Step 0': _smoke,
}


def write(known: Known) -> tuple[str, State]:
    """The document, and the state that it holds."""
    made = state(known)
    return document(Draft(outline(), known, made), BODIES), made
