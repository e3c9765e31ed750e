"""Menus: which one is shown, its text, and what an answer means."""

from __future__ import annotations

from interlock.documents.text import plain
from interlock.model.errors import Refusal
from interlock.model.finding import Finding, Fix
from interlock.model.fixes import SYNC, correction, did_you_mean, ours, stages
from interlock.model.quick_typing import Mapping, NamedTuple, Sequence
from interlock.model.state import State
from interlock.operations.handoff.edit import BULLETS
from interlock.operations.progress_text import filled_in, next_steps, timeline_text
from interlock.workflow.language.menus import (
    DIRECTIVE,
    ESCAPE,
    OTHER,
    SUCCESS,
    WORD_RE,
    Menu,
    Menus,
    Option,
    Remedy,
    is_plain,
)
from interlock.workflow.language.patterns import expand
from interlock.workflow.language.spec import DONE
from interlock.workflow.reading import next_state
from interlock.workflow.reading.fix_command import (
    handoff_may_follow,
    registry_may_follow,
)
from interlock.workflow.reading.gates import UntriedWork, failed
from interlock.workflow.reading.records import Records
from interlock.workflow.reading.transitions import stage_beside

WHAT_NEXT = "What's next?"
WHAT_TO_DO = 'What would you like to do?'

# keywords that mean something in every menu
CONTINUE = 'continue'
PAUSE = 'pause'
# leave the menu, and do nothing
QUIT = ('q', 'quit')
# for menus without an option of their own to leave
LEAVE = Option('Pause', ESCAPE)

# the program whose commands an option can run unchanged
OURS = 'interlock'

# the most digits of a number in an answer
MAX_DIGITS = 4


class ShownMenu(NamedTuple):
    menu: Menu
    # the values of the names in braces
    words: Mapping[str, str]
    # the item as commands take it
    called: str = ''

    def filled(self, text: str) -> str:
        return filled_in(text, self.words, self.called)

    def arguments(self, run: Sequence[str]) -> list[str]:
        """The words of a command, with the item as commands take it."""
        given = self._replace(words={**self.words, 'item': self.called})
        return [given.filled(each) for each in run]

    def given(self, text: str) -> ShownMenu:
        """The menu with the user's answer to our question."""
        return self._replace(words={**self.words, 'text': text})


class NoChoice(Refusal):
    """An answer that names no option."""


class Situation(NamedTuple):
    """Where an item stands, and what comes next."""

    # of a finished item the registry's: the handoff may lag behind
    state: State | None
    # whether the handoff says that work is in progress
    goes_on: bool
    fields: Mapping[str, str]
    after: next_state.Next


def _situation(at: Records) -> Situation:
    state = at.state if at.role == DONE else at.stage
    goes_on = at.role != DONE and at.is_open
    fields = at.handoff_values
    after = next_state.after(at, state, fields) if state else next_state.Next()
    return Situation(state, goes_on, fields, after)


def _said_of(at: Records, state: State) -> str:
    """The handoff's completed line about a state, '' for none."""
    states = at.kind.states.items()
    ends = [name for name, other in states if other.becomes == state.name]
    heads = tuple(f'{each}:' for each in (state, *ends))
    found = ''
    for line in at.section_lines('completed'):
        bare = plain(line.lstrip(BULLETS))
        head = next(filter(bare.startswith, heads), '')
        found = bare[len(head) :].strip() if head else found
    return found


def failure(at: Records, outcome: str = '') -> UntriedWork | None:
    """The recorded failure that belongs to the menu of an outcome; '' means any."""
    known = at.kind.handoff.failures
    stages = [name for name, spec in at.kind.states.items() if spec.stage]
    for gap in failed(at.current, at.kind, reversed(stages)):
        if outcome in {'', known.get(gap.what)}:
            return gap
    return None


def outcome_of(at: Records, menus: Menus) -> str:
    """The outcome of an item, where none is given."""
    gap = failure(at)
    known = at.kind.handoff.failures
    found = known.get(gap.what, '') if gap else ''
    return found if found in menus.outcomes else SUCCESS


def _todo(at: Records, now: Situation) -> str:
    """What comes next; the handoff may differ from the workflow."""
    written = now.fields.get(at.kind.handoff.action, '')
    if written and written != now.after.action:
        return f'{written}, as the handoff of {at.item} says'
    elif now.state is None or (now.after.state is None and not now.after.steps):
        return ours('resume', at.called)
    name = at.kind.label(now.after.state, '')
    return '\n'.join(
        f'{step} of {at.item}' if step.endswith(name) and name else step
        for step in next_steps(at, now.state, now.after)
    )


def words_of(at: Records, day: str) -> dict[str, str]:
    """The words about an item that the texts of a menu may use."""
    kind, spec, now = at.kind, at.kind.handoff, _situation(at)
    state, after, written = now.state, now.after, at.handoff_state
    working = state if state is None or now.goes_on else after.state or state
    fitting = at.state and stage_beside(at.state, kind, written)
    place = expand(spec.file, at.item)
    return {
        'item': at.item,
        'date': day,
        'path': expand(kind.path, at.item),
        'place': place,
        'registry': at.registry_path,
        'registry_state': kind.label(at.state, ''),
        'fitting_stage': kind.written_stage(fitting) if fitting else '',
        'handoff': at.current.path if at.current else place,
        'handoff_state': kind.label(written, ''),
        'state': kind.label(state),
        'next': kind.label(after.state, 'the next step'),
        'working': kind.label(working),
        'stage': kind.written_stage(working) if working else '',
        'phase': kind.written_stage(state) if state and state.phase else '',
        'action': now.fields.get(spec.action, after.action),
        'done': (_said_of(at, state) or timeline_text(at, state)) if state else '',
        'todo': _todo(at, now),
    }


def checkpoint(
    at: Records, menus: Menus, day: str, outcome: str = SUCCESS, context: str = ''
) -> ShownMenu | None:
    """The menu for an outcome of an item, None if the workflow has none."""
    now = _situation(at)
    menu = menus.after(outcome, now.state, now.goes_on, now.after.closes, now.fields)
    if menu is None:
        return None
    words = words_of(at, day)
    default = 'no details were given'
    gap = None if outcome == SUCCESS else failure(at, outcome)
    if outcome == SUCCESS:
        default = 'work continues' if now.goes_on else words['done']
    elif gap is not None:
        default = gap.evidence.text
        words['working'] = at.kind.label(State(gap.state))
        words['stage'] = at.kind.written_stage(State(gap.state))
    words['context'] = context or default
    return ShownMenu(menu, words, at.called)


def refuse_outcome(menus: Menus, outcome: str) -> None:
    if outcome not in menus.outcomes:
        known = ', '.join(f'`{each}`' for each in menus.outcomes)
        near = did_you_mean(outcome, menus.outcomes)
        raise Refusal(
            f'the menus have no outcome `{outcome}`{near}',
            f'say one of {known}'
            if known
            else 'name outcomes in `checkpoints` of the menus',
            meant=correction(outcome, menus.outcomes),
        )


def remedy(
    finding: Finding,
    menus: Menus,
    words: Mapping[str, str],
    at: Records | None,
    changed: bool,
) -> ShownMenu:
    """The remedies of a finding; `words` are those of its item.

    `changed`: its file differs from that of the last commit.
    """

    def fits(line: Remedy) -> bool:
        if at is None:
            return is_plain(line)
        path = WORD_RE.sub(lambda word: words.get(word[1], ''), line.exists)
        return (not path or at.snapshot.blob(path) is not None) and (
            not line.after or bool(at.state and at.state.name in line.after)
        )

    menu = menus.remedy(finding.code, fits)
    return ShownMenu(
        led_by(finding.fix, _offered(menu, at, changed)),
        {
            **words,
            'item': finding.item,
            'path': finding.path or words.get('path', ''),
            'line': str(finding.line),
            'code': finding.code,
            'context': finding.message,
            'fix': finding.fix.step,
        },
        at.called if at else finding.item,
    )


def _offered(menu: Menu, at: Records | None, changed: bool) -> Menu:
    """The menu without the options that cannot help now."""
    # imported here: needed only where something is wrong
    from interlock.operations.handoff.migrate import missing

    facts = {
        'registry-may-follow': at is not None and registry_may_follow(at),
        'handoff-may-follow': at is not None and handoff_may_follow(at),
        'migratable': at is not None and bool(missing(at)),
        'changed': changed,
    }
    return menu._replace(
        options=tuple(option for option in menu.options if facts.get(option.when, True))
    )


def led_by(fix: Fix, menu: Menu) -> Menu:
    """The menu with the finding's own remedy as the first option.

    The check chose that remedy by the state of the files; a menu cannot.
    """
    import shlex

    run = tuple(shlex.split(fix.command))
    if fix == SYNC:
        # the menu offers the same for one item
        return menu
    if run[:1] != (OURS,) and not stages(fix):
        return menu
    same = [each for each in menu.options if each.run[:3] == run[:3]]
    name = f'{fix.label[:1].upper()}{fix.label[1:]}'
    first = same[0] if same else Option(name, DIRECTIVE, run=run)
    others = [
        each._replace(recommended=False)
        for each in menu.options
        # a keyword belongs to one option only
        if each is not first and not set(each.keywords) & set(first.keywords)
    ]
    return menu._replace(options=(first._replace(recommended=True), *others))


def _line(number: int, option: Option, shown: ShownMenu) -> str:
    recommended = ' (recommended)' if option.recommended else ''
    discovery = shown.filled(option.discovery)
    arrow = f' ← {discovery}' if discovery else ''
    return f'{number}. {shown.filled(option.label)}{recommended}{arrow}'


def render(shown: ShownMenu) -> str:
    menu = shown.menu
    lines, default = [], WHAT_TO_DO
    if menu.statement:
        lines, default = [f'✓ {shown.filled(menu.statement)}', ''], WHAT_NEXT
    elif menu.head:
        lines = [shown.filled(menu.head), '']
    lines.append(shown.filled(menu.question) or default)
    lines += [_line(number, each, shown) for number, each in enumerate(menu.options, 1)]
    return '\n'.join([*lines, '', f'Choose (1-{len(menu.options)}): _'])


def _by_number(answer: str, shown: ShownMenu) -> Option:
    count = len(shown.menu.options)
    number = int(answer) if len(answer) <= MAX_DIGITS else 0
    if not 1 <= number <= count:
        raise NoChoice(f'Invalid choice: {answer[:20]} is not in 1-{count}')
    return shown.menu.options[number - 1]


def read(shown: ShownMenu, answer: str) -> Option:
    """The option that an answer means: its number, a keyword, its label."""
    word = ' '.join(answer.split())
    if word.isdecimal():
        return _by_number(word, shown)
    word = word.casefold()
    if word == CONTINUE:
        return shown.menu.options[0]
    keywords: dict[str, Option] = {}
    for option in shown.menu.options:
        keywords[shown.filled(option.label).casefold()] = option
        keywords.update(dict.fromkeys(option.keywords, option))
    for each in (PAUSE, *QUIT):
        keywords.setdefault(each, LEAVE)
    if word in keywords:
        return keywords[word]
    near = did_you_mean(word[:40], [CONTINUE, *keywords])
    raise NoChoice(f'Invalid choice: {answer[:40]!r}{near}')


def is_other(option: Option) -> bool:
    return option is OTHER
