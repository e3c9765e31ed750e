from __future__ import annotations

from collections.abc import Mapping

from tests.formats.trees import bad, good

C = 'openspec/changes/add-x'
A = 'openspec/changes/archive/2026-01-02-add-x'
SPEC = '# Auth\n\n## Requirements\n\n### Requirement: Login\ntext\n'
DELTA = '## ADDED Requirements\n\n### Requirement: Logout\ntext\n'
BASE = {
    'openspec/project.md': '# P\n',
    'openspec/specs/auth/spec.md': SPEC,
    f'{C}/proposal.md': '# Why\n',
    f'{C}/tasks.md': '- [x] 1.1 one\n- [ ] 1.2 two\n',
    f'{C}/specs/auth/spec.md': DELTA,
}
WITH_LOGOUT = f'{SPEC}\n### Requirement: Logout\ntext\n'
DONE = '- [x] 1.1 one\n- [x] 1.2 two\n'
MOVED = {path: None for path in BASE if path.startswith(C)}


def archived(
    tasks: str = DONE, more: Mapping[str, str | None] | None = None
) -> dict[str, str | None]:
    return {
        **MOVED,
        f'{A}/proposal.md': '# Why\n',
        f'{A}/tasks.md': tasks,
        f'{A}/specs/auth/spec.md': DELTA,
        'openspec/specs/auth/spec.md': WITH_LOGOUT,
        **(more or {}),
    }


LONG = '# Why\n\none\ntwo\nthree\n'
OTHER_DAY = 'openspec/changes/archive/2026-01-09-add-x'


def moved(folder: str, proposal: str) -> dict[str, str | None]:
    """The archived change in another folder."""
    there = {
        path: text for path, text in archived().items() if text and path.startswith(A)
    }
    return {
        **dict.fromkeys(there),
        **{path.replace(A, folder): text for path, text in there.items()},
        f'{folder}/proposal.md': proposal,
    }


def apart(edits: Mapping[str, str | None]) -> dict[str, str | None]:
    """The same with the archive beside the changes."""
    return {path.replace('changes/archive', 'archive'): edits[path] for path in edits}


B = 'openspec/changes/archive/2026-01-03-drop-x'
LATER = {
    f'{B}/specs/auth/spec.md': '## REMOVED Requirements\n\n### Requirement: Logout\n'
}
LOST = 'requirement-not-in-main-spec'
OPEN = 'archived-with-open-tasks'
BOTH = 'active-and-archived'
TWICE = 'requirement-twice'
BARE = 'tasks-without-proposal'
EDITED = 'spec-edited-after-start'
OLD = 'archive-edited'
OUT = 'taken-out-of-archive'
GONE = 'requirement-lost'
BACK = {
    **{path: None for path in archived() if path.startswith(A)},
    **{path: BASE[path] for path in MOVED},
}
RENAMING = {
    f'{A}/specs/auth/spec.md': '## RENAMED Requirements\n'
    '- FROM: `### Requirement: Login`\n- TO: `### Requirement: Logout`\n'
}
APART = 'openspec/archive/2026-01-02-add-x'
CASES = (
    bad(OPEN, 'open', archived('- [x] 1.1 one\n- [ ] 1.2 two\n')),
    bad(OPEN, 'another mark', archived('- [x] 1.1 one\n- [~] 1.2 two\n')),
    bad(OPEN, 'nested', archived('- [x] 1.1 one\n  - [ ] deeper\n')),
    bad(
        OPEN,
        'without a date',
        {'openspec/changes/archive/add-x/tasks.md': '- [ ] 1\n', **MOVED},
    ),
    *(
        bad(
            OPEN,
            f'a folder {name}',
            {f'openspec/changes/archive/{name}/tasks.md': '- [ ] 1\n', **MOVED},
        )
        for name in ('2026-13-45-add-x', '26-1-1-add-x', '2026-01-02', '2026-01-02-')
    ),
    bad(
        OPEN,
        'in a folder of the year',
        {f'openspec/changes/archive/2026/{A[-16:]}/tasks.md': '- [ ] 1\n', **MOVED},
    ),
    *(
        bad(OPEN, f'a bullet {mark}', archived(f'{mark} [X] 1.1 one\r\n{mark} [ ] two'))
        for mark in ('*', '+', '1.', '2)', '\t-')
    ),
    bad(OPEN, 'beside the changes', apart(archived('- [ ] 1\n'))),
    good(OPEN, 'done beside the changes', apart(archived())),
    good(OPEN, 'all done', archived()),
    good(OPEN, 'in code', archived('- [x] 1.1 one\n```\n- [ ] example\n```\n')),
    good(OPEN, 'no list', archived('Nothing to do.\n')),
    good(OPEN, 'with a reason', archived('- [ ] 1\n'), Open_Tasks='later'),
    good(
        OPEN,
        'one less than before',
        {f'{A}/tasks.md': '- [ ] 2\n'},
        archived('- [ ] 1\n- [ ] 2\n'),
    ),
    bad(LOST, 'not merged', archived(more={'openspec/specs/auth/spec.md': SPEC})),
    bad(
        LOST,
        'beside the changes',
        apart(archived(more={'openspec/specs/auth/spec.md': SPEC})),
    ),
    good(LOST, 'merged beside the changes', apart(archived())),
    bad(LOST, 'no main spec', archived(more={'openspec/specs/auth/spec.md': None})),
    bad(
        LOST,
        'renamed',
        archived(
            more={
                f'{A}/specs/auth/spec.md': '## RENAMED Requirements\n'
                '- FROM: `### Requirement: Login`\n- TO: `### Requirement: Enter`\n'
            }
        ),
    ),
    bad(
        LOST,
        'in another capability',
        archived(
            more={f'{A}/specs/auth/spec.md': None, f'{A}/specs/web/spec.md': DELTA}
        ),
        {f'{A}/specs/auth/spec.md': ''},
    ),
    bad(
        LOST,
        'in a folder of the year',
        {
            **MOVED,
            'openspec/changes/archive/2026/2026-01-02-add-x/specs/auth/spec.md': DELTA,
        },
    ),
    good(
        LOST,
        'removed again by a change that is archived with it',
        archived(more={'openspec/specs/auth/spec.md': SPEC, **LATER}),
    ),
    good(
        LOST,
        'renamed by a change that is archived with it',
        archived(
            more={
                'openspec/specs/auth/spec.md': WITH_LOGOUT.replace('Logout', 'Leave'),
                f'{B}/specs/auth/spec.md': '## RENAMED Requirements\n'
                '- FROM: `### Requirement: Logout`\n- TO: `### Requirement: Leave`\n',
            }
        ),
    ),
    bad(
        LOST,
        'removed by a change of another capability',
        archived(
            more={
                'openspec/specs/auth/spec.md': SPEC,
                f'{B}/specs/web/spec.md': LATER[f'{B}/specs/auth/spec.md'],
            }
        ),
    ),
    good(LOST, 'merged', archived()),
    good(
        LOST,
        'other case',
        archived(
            more={
                'openspec/specs/auth/spec.md': WITH_LOGOUT.replace('Logout', 'LOGOUT')
            }
        ),
    ),
    good(
        LOST,
        'removed',
        archived(
            more={
                f'{A}/specs/auth/spec.md': '## REMOVED Requirements\n'
                '\n### Requirement: Gone\n'
            }
        ),
    ),
    good(
        LOST,
        'skipped',
        archived(
            more={
                'openspec/specs/auth/spec.md': SPEC,
                f'{A}/.openspec.yaml': 'skip_specs: true\n',
            }
        ),
    ),
    good(LOST, 'only later', {'openspec/specs/auth/spec.md': SPEC}, archived()),
    bad(BOTH, 'copied', {f'{A}/proposal.md': '# Why\n'}),
    bad(
        BOTH,
        'a date in its own name',
        {'openspec/changes/archive/2026-02-03-add-y/proposal.md': 'x'},
        {'openspec/changes/2026-02-03-add-y/proposal.md': 'x'},
    ),
    good(
        BOTH,
        'another date in its own name',
        {'openspec/changes/archive/2026-02-03-add-y/proposal.md': 'x'},
        {'openspec/changes/2026-02-04-add-y/proposal.md': 'x'},
    ),
    bad(BOTH, 'one file left', archived(more={f'{C}/design.md': 'x'})),
    bad(BOTH, 'begun again', {f'{C}/proposal.md': 'x'}, archived()),
    good(BOTH, 'moved', archived()),
    good(BOTH, 'another one', {'openspec/changes/add-y/proposal.md': 'x'}, archived()),
    good(BOTH, 'so before', {f'{C}/notes.md': 'x'}, {f'{A}/proposal.md': '# Why\n'}),
    bad(TWICE, 'again', {'openspec/specs/auth/spec.md': f'{SPEC}\n{SPEC}'}),
    bad(
        TWICE,
        'other case',
        {'openspec/specs/auth/spec.md': f'{SPEC}\n### Requirement: LOGIN\n'},
    ),
    bad(
        TWICE,
        'three times',
        {'openspec/specs/auth/spec.md': SPEC + '\n### Requirement: Login\n' * 2},
    ),
    good(TWICE, 'in two capabilities', {'openspec/specs/web/spec.md': SPEC}),
    good(
        TWICE,
        'in code',
        {'openspec/specs/auth/spec.md': f'{SPEC}\n```\n### Requirement: Login\n```\n'},
    ),
    good(
        TWICE,
        'another level',
        {'openspec/specs/auth/spec.md': f'{SPEC}\n#### Requirement: Login\n'},
    ),
    bad(BARE, 'removed', {f'{C}/proposal.md': None}),
    bad(BARE, 'new', {'openspec/changes/add-y/tasks.md': '- [ ] 1\n'}),
    bad(BARE, 'done', {'openspec/changes/add-y/tasks.md': '- [x] 1\n'}),
    good(BARE, 'an empty list', {'openspec/changes/add-y/tasks.md': 'later\n'}),
    good(
        BARE,
        'with it',
        {
            'openspec/changes/add-y/tasks.md': '- [ ] 1\n',
            'openspec/changes/add-y/proposal.md': 'x',
        },
    ),
    good(
        BARE,
        'archived',
        archived(more={f'{A}/proposal.md': None}),
        {f'{A}/proposal.md': ''},
    ),
    bad(EDITED, 'proposal', {f'{C}/proposal.md': '# Why not\n'}),
    bad(EDITED, 'delta', {f'{C}/specs/auth/spec.md': DELTA + 'more\n'}),
    bad(
        EDITED, 'when done', {f'{C}/proposal.md': '# Other\n'}, {f'{C}/tasks.md': DONE}
    ),
    good(
        EDITED,
        'before work',
        {f'{C}/proposal.md': '# Other\n'},
        {f'{C}/tasks.md': '- [ ] 1.1 one\n'},
    ),
    good(EDITED, 'design', {f'{C}/design.md': 'x'}),
    good(EDITED, 'with a reason', {f'{C}/proposal.md': '# O\n'}, Spec_Amended='asked'),
    bad(OLD, 'tasks', {f'{A}/tasks.md': '- [x] 1.1 other\n'}, archived()),
    bad(OLD, 'proposal', {f'{A}/proposal.md': '# Other\n'}, archived()),
    bad(OLD, 'delta', {f'{A}/specs/auth/spec.md': DELTA + 'more\n'}, archived()),
    good(
        OLD,
        'ticked',
        {f'{A}/tasks.md': DONE},
        archived('- [x] 1.1 one\n- [ ] 1.2 two\n'),
    ),
    bad(
        OLD,
        'another date, and another text',
        moved(OTHER_DAY, f'{LONG}and more\n'),
        archived(more={f'{A}/proposal.md': LONG}),
    ),
    bad(OLD, 'another date, and a text of one line', moved(OTHER_DAY, 'x'), archived()),
    bad(OLD, 'beside the changes, and another text', moved(APART, 'x'), archived()),
    good(OLD, 'beside the changes', moved(APART, '# Why\n'), archived()),
    good(
        OLD,
        'another date only',
        moved(OTHER_DAY, LONG),
        archived(more={f'{A}/proposal.md': LONG}),
    ),
    good(
        OLD,
        'one file goes, another one comes',
        {f'{A}/proposal.md': None, f'{A}/why.md': 'eins\nzwei\ndrei\n'},
        archived(more={f'{A}/proposal.md': LONG}),
    ),
    good(OLD, 'a file goes', {f'{A}/proposal.md': None}, archived()),
    good(OLD, 'as it is archived', archived()),
    good(
        OLD,
        'with a reason',
        {f'{A}/proposal.md': '# O\n'},
        archived(),
        Archive_Amended='typo',
    ),
    bad(OUT, 'as it was', BACK, archived()),
    bad(OUT, 'otherwise', {**BACK, f'{C}/proposal.md': '# Other\n'}, archived()),
    bad(
        OUT,
        'from beside the changes',
        {path.replace(A, APART): text for path, text in BACK.items()},
        apart(archived()),
    ),
    good(OUT, 'archived', archived()),
    good(OUT, 'another date', moved(OTHER_DAY, '# Why\n'), archived()),
    good(OUT, 'beside the changes', moved(APART, '# Why\n'), archived()),
    good(
        OUT,
        'the archive goes',
        {p: None for p in BACK if p in archived() and p.startswith(A)},
        archived(),
    ),
    good(OUT, 'begun', {'openspec/changes/add-y/proposal.md': 'x'}, archived()),
    good(OUT, 'with a reason', BACK, archived(), Archive_Amended='too early'),
    bad(GONE, 'edited', {'openspec/specs/auth/spec.md': SPEC}, archived()),
    bad(GONE, 'with its file', {'openspec/specs/auth/spec.md': None}, archived()),
    bad(
        GONE,
        'renamed by hand',
        {'openspec/specs/auth/spec.md': WITH_LOGOUT.replace('Logout', 'Leave')},
        archived(),
    ),
    bad(
        GONE,
        'after it was renamed',
        {'openspec/specs/auth/spec.md': SPEC},
        archived(more=RENAMING),
    ),
    good(
        GONE,
        'removed by a change',
        {'openspec/specs/auth/spec.md': SPEC, **LATER},
        archived(),
    ),
    good(GONE, 'never archived', {'openspec/specs/auth/spec.md': '# Auth\n'}),
    good(GONE, 'not merged', archived(more={'openspec/specs/auth/spec.md': SPEC})),
    good(
        GONE,
        'another text',
        {'openspec/specs/auth/spec.md': WITH_LOGOUT.replace('text', 'other')},
        archived(),
    ),
    good(
        GONE,
        'with a reason',
        {'openspec/specs/auth/spec.md': SPEC},
        archived(),
        Spec_Amended='obsolete',
    ),
)
