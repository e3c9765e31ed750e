from __future__ import annotations

from tests.formats.trees import bad, good

F = 'specs/001-login'
SPEC = '# Login\n\n**Status**: Draft\n\n## Text\n\nfirst\n'
BASE = {
    '.specify/memory/constitution.md': '# C\n',
    f'{F}/spec.md': SPEC,
    f'{F}/plan.md': 'plan\n',
    f'{F}/tasks.md': '- [x] T001 one\n- [ ] T002 [P] [US1] two\n',
    'specs/002-logout/spec.md': SPEC,
}
DONE = ('Draft', 'Complete')
ALL = {f'{F}/tasks.md': '- [x] T001 one\n- [x] T002 two\n'}
OPEN = 'done-with-open-tasks'
PLAN = 'tasks-without-plan'
BARE = 'plan-without-spec'
NUMBER = 'number-twice'
TASK = 'task-id-twice'
EDITED = 'spec-edited-after-start'
H = '.specify/specs'
HIDDEN = {f'{H}/003-x/spec.md': SPEC}
CASES = (
    bad(OPEN, 'status', {f'{F}/spec.md': DONE}),
    bad(OPEN, 'emoji', {f'{F}/spec.md': ('Draft', '✅ Complete')}),
    bad(OPEN, 'in another language', {f'{F}/spec.md': ('Draft', '完了')}),
    bad(OPEN, 'explained', {f'{F}/spec.md': ('Draft', 'Implemented (2026-01-02)')}),
    bad(
        OPEN,
        'behind another field',
        {
            f'{F}/spec.md': (
                '**Status**: Draft',
                '**Created**: x | **Status:** Complete',
            )
        },
    ),
    bad(
        OPEN,
        'in front of another field',
        {f'{F}/spec.md': ('Draft', 'Implemented · **Kind**: none')},
    ),
    good(
        OPEN,
        'another field says it',
        {f'{F}/spec.md': ('Draft', 'Draft | **Review**: Complete')},
    ),
    bad(
        OPEN,
        'a task is added',
        {f'{F}/tasks.md': '- [x] T001\n- [ ] T003\n'},
        {f'{F}/spec.md': DONE, **ALL},
    ),
    bad(
        OPEN,
        'in a scope',
        {'specs/api/001-x/spec.md': DONE},
        {'specs/api/001-x/spec.md': SPEC, 'specs/api/001-x/tasks.md': '- [ ] T001 a\n'},
    ),
    good(
        OPEN,
        'the same feature of another scope',
        {'specs/api/001-x/spec.md': DONE},
        {'specs/api/001-x/spec.md': SPEC, 'specs/web/001-x/tasks.md': '- [ ] T001 a\n'},
    ),
    good(OPEN, 'all ticked', {f'{F}/spec.md': DONE, **ALL}),
    good(
        OPEN,
        'notes with labels',
        {
            f'{F}/spec.md': DONE,
            f'{F}/tasks.md': '- [x] T001 one\n\n- [P] = parallel\n- [1] a source\n'
            '- [ ](https://example.com) a link\n',
        },
    ),
    good(OPEN, 'another word', {f'{F}/spec.md': ('Draft', 'Almost')}),
    good(OPEN, 'below the head', {f'{F}/spec.md': SPEC + '\n**Status**: Complete\n'}),
    good(OPEN, 'no tasks', {'specs/002-logout/spec.md': DONE}),
    bad(PLAN, 'gone', {f'{F}/plan.md': None}),
    bad(PLAN, 'in the hidden folder', {f'{H}/003-x/tasks.md': '- [ ] T001\n'}),
    good(
        PLAN,
        'in the hidden folder, both',
        {f'{H}/003-x/tasks.md': '- [ ] T001\n', f'{H}/003-x/plan.md': 'x', **HIDDEN},
    ),
    bad(PLAN, 'new', {'specs/002-logout/tasks.md': '- [ ] T001\n'}),
    bad(PLAN, 'renamed', {f'{F}/plan.md': None, f'{F}/plans.md': 'plan\n'}),
    good(
        PLAN,
        'both',
        {'specs/002-logout/tasks.md': 'x', 'specs/002-logout/plan.md': 'x'},
    ),
    bad(PLAN, 'in a scope', {'specs/api/001-x/tasks.md': '- [ ] T001 a\n'}),
    good(PLAN, 'not a feature', {'specs/notes/tasks.md': '- [ ] T001\n'}),
    good(PLAN, 'deeper', {f'{F}/old/tasks.md': 'x'}),
    bad(BARE, 'gone', {f'{F}/spec.md': None}),
    bad(BARE, 'new', {'specs/003-x/plan.md': 'x'}),
    bad(BARE, 'renamed', {f'{F}/spec.md': None, f'{F}/SPEC.md': SPEC}),
    good(BARE, 'both', {'specs/003-x/plan.md': 'x', 'specs/003-x/spec.md': SPEC}),
    good(
        BARE,
        'both gone',
        {f'{F}/plan.md': None, f'{F}/spec.md': None, f'{F}/tasks.md': None},
    ),
    good(BARE, 'another folder', {'docs/003-x/plan.md': 'x'}),
    bad(NUMBER, 'parallel', {'specs/002-search/spec.md': SPEC}),
    bad(NUMBER, 'other zeros', {'specs/2-search/spec.md': SPEC}),
    bad(
        NUMBER, 'a third', {'specs/002-c/spec.md': SPEC}, {'specs/002-b/spec.md': SPEC}
    ),
    bad(NUMBER, 'in the hidden folder', {f'{H}/003-y/spec.md': SPEC}, HIDDEN),
    good(NUMBER, 'the next in the hidden folder', {f'{H}/004-y/spec.md': SPEC}, HIDDEN),
    good(NUMBER, 'the next', {'specs/003-search/spec.md': SPEC}),
    bad(
        NUMBER,
        'in one scope',
        {'specs/api/001-y/spec.md': SPEC},
        {'specs/api/001-x/spec.md': SPEC},
    ),
    good(
        NUMBER,
        'in two scopes',
        {'specs/web/001-y/spec.md': SPEC},
        {'specs/api/001-x/spec.md': SPEC},
    ),
    good(
        NUMBER,
        'folders of a feature',
        {f'{F}/adr/001-b/notes.md': 'x\n'},
        {f'{F}/adr/001-a/notes.md': 'x\n'},
    ),
    good(
        NUMBER,
        'another one of the day',
        {'specs/20260102-030406-b/spec.md': SPEC},
        {'specs/20260102-030405-a/spec.md': SPEC},
    ),
    good(NUMBER, 'a file', {'specs/002-notes.md': 'x'}),
    good(
        NUMBER, 'so before', {'specs/002-b/plan.md': 'x'}, {'specs/002-b/spec.md': SPEC}
    ),
    good(
        NUMBER,
        'renamed',
        {'specs/002-logout/spec.md': None, 'specs/002-exit/spec.md': SPEC},
    ),
    bad(TASK, 'again', {f'{F}/tasks.md': '- [x] T001 one\n- [ ] T001 two\n'}),
    bad(TASK, 'in brackets', {f'{F}/tasks.md': '- [x] [T001] one\n- [ ] [T001] two\n'}),
    bad(TASK, 'other case', {f'{F}/tasks.md': '- [x] T001 one\n- [ ] t001 two\n'}),
    bad(TASK, 'three', {f'{F}/tasks.md': '- [ ] T002\n- [ ] T002\n- [ ] T002\n'}),
    good(
        TASK,
        'of another feature',
        {
            'specs/002-logout/tasks.md': '- [ ] T001 one\n',
            'specs/002-logout/plan.md': 'x',
        },
    ),
    good(
        TASK, 'mentioned', {f'{F}/tasks.md': '- [x] T001 one\n- [ ] T003 after T001\n'}
    ),
    good(TASK, 'in code', {f'{F}/tasks.md': '- [x] T001\n```\n- [ ] T001\n```\n'}),
    bad(EDITED, 'text', {f'{F}/spec.md': ('first', 'second')}),
    bad(EDITED, 'title', {f'{F}/spec.md': ('# Login', '# Sign in')}),
    bad(EDITED, 'when all is done', {f'{F}/spec.md': ('first', 'second')}, ALL),
    good(EDITED, 'status', {f'{F}/spec.md': ('Draft', 'Approved')}),
    good(EDITED, 'before work', {'specs/002-logout/spec.md': ('first', 'second')}),
    good(
        EDITED, 'with a reason', {f'{F}/spec.md': ('first', '2')}, Spec_Amended='asked'
    ),
)
