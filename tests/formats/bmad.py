from __future__ import annotations

from tests.formats.trees import bad, good

OUT = '_bmad-output/implementation-artifacts'
Y = f'{OUT}/sprint-status.yaml'
STORY, OTHER = f'{OUT}/1-1-login.md', f'{OUT}/1-2-logout.md'
INTENT = f'{OUT}/spec-search.md'


def status(**words: str) -> str:
    lines = ''.join(f'  {key}: {word}\n' for key, word in words.items())
    return f'development_status:\n{lines}'


def sprint(epic: str = 'in-progress', one: str = 'review', two: str = 'backlog') -> str:
    return status(
        **{
            'epic-1': epic,
            '1-1-login': one,
            '1-2-logout': two,
            'epic-1-retrospective': 'optional',
        }
    )


def story(word: str = 'review', box: str = 'x', criteria: str = 'it works') -> str:
    return (
        f'# Story 1.1\n\nStatus: {word}\n\n## Acceptance Criteria\n\n{criteria}\n\n'
        f'## Tasks / Subtasks\n\n- [x] one\n- [{box}] two\n'
    )


def intent(word: str, text: str = 'so') -> str:
    return (
        f'---\nstatus: {word}\n---\n<frozen-after-approval reason="intent">\n{text}\n'
        '</frozen-after-approval>\nmore\n'
    )


def built(word: str, box: str) -> str:
    return f'{intent(word)}\n## Tasks & Acceptance\n\n**Execution:**\n- [{box}] one\n'


V4 = 'docs/stories/1.2.logout.md'


def fourth(word: str, box: str) -> str:
    return (
        f'# Story 1.2: Logout\n\n## Status\n\n{word}\n\n## Story\n\n**As a** user\n\n'
        f'## Tasks / Subtasks\n\n- [x] one (AC: 1)\n  - [{box}] two\n'
    )


# stories that are listed below their epics or sprints
LISTED = 'docs/stories/32.1.story.md'


def epics(epic: str = 'in-progress', one: str = 'done', two: str = 'done') -> str:
    return (
        f'epics:\n  epic-32:\n    status: {epic}\n    stories:\n'
        f'      32.1: {{name: a, status: {one}}}\n      32.10: {{status: {two}}}\n'
    )


def listed(epic: str = 'in-progress', two: str = 'done') -> str:
    return (
        f'epics:\n- id: epic-1\n  status: {epic}\n  stories:\n'
        f'  - id: "1.1"\n    status: completed\n  - id: "1.2"\n    status: {two}\n'
    )


EPICS, OPEN_EPICS = {Y: epics()}, {Y: epics(one='not_started')}
EPIC_LIST = {Y: listed()}
SPRINTS = {Y: 'sprints:\n- stories:\n  - {id: STORY-001, status: completed}\n'}
BASE = {Y: sprint(), STORY: story(), INTENT: intent('in-progress')}
SAME = 'registry-and-story'
FILE = 'story-file-missing'
OPEN = 'done-with-open-tasks'
EPIC = 'epic-done-stories-open'
CRITERIA = 'criteria-edited'
FROZEN = 'frozen-block-edited'
CASES = (
    bad(SAME, 'row', {Y: sprint(one='done')}),
    bad(SAME, 'story', {STORY: story('done')}),
    bad(
        SAME, 'in bold', {STORY: story().replace('Status: review', '**Status:** Done')}
    ),
    bad(
        SAME,
        'as a section',
        {STORY: '# Story\n\n## Status\n\ndone\n\n## Acceptance Criteria\n\nx\n'},
    ),
    bad(
        SAME,
        'dots between its numbers',
        {Y: sprint(two='done'), 'docs/stories/story-1.2-logout.md': story('review')},
    ),
    bad(
        SAME,
        'only its numbers',
        {Y: sprint(two='done'), 'docs/stories/story-1.2.md': story('review')},
    ),
    good(
        SAME,
        'of a longer number',
        {Y: sprint(two='done'), 'docs/stories/story-1.20.md': story('review')},
    ),
    bad(SAME, 'listed below an epic', {LISTED: story('in_progress')}, EPICS),
    bad(SAME, 'listed below an epic, the story', {LISTED: story('done')}, OPEN_EPICS),
    bad(SAME, 'in a list', {'docs/stories/1.1.md': story('ready')}, EPIC_LIST),
    bad(SAME, 'in a sprint', {'docs/stories/STORY-001.md': story('ready')}, SPRINTS),
    good(SAME, 'listed, and done', {LISTED: story('Completed')}, EPICS),
    good(SAME, 'listed, and not begun', {LISTED: story('Draft')}, OPEN_EPICS),
    good(SAME, 'both', {Y: sprint(one='done'), STORY: story('Done')}),
    good(SAME, 'another word', {STORY: story('In Review')}),
    good(SAME, 'no word of theirs', {STORY: story('thinking')}),
    good(SAME, 'explained', {STORY: story('review (second round)')}),
    bad(FILE, 'ready', {Y: sprint(two='ready-for-dev')}),
    bad(FILE, 'gone', {STORY: None}),
    bad(FILE, 'a letter', {Y: status(**{'1a-1-x': 'in-progress'})}),
    good(
        FILE,
        'dots between its numbers',
        {Y: sprint(two='done'), 'docs/stories/story-1.2-logout.md': story('done')},
    ),
    good(
        FILE,
        'only its numbers',
        {Y: sprint(two='done'), 'docs/stories/story-1.2.md': story('done')},
    ),
    good(FILE, 'backlog', {Y: sprint(two='backlog')}),
    good(FILE, 'with it', {Y: sprint(two='review'), OTHER: story()}),
    good(
        FILE,
        'in a folder',
        {Y: sprint(two='review'), f'{OUT}/epic-1/1-2-logout.md': story()},
    ),
    good(
        FILE,
        'a spec of a build',
        {Y: sprint(two='review'), f'{OUT}/spec-1-2-logout.md': intent('in-review')},
    ),
    good(
        FILE,
        'a spec of a build with a title of its own',
        {
            Y: sprint(two='review'),
            f'{OUT}/spec-1-2-end-session.md': intent('in-review'),
        },
    ),
    bad(
        FILE,
        'a spec of another story',
        {Y: sprint(two='review'), f'{OUT}/spec-1-20-logout.md': intent('in-review')},
    ),
    bad(
        FILE,
        'a spec of a build that goes',
        {f'{OUT}/spec-1-2-end-session.md': None},
        {Y: sprint(two='review'), f'{OUT}/spec-1-2-end-session.md': intent('done')},
    ),
    good(
        FILE,
        'the word story in front',
        {Y: sprint(two='review'), f'{OUT}/story-1-2-logout.md': story()},
    ),
    good(
        FILE,
        'where the sprint status lies elsewhere',
        {'output/sprint-status.yaml': sprint(two='review'), Y: None, OTHER: story()},
    ),
    good(FILE, 'retrospective', {Y: sprint().replace('optional', 'done')}),
    bad(
        OPEN,
        'only its numbers',
        {Y: sprint(two='done'), 'docs/stories/story-1.2.md': story('done', ' ')},
    ),
    bad(OPEN, 'listed below an epic', {LISTED: story('done', ' ')}, EPICS),
    good(OPEN, 'listed, and not done', {LISTED: story('ready', ' ')}, OPEN_EPICS),
    bad(OPEN, 'row', {Y: sprint(one='done'), STORY: story('done', ' ')}),
    bad(
        OPEN,
        'unticked',
        {STORY: story('done', ' ')},
        {Y: sprint(one='done'), STORY: story('done')},
    ),
    bad(OPEN, 'the story lags', {Y: sprint(one='done'), STORY: story('review', ' ')}),
    bad(
        OPEN,
        'with an emoji in the heading',
        {
            Y: sprint(one='done'),
            STORY: story('done', ' ').replace('## Tasks', '## ✅ Tasks'),
        },
    ),
    bad(
        OPEN,
        'a spec of a build',
        {Y: sprint(two='done'), f'{OUT}/spec-1-2-logout.md': built('done', ' ')},
    ),
    bad(
        OPEN,
        'a spec of a build with a title of its own',
        {f'{OUT}/spec-1-2-end-session.md': built('done', ' ')},
        {Y: sprint(two='done'), f'{OUT}/spec-1-2-end-session.md': built('done', 'x')},
    ),
    good(
        OPEN,
        'a ticked spec of a build',
        {Y: sprint(two='done'), f'{OUT}/spec-1-2-logout.md': built('done', 'x')},
    ),
    good(
        OPEN,
        'a spec of a build without tasks',
        {Y: sprint(two='done'), f'{OUT}/spec-1-2-logout.md': intent('done')},
    ),
    good(
        OPEN,
        'a spec of a build in review',
        {Y: sprint(two='review'), f'{OUT}/spec-1-2-logout.md': built('done', ' ')},
    ),
    bad(OPEN, 'version 4', {V4: fourth('Done', ' ')}, {V4: fourth('Review', ' ')}),
    bad(
        OPEN,
        'version 4, elsewhere',
        {'work/1.2.x.md': fourth('Done', ' ')},
        {'.bmad-core/core-config.yaml': 'devStoryLocation: work\n'},
    ),
    bad(OPEN, 'story-N.N', {'docs/stories/story-1.2-logout.md': fourth('Done', ' ')}),
    bad(OPEN, 'only numbers', {'docs/stories/story-1.2.md': fourth('Done', ' ')}),
    good(OPEN, 'version 4, ticked', {V4: fourth('Done', 'x')}),
    good(OPEN, 'version 4, no story', {'docs/adr/1.2.x.md': fourth('Done', ' ')}),
    good(OPEN, 'ticked', {Y: sprint(one='done'), STORY: story('done')}),
    good(OPEN, 'review', {STORY: story('review', ' ')}),
    good(
        OPEN,
        'other boxes',
        {Y: sprint(one='done'), STORY: story('done') + '\n## Notes\n\n- [ ] later\n'},
    ),
    bad(EPIC, 'done', {Y: sprint('done')}),
    bad(
        EPIC,
        'a story comes',
        {Y: sprint('done', 'done', 'review')},
        {Y: sprint('done', 'done', 'done')},
    ),
    bad(EPIC, 'one is left', {Y: sprint('done', 'done', 'backlog')}),
    bad(EPIC, 'above its stories', {Y: epics('done', two='in_progress')}, EPICS),
    good(EPIC, 'above its stories, all done', {Y: epics('done')}, EPICS),
    bad(EPIC, 'in a list', {Y: listed('completed', 'in-progress')}, EPIC_LIST),
    good(EPIC, 'in a list, one deferred', {Y: listed('done', 'deferred')}, EPIC_LIST),
    good(EPIC, 'all', {Y: sprint('done', 'done', 'done')}),
    good(EPIC, 'dropped', {Y: sprint('done', 'done', 'cancelled')}),
    good(
        EPIC,
        'a story of an epic between two',
        {
            Y: status(
                **{'epic-1': 'done', '1-1-login': 'done'},
                **{'epic-1-5': 'in-progress', '1-5-1-x': 'backlog'},
            )
        },
    ),
    bad(
        EPIC,
        'the epic between two',
        {Y: status(**{'epic-1': 'backlog', 'epic-1-5': 'done', '1-5-1-x': 'review'})},
    ),
    good(
        EPIC,
        'ten is not one',
        {Y: status(**{'epic-1': 'done', '1-1-login': 'done', '10-1-x': 'backlog'})},
    ),
    bad(CRITERIA, 'review', {STORY: story(criteria='it flies')}),
    bad(
        CRITERIA,
        'done',
        {STORY: story('done', criteria='it flies')},
        {STORY: story('done')},
    ),
    bad(
        CRITERIA,
        'in progress',
        {STORY: story('in-progress', criteria='it flies')},
        {STORY: story('in-progress')},
    ),
    good(
        CRITERIA,
        'drafted',
        {STORY: story('drafted', criteria='it flies')},
        {STORY: story('drafted')},
    ),
    good(CRITERIA, 'tasks', {STORY: story(box=' ')}),
    good(
        CRITERIA,
        'with a reason',
        {STORY: story(criteria='x')},
        Criteria_Amended='asked',
    ),
    bad(FROZEN, 'text', {INTENT: intent('in-progress', 'not so')}),
    bad(FROZEN, 'and done', {INTENT: intent('done', 'not so')}),
    bad(FROZEN, 'longer', {INTENT: intent('in-progress', 'so\nand so')}),
    good(FROZEN, 'behind it', {INTENT: intent('in-progress') + 'even more\n'}),
    good(FROZEN, 'a draft', {INTENT: intent('draft', 'x')}, {INTENT: intent('draft')}),
    good(FROZEN, 'status', {INTENT: intent('done')}),
)
