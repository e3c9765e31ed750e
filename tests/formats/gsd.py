from __future__ import annotations

from tests.formats.trees import bad, good

R = '.planning/ROADMAP.md'
Q = '.planning/REQUIREMENTS.md'
P = '.planning/phases/05-layer'
ROADMAP = (
    '# Roadmap\n\n- [ ] **Phase 5: Layer** - one line\n- [x] **Phase 2.1: Fix**\n\n'
    '- [x] 05-01-PLAN.md — first\n- [ ] 05-02: second\n\n'
    '| Phase | Plans Complete | Status | Completed |\n|---|---|---|---|\n'
    '| 5. Layer | 1/2 | In Progress | - |\n| 2.1 Fix | 1/1 | Complete | 2026-01-01 |\n'
)
BASE = {
    '.planning/config.json': '{}\n',
    R: ROADMAP,
    Q: (
        '- [x] **AUTH-01**: a\n- [ ] **AUTH-02**: b\n\n'
        '| Requirement | Phase | Status |\n|---|---|---|\n'
        '| AUTH-01 | Phase 5 | Complete |\n| AUTH-02 | Phase 5 | Pending |\n'
    ),
    f'{P}/05-01-PLAN.md': 'plan\n',
    f'{P}/05-01-SUMMARY.md': 'done\n',
    f'{P}/05-02-PLAN.md': 'plan\n',
}
TICK = ('[ ] 05-02', '[x] 05-02')
DONE = ('[ ] **Phase 5', '[x] **Phase 5')
ROW = ('| In Progress |', '| Complete |')
SUMMARY = {f'{P}/05-02-SUMMARY.md': 'done\n'}
TICKED = 'ticked-without-summary'
PLANS = 'phase-complete-plans-open'
GAPS = 'phase-complete-with-gaps'
PHASE = 'phase-box-and-row'
REQ = 'requirement-box-and-row'
LATE = 'summary-not-ticked'
ALONE = 'summary-without-plan'
EDITED = 'plan-edited-after-summary'


# the same numbers in a workstream of their own
W = '.planning/workstreams/search'
STREAM = {f'{W}/ROADMAP.md': ROADMAP, f'{W}/phases/05-index/05-02-PLAN.md': 'plan\n'}
NUMBERED = '| # | Phase | Status |\n|---|---|---|\n| 5 | Layer | In Progress |\n'
COVERAGE = (
    '| Requirement | Phase | Status |\n|---|---|---|\n| A-1 | Phase 2.1 | Pending |\n'
)
MILESTONES = '| Milestone | Phases | Status |\n|---|---|---|\n| v1.0 | 5 | Planned |\n'


# a phase whose only plan has no number
L = '.planning/phases/07-polish'
LONE = {f'{L}/PLAN.md': 'plan\n'}
LONE_NUMBER = f'{L}/07-PLAN.md'
LONE_ROADMAP = {R: '# Roadmap\n\n- [ ] Phase 7: Polish\n'}
LONE_DONE = ('[ ] Phase 7', '[x] Phase 7')
LETTER = {f'{L}/07A-SUMMARY.md': 'done\n'}
# a milestone begins its numbers anew
V = '.planning/phases/v1'
VERSIONS = {
    R: '- [ ] **Phase v1.1-01: A**\n- [ ] **Phase v1.2-01: B**\n',
    f'{V}.1-01-a/v1.1-01-01-PLAN.md': 'x',
    f'{V}.1-01-a/v1.1-01-01-SUMMARY.md': 'x',
    f'{V}.2-01-b/v1.2-01-01-PLAN.md': 'x',
}


def verified(status: str) -> dict[str, str]:
    return {f'{P}/05-VERIFICATION.md': f'---\nstatus: {status}\n---\n'}


GAPS_FOUND = '---\nstatus: gaps_found\n---\n'
CASES = (
    bad(TICKED, 'ticked', {R: TICK}),
    bad(TICKED, 'summary gone', {f'{P}/05-01-SUMMARY.md': None}),
    bad(TICKED, 'in bold', {R: ('- [ ] 05-02: second', '- [X] **05-02** second')}),
    good(TICKED, 'with it', {R: TICK, **SUMMARY}),
    good(TICKED, 'no plan here', {R: ('- [ ] 05-02', '- [x] 06-01: x\n- [ ] 05-02')}),
    good(TICKED, 'another mark', {R: ('[ ] 05-02', '[~] 05-02')}),
    bad(
        TICKED,
        'a plan with a name',
        {R: ('[ ] 05-02: second', '[x] 05-04-cache-PLAN.md — fourth')},
        {f'{P}/05-04-cache-PLAN.md': 'plan\n'},
    ),
    good(
        TICKED,
        'whose summary has none',
        {R: ('[ ] 05-02: second', '[x] 05-04-cache-PLAN.md — fourth')},
        {f'{P}/05-04-cache-PLAN.md': 'plan\n', f'{P}/05-04-SUMMARY.md': 'done\n'},
    ),
    bad(
        TICKED,
        'the number at the end',
        {R: ('[ ] 05-02: second', '[x] 5-PLAN-04-cache.md')},
        {f'{P}/5-PLAN-04-cache.md': 'plan\n'},
    ),
    bad(
        TICKED,
        'a folder of plans',
        {R: ('[ ] 05-02: second', '[x] Plan 05-04: fourth')},
        {f'{P}/plans/PLAN-04-cache.md': 'plan\n'},
    ),
    good(
        TICKED,
        'a folder of plans and summaries',
        {R: ('[ ] 05-02: second', '[x] Plan 05-04: fourth')},
        {
            f'{P}/plans/PLAN-04-cache.md': 'plan\n',
            f'{P}/plans/SUMMARY-04-cache.md': 'done\n',
        },
    ),
    good(
        TICKED,
        'an outline only',
        {R: ('[ ] 05-02: second', '[x] 05-04: fourth')},
        {f'{P}/05-04-PLAN-OUTLINE.md': 'x\n', f'{P}/plans/PLAN-04-OUTLINE.md': 'x\n'},
    ),
    bad(TICKED, 'of a workstream', {f'{W}/ROADMAP.md': TICK}, STREAM),
    good(
        TICKED,
        'of another workstream',
        {f'{W}/ROADMAP.md': ('[ ] 05-02: second', '[x] 05-01: first')},
        STREAM,
    ),
    bad(
        TICKED,
        'a folder with the code of the project',
        {R: ('[ ] 05-02', '[x] 06-01: x\n- [ ] 05-02')},
        {
            '.planning/config.json': '{"project_code": "CK"}\n',
            '.planning/phases/CK-06-x/06-01-PLAN.md': 'plan\n',
        },
    ),
    good(
        TICKED,
        'a folder that was put aside',
        {R: ('[ ] 05-02', '[x] 06-01: x\n- [ ] 05-02')},
        {'.planning/phases/old-06-x/06-01-PLAN.md': 'plan\n'},
    ),
    bad(
        TICKED,
        'a letter behind the number',
        {R: ('[ ] 05-02', '[x] 5a-01: x\n- [ ] 05-02')},
        {'.planning/phases/05A-x/05A-01-PLAN.md': 'plan\n'},
    ),
    bad(
        TICKED,
        'a letter behind the number of a plan',
        {R: ('[ ] 05-02', '[x] 05-03b: x\n- [ ] 05-02')},
        {f'{P}/05-03a-PLAN.md': 'x\n', f'{P}/05-03B-PLAN.md': 'x\n'},
    ),
    good(
        TICKED,
        'of another letter',
        {R: ('[ ] 05-02', '[x] 05-03a: x\n- [ ] 05-02')},
        {f'{P}/05-03a-SUMMARY.md': 'x\n', f'{P}/05-03b-PLAN.md': 'x\n'},
    ),
    bad(
        TICKED,
        'a letter instead of a number',
        {R: ('[ ] 05-02', '[x] 06b-PLAN.md — x\n- [ ] 05-02')},
        {'.planning/phases/06-x/06B-PLAN.md': 'x\n'},
    ),
    good(
        TICKED,
        'a letter instead of a number, with it',
        {R: ('[ ] 05-02', '[x] 06b-PLAN.md — x\n- [ ] 05-02')},
        {
            '.planning/phases/06-x/06a-PLAN.md': 'x\n',
            '.planning/phases/06-x/06b-PLAN.md': 'x\n',
            '.planning/phases/06-x/06b-SUMMARY.md': 'x\n',
        },
    ),
    bad(
        TICKED,
        'a folder named phase',
        {R: ('[ ] 05-02', '[x] 06-01: x\n- [ ] 05-02')},
        {'.planning/phases/phase-06/06-01-PLAN.md': 'plan\n'},
    ),
    bad(
        TICKED,
        'a folder and files named phase',
        {R: ('[ ] 05-02', '[x] 06-01: x\n- [ ] 05-02')},
        {'.planning/phases/Phase-006-x/Phase-006-01-PLAN.md': 'plan\n'},
    ),
    bad(
        TICKED,
        'a version in front',
        {R: ('[ ] 05-02', '[x] v1.2-05-01-PLAN.md\n- [ ] 05-02')},
        {'.planning/phases/v1.2-05-x/v1.2-05-01-PLAN.md': 'plan\n'},
    ),
    good(
        TICKED,
        'of another version',
        {R: ('[ ] 05-02', '[x] v1.1-05-01-PLAN.md\n- [ ] 05-02')},
        {'.planning/phases/v1.2-05-x/v1.2-05-01-PLAN.md': 'plan\n'},
    ),
    bad(TICKED, 'an emoji in front', {R: ('[ ] 05-02', '[x] ✅ 05-02')}),
    bad(PLANS, 'box', {R: DONE}),
    bad(PLANS, 'of a workstream', {f'{W}/ROADMAP.md': DONE}, STREAM),
    good(PLANS, 'of the project, not of its workstream', {R: DONE, **SUMMARY}, STREAM),
    bad(
        PLANS,
        'a number in a column of its own',
        {R: NUMBERED.replace('In Progress', 'Complete')},
        {R: NUMBERED},
    ),
    good(
        PLANS,
        'how many phases a milestone has',
        {R: MILESTONES.replace('Planned', 'Complete')},
        {R: MILESTONES},
    ),
    good(
        PLANS,
        'a number of something else',
        {R: NUMBERED.replace('Phase', 'Risk').replace('In Progress', 'Complete')},
        {R: NUMBERED},
    ),
    bad(PLANS, 'row', {R: ROW}),
    bad(PLANS, 'a plan is added', {f'{P}/05-03-PLAN.md': 'x'}, {R: DONE, **SUMMARY}),
    bad(PLANS, 'a lone plan', {R: LONE_DONE}, {**LONE_ROADMAP, **LONE}),
    bad(
        PLANS,
        'a plan by its number',
        {R: LONE_DONE},
        {**LONE_ROADMAP, LONE_NUMBER: 'x'},
    ),
    good(
        PLANS,
        'a lone plan with a summary',
        {R: LONE_DONE, f'{L}/SUMMARY.md': 'x'},
        {**LONE_ROADMAP, **LONE},
    ),
    good(PLANS, 'all have one', {R: DONE, **SUMMARY}),
    good(
        PLANS,
        'a number that is used again',
        {f'{P}/05-03-PLAN.md': 'x'},
        {R: ROADMAP.replace('2.1: Fix', '5: Old layer')},
    ),
    good(PLANS, 'of another phase', {'.planning/phases/50-x/50-01-PLAN.md': 'x'}),
    good(PLANS, 'phase 2 is not 2.1', {'.planning/phases/02-y/02-01-PLAN.md': 'x'}),
    bad(
        PLANS,
        'a letter instead of a number',
        {R: LONE_DONE},
        {**LONE_ROADMAP, f'{L}/07a-PLAN.md': 'x', f'{L}/07b-PLAN.md': 'x', **LETTER},
    ),
    good(
        PLANS,
        'letters, all done',
        {R: LONE_DONE},
        {**LONE_ROADMAP, f'{L}/07a-PLAN.md': 'x', **LETTER},
    ),
    bad(
        PLANS,
        'a version is part of the name',
        {R: ('[ ] **Phase v1.2-01', '[x] **Phase v1.2-01')},
        VERSIONS,
    ),
    good(
        PLANS,
        'the same number in another version',
        {R: ('[ ] **Phase v1.1-01', '[x] **Phase v1.1-01')},
        VERSIONS,
    ),
    bad(
        PLANS,
        'a version is the name',
        {R: LONE_ROADMAP[R].replace('[ ] Phase 7:', '[x] **Phase v1.1:**')},
        {'.planning/phases/v1.1-base/v1.1-01-PLAN.md': 'x'},
    ),
    good(
        PLANS,
        'a longer version is another name',
        {R: LONE_ROADMAP[R].replace('[ ] Phase 7:', '[x] **Phase v1.1:**')},
        {'.planning/phases/v1.1.1-more/v1.1.1-01-PLAN.md': 'x'},
    ),
    bad(
        PLANS,
        'a folder without a name',
        {R: LONE_DONE},
        {**LONE_ROADMAP, '.planning/phases/07/07-01-PLAN.md': 'x'},
    ),
    good(
        PLANS,
        'a longer number without a name',
        {R: LONE_DONE},
        {**LONE_ROADMAP, '.planning/phases/77/77-01-PLAN.md': 'x'},
    ),
    bad(GAPS, 'found', {R: DONE, **SUMMARY, **verified('gaps_found')}),
    bad(GAPS, 'found later', verified('gaps_found'), {R: DONE, **SUMMARY}),
    bad(GAPS, 'row', {R: ROW, **SUMMARY, **verified('gaps_found')}),
    bad(
        GAPS,
        'a folder with the code of the project',
        {R: DONE, **SUMMARY},
        {
            '.planning/config.json': '{"project_code": "CK"}\n',
            '.planning/phases/ck-05-x/05-VERIFICATION.md': GAPS_FOUND,
        },
    ),
    good(
        GAPS,
        'a folder with something else in front',
        {R: DONE, **SUMMARY},
        {'.planning/phases/old-05-x/05-VERIFICATION.md': GAPS_FOUND},
    ),
    good(GAPS, 'passed', {R: DONE, **SUMMARY, **verified('passed')}),
    good(GAPS, 'a person looks', {R: DONE, **SUMMARY, **verified('human_needed')}),
    good(GAPS, 'not verified yet', {R: DONE, **SUMMARY, **verified('pending')}),
    good(GAPS, 'not complete', verified('gaps_found')),
    bad(PHASE, 'box only', {R: DONE, **SUMMARY}),
    bad(PHASE, 'row only', {R: ROW, **SUMMARY}),
    bad(PHASE, 'decimal', {R: ('[x] **Phase 2.1', '[ ] **Phase 2.1')}),
    good(
        PHASE,
        'the phases of requirements',
        {R: ('# Roadmap\n', f'# Roadmap\n\n{COVERAGE}')},
    ),
    good(PHASE, 'word that is not known', {R: ('| In Progress |', '| 80 % |')}),
    good(PHASE, 'another word', {R: ('| In Progress |', '| Not started |')}),
    good(PHASE, 'no row', {R: ('| 5. Layer | 1/2 | In Progress | - |\n', '')}),
    bad(REQ, 'box', {Q: ('[ ] **AUTH-02', '[x] **AUTH-02')}),
    bad(REQ, 'row', {Q: ('| Pending |', '| Complete |')}),
    bad(REQ, 'back', {Q: ('[x] **AUTH-01', '[ ] **AUTH-01')}),
    good(
        REQ,
        'both',
        {Q: '- [x] **AUTH-02**: b\n\n| ID | Status |\n|-|-|\n| AUTH-02 | Done |\n'},
    ),
    good(REQ, 'another word', {Q: ('| Pending |', '| Planned |')}),
    good(REQ, 'no row', {Q: ('| AUTH-02 | Phase 5 | Pending |\n', '')}),
    bad(LATE, 'summary', SUMMARY),
    bad(LATE, 'unticked', {R: ('[x] 05-01', '[ ] 05-01')}),
    bad(
        LATE,
        'listed later',
        {R: ('05-02: second', '05-02: second\n- [ ] 05-03 x')},
        {f'{P}/05-03-PLAN.md': 'x', f'{P}/05-03-SUMMARY.md': 'x'},
    ),
    good(LATE, 'ticked', {R: TICK, **SUMMARY}),
    good(LATE, 'not listed', {f'{P}/05-09-PLAN.md': 'x', f'{P}/05-09-SUMMARY.md': 'x'}),
    good(LATE, 'other zeros', {R: TICK, f'{P}/5-2-SUMMARY.md': 'x'}),
    bad(ALONE, 'new', {f'{P}/05-07-SUMMARY.md': 'x'}),
    bad(ALONE, 'plan gone', {f'{P}/05-01-PLAN.md': None}),
    bad(
        ALONE,
        'plan renamed',
        {f'{P}/05-01-PLAN.md': None, f'{P}/05-11-PLAN.md': 'plan\n'},
    ),
    good(ALONE, 'both', {f'{P}/05-07-SUMMARY.md': 'x', f'{P}/05-07-PLAN.md': 'x'}),
    good(
        ALONE, 'both gone', {f'{P}/05-01-SUMMARY.md': None, f'{P}/05-01-PLAN.md': None}
    ),
    good(ALONE, 'of something else', {f'{P}/NOTES-SUMMARY.md': 'x'}),
    bad(EDITED, 'text', {f'{P}/05-01-PLAN.md': 'other\n'}),
    bad(EDITED, 'longer', {f'{P}/05-01-PLAN.md': 'plan\nmore\n'}),
    bad(EDITED, 'empty', {f'{P}/05-01-PLAN.md': ''}),
    bad(
        EDITED,
        'under another name',
        {f'{P}/05-01-PLAN.md': None, f'{P}/05-01-first-PLAN.md': 'plan\nmore\n'},
    ),
    good(
        EDITED,
        'another name only',
        {f'{P}/05-01-PLAN.md': None, f'{P}/05-01-first-PLAN.md': 'plan\n'},
    ),
    good(
        EDITED,
        'phases are numbered anew',
        {
            f'{P}/05-01-PLAN.md': None,
            '.planning/phases/05-new/05-01-PLAN.md': 'quite another\n',
            '.planning/phases/06-layer/06-01-PLAN.md': 'plan\n',
        },
    ),
    good(EDITED, 'without a summary', {f'{P}/05-02-PLAN.md': 'other\n'}),
    good(
        EDITED,
        'ticked',
        {f'{P}/05-01-PLAN.md': '- [x] a\n'},
        {f'{P}/05-01-PLAN.md': '- [ ] a\n'},
    ),
    good(EDITED, 'with a reason', {f'{P}/05-01-PLAN.md': 'o\n'}, Plan_Amended='typo'),
)
