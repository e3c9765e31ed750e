from __future__ import annotations

from tests.formats.trees import bad, good

B = 'backlog/tasks'
ONE, TWO, SUB = f'{B}/back-1 - One.md', f'{B}/back-2 - Two.md', f'{B}/back-2.1 - Sub.md'


def task(id: str, status: str, *boxes: str, depends: str = '', parent: str = '') -> str:
    lines = ''.join(f'- [{box}] #{at} text\n' for at, box in enumerate(boxes, 1))
    return (
        f'---\nid: {id}\nstatus: {status}\ndependencies: [{depends}]\n'
        + (f'parent_task_id: {parent}\n' if parent else '')
        + f'---\n\n## Acceptance Criteria\n\n{lines}'
    )


BASE = {
    'backlog/config.yml': 'task_prefix: back\nstatuses: [To Do, In Progress, Done]\n',
    ONE: task('BACK-1', 'To Do', ' '),
    TWO: task('BACK-2', 'To Do', 'x', depends='BACK-1'),
    SUB: task('BACK-2.1', 'To Do', parent='BACK-2'),
}
DONE = 'backlog/completed/back-1 - One.md'
OPEN = 'done-with-open-criteria'
TWICE = 'id-twice'
BEFORE = 'done-before-dependency'
BELOW = 'parent-done-subtasks-open'
MOVED = 'completed-not-done'
FIRST = {ONE: task('BACK-1', 'Done', 'x')}
CASES = (
    bad(OPEN, 'done', {ONE: task('BACK-1', 'Done', ' ')}),
    bad(OPEN, 'half', {ONE: task('BACK-1', 'Done', 'x', ' ')}),
    bad(
        OPEN,
        'a name that was written by hand',
        {f'{B}/back-8-eight.md': task('BACK-8', 'Done', ' ')},
    ),
    bad(
        OPEN,
        'their own word',
        {ONE: task('BACK-1', 'Shipped', ' ')},
        {'backlog/config.yml': 'statuses: [New, Shipped]\n'},
    ),
    bad(
        OPEN,
        'done, with words after it',
        {ONE: task('BACK-1', 'Done', ' ')},
        {'backlog/config.yml': 'statuses: [To Do, Done, Released]\n'},
    ),
    bad(
        OPEN,
        'in a hidden folder',
        {'.backlog/tasks/task-7 - Seven.md': task('TASK-7', 'Done', ' ')},
        {'.backlog/config.yml': 'statuses: [To Do, Done]\n'},
    ),
    bad(
        OPEN,
        'in a folder of their own',
        {'pm/work/tasks/job-7 - Seven.md': task('JOB-7', 'Shipped', ' ')},
        {
            'backlog.config.yml': 'backlog_directory: pm/work\ntask_prefix: JOB\n'
            'statuses: [New, Shipped]\n',
            'backlog/config.yml': None,
        },
    ),
    *(
        good(
            OPEN,
            f'{word}, the last word',
            {ONE: task('BACK-1', word, ' ')},
            {'backlog/config.yml': f'statuses: [To Do, Done, {word}]\n'},
        )
        for word in ('Cancelled', 'Blocked', 'Released')
    ),
    bad(
        OPEN,
        'in a second list',
        {ONE: task('BACK-1', 'Done', 'x') + '\n## Acceptance Criteria\n\n- [ ] two\n'},
    ),
    good(
        OPEN,
        'ticked in a second list, and open elsewhere',
        {
            ONE: task('BACK-1', 'Done', 'x')
            + '\n## Plan\n\n- [ ] open\n\n## Acceptance Criteria\n\n- [x] two\n'
            + '\n## Later\n\n- [ ] open\n'
        },
    ),
    bad(
        OPEN,
        'a merged status',
        {
            ONE: task('BACK-1', 'To Do', ' ').replace(
                'status: To Do', '<<: {status: Done}'
            )
        },
    ),
    good(
        OPEN,
        'a status besides a merged one',
        {ONE: task('BACK-1', 'To Do\n<<: {status: Done}', ' ')},
    ),
    good(OPEN, 'ticked', FIRST),
    good(OPEN, 'none', {ONE: task('BACK-1', 'Done')}),
    good(OPEN, 'not done', {ONE: task('BACK-1', 'In Progress', ' ')}),
    good(
        OPEN,
        'in another section',
        {ONE: task('BACK-1', 'Done', 'x') + '\n## Notes\n\n- [ ] later\n'},
    ),
    bad(TWICE, 'without a title', {f'{B}/back-1.md': task('BACK-1', 'To Do')}),
    good(
        TWICE,
        'dates',
        {
            f'{B}/back-2026-01-02-x.md': task('x', 'To Do'),
            f'{B}/back-2026-01-03-y.md': task('y', 'To Do'),
        },
    ),
    bad(TWICE, 'again', {f'{B}/back-1 - Other.md': task('BACK-1', 'To Do')}),
    bad(TWICE, 'the old prefix', {f'{B}/task-1 - Old.md': task('TASK-1', 'To Do')}),
    bad(TWICE, 'with zeros', {f'{B}/back-01 - Other.md': task('BACK-01', 'To Do')}),
    good(TWICE, 'the next', {f'{B}/back-3 - Three.md': task('BACK-3', 'To Do')}),
    good(TWICE, 'moved', {ONE: None, DONE: task('BACK-1', 'Done', 'x')}),
    good(TWICE, 'a subtask', {f'{B}/back-1.1 - Sub.md': task('BACK-1.1', 'To Do')}),
    bad(
        BEFORE,
        'done',
        {
            TWO: task('BACK-2', 'Done', 'x', depends='BACK-1'),
            SUB: task('BACK-2.1', 'Done'),
        },
    ),
    bad(BEFORE, 'another spelling', {SUB: task('BACK-2.1', 'Done', depends='back-1')}),
    bad(
        BEFORE,
        'reopened',
        {ONE: task('BACK-1', 'To Do')},
        {**FIRST, SUB: task('BACK-2.1', 'Done', depends='BACK-1')},
    ),
    good(
        BEFORE, 'in order', {**FIRST, SUB: task('BACK-2.1', 'Done', depends='BACK-1')}
    ),
    good(BEFORE, 'gone', {SUB: task('BACK-2.1', 'Done', depends='BACK-99')}),
    good(BEFORE, 'not done', {SUB: task('BACK-2.1', 'In Progress', depends='BACK-1')}),
    bad(BELOW, 'done', {**FIRST, TWO: task('BACK-2', 'Done', 'x', depends='BACK-1')}),
    bad(BELOW, 'one comes', {f'{B}/back-1.1 - S.md': task('BACK-1.1', 'To Do')}, FIRST),
    bad(
        BELOW,
        'by its key',
        {f'{B}/back-7 - S.md': task('BACK-7', 'To Do', parent='BACK-1')},
        FIRST,
    ),
    good(
        BELOW,
        'all',
        {
            **FIRST,
            TWO: task('BACK-2', 'Done', 'x', depends='BACK-1'),
            SUB: task('BACK-2.1', 'Done'),
        },
    ),
    good(
        BELOW,
        'ten is not one',
        {f'{B}/back-10 - X.md': task('BACK-10', 'To Do')},
        FIRST,
    ),
    good(
        BELOW,
        'cannot be read',
        {SUB: '---\nassignee: @x\n---\n'},
        {**FIRST, TWO: task('BACK-2', 'Done', 'x', depends='BACK-1')},
    ),
    bad(MOVED, 'to do', {ONE: None, DONE: task('BACK-1', 'To Do')}),
    bad(MOVED, 'in progress', {ONE: None, DONE: task('BACK-1', 'In Progress')}),
    bad(
        MOVED,
        'reopened there',
        {DONE: task('BACK-1', 'To Do')},
        {ONE: None, DONE: task('BACK-1', 'Done', 'x')},
    ),
    *(
        good(
            MOVED,
            f'{word}, a word of the project',
            {ONE: None, DONE: task('BACK-1', word, ' ')},
            {'backlog/config.yml': f'statuses: [triage, {word}, done]\n'},
        )
        for word in ('wontfix', 'dropped', 'not planned')
    ),
    good(MOVED, 'done', {ONE: None, DONE: task('BACK-1', 'Done', 'x')}),
    good(MOVED, 'elsewhere', {ONE: None, 'backlog/drafts/back-1 - One.md': 'x'}),
    good(MOVED, 'cannot be read', {ONE: None, DONE: '---\nassignee: @x\n---\n'}),
)
