from __future__ import annotations

from tests.formats.trees import bad, good

S = '.kiro/specs/login'
TASKS = (
    '- [x] 1. First\n  - [x] 1.1 part\n- [ ] 2. Second\n  - [ ] 2.1 part\n'
    '  - [ ]* 2.2 tests\n'
)
BASE = {
    '.kiro/steering/product.md': 'x',
    f'{S}/requirements.md': 'needs\n',
    f'{S}/design.md': 'design\n',
    f'{S}/tasks.md': TASKS,
    f'{S}/spec.json': '{"phase": "tasks-generated"}\n',
}
DONE = ('tasks-generated', 'implementation-completed')
ALL = {f'{S}/tasks.md': '- [x] 1. First\n- [x] 2. Second\n  - [ ]* 2.2 tests\n'}
OPEN = 'completed-with-open-tasks'
DESIGN = 'tasks-without-design'
PARENT = 'parent-ticked-subtask-open'
EDITED = 'spec-edited-after-start'


def tasks(text: str) -> dict[str, str]:
    return {f'{S}/tasks.md': text}


CASES = (
    bad(OPEN, 'phase', {f'{S}/spec.json': DONE}),
    bad(OPEN, 'another word', {f'{S}/spec.json': ('tasks-generated', 'completed')}),
    bad(
        OPEN, 'a task comes', tasks('- [ ] 3. Third\n'), {f'{S}/spec.json': DONE, **ALL}
    ),
    bad(
        OPEN, 'bold', {f'{S}/spec.json': DONE, **tasks('- [x] 1. a\n- [ ] **2. b**\n')}
    ),
    good(OPEN, 'all done', {f'{S}/spec.json': DONE, **ALL}),
    good(
        OPEN,
        'optional left',
        {f'{S}/spec.json': DONE, **tasks('- [x] 1. a\n- [ ] 12.7* b\n')},
    ),
    good(
        OPEN, 'earlier phase', {f'{S}/spec.json': ('tasks-generated', 'implementation')}
    ),
    bad(DESIGN, 'gone', {f'{S}/design.md': None}),
    bad(DESIGN, 'new', {'.kiro/specs/x/tasks.md': '- [ ] 1. a\n'}),
    bad(DESIGN, 'renamed', {f'{S}/design.md': None, f'{S}/designs.md': 'design\n'}),
    good(
        DESIGN, 'a bug', {'.kiro/specs/x/tasks.md': 'x', '.kiro/specs/x/bugfix.md': 'x'}
    ),
    good(
        DESIGN, 'both', {'.kiro/specs/x/tasks.md': 'x', '.kiro/specs/x/design.md': 'x'}
    ),
    good(DESIGN, 'no tasks', {'.kiro/specs/x/requirements.md': 'x'}),
    bad(PARENT, 'ticked', tasks(TASKS.replace('[ ] 2.', '[x] 2.', 1))),
    bad(
        PARENT,
        'part comes',
        tasks(TASKS.replace('1.1 part', '1.1 part\n  - [ ] 1.2 new')),
    ),
    bad(PARENT, 'by number', tasks('- [x] 1. First\n- [ ] 1.1 part\n')),
    bad(PARENT, 'without a number', tasks('- [x] 1. First\n  - [ ] part\n')),
    bad(
        PARENT,
        'a number that is used again',
        tasks('- [x] 1. a\n  - [ ] 1.1 b\n- [ ] 01 c\n'),
    ),
    good(PARENT, 'all of it', tasks('- [x] 1. First\n  - [x] 1.1 part\n')),
    good(PARENT, 'optional', tasks('- [x] 2. Second\n  - [ ]* 2.2 tests\n')),
    bad(PARENT, 'bold', tasks('- [x] **1. First**\n- [ ] **1.1 part**\n')),
    bad(PARENT, 'another bracket', tasks('- [x] 1) First\n- [ ] 1.1) part\n')),
    good(PARENT, 'bold and optional', tasks('- [x] 1. First\n- [ ]* **1.1 part**\n')),
    good(PARENT, 'ten is not one', tasks('- [x] 1. First\n- [ ] 10. Tenth\n')),
    bad(EDITED, 'needs', {f'{S}/requirements.md': 'other\n'}),
    bad(
        EDITED,
        'a bug',
        {f'{S}/bugfix.md': 'other\n'},
        {f'{S}/bugfix.md': 'what is wrong\n'},
    ),
    bad(EDITED, 'design', {f'{S}/design.md': 'other\n'}),
    bad(EDITED, 'when done', {f'{S}/design.md': 'other\n'}, ALL),
    good(EDITED, 'before', {f'{S}/design.md': 'other\n'}, tasks('- [ ] 1. First\n')),
    good(EDITED, 'notes', {f'{S}/notes.md': 'x'}),
    good(EDITED, 'with a reason', {f'{S}/design.md': 'o\n'}, Spec_Amended='asked'),
)
