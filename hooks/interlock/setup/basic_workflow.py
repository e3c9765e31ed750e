"""Writes a workflow for a table: its states, and the steps between them."""

from __future__ import annotations

from collections import Counter
from itertools import takewhile

from interlock.documents.text import emoji
from interlock.documents.yaml_text import flow_list, scalar
from interlock.model import quick_re as re
from interlock.model.fixes import nearest
from interlock.model.quick_typing import (
    Container,
    Iterator,
    Mapping,
    NamedTuple,
    Sequence,
)
from interlock.setup.learned_steps import LearnedSteps
from interlock.setup.progress_words import GIVEN_UP, PAUSED, common, known
from interlock.setup.status_tables import NAMELESS, StatusTable, common_words, word_of
from interlock.workflow.language.spec import ANY, BEFORE, DONE, NOTHING, STAGE

MOST_LINES, WIDTH = 40, 110
# words as similar as this are probably the same one
ALIKE = 0.8
# how the steps were chosen
LEARNED, CHAIN, FREE = 'learned', 'chain', 'free'
STEPS_COMMENTS = {
    LEARNED: 'those found in the history, and the usual ones where it has none',
    CHAIN: 'each state to the next one and back: edit, or use `interlock init --learn`',
    FREE: 'every transition is legal: list the legal ones, and all others are refused',
}
PREPOSITIONS = frozenset('as at by for from in of on per to with'.split())
# for words of the team, whose roles only the team knows
ROLES_COMMENT = '    # not begun: {role: before}; over: {role: done}; others: in work'


class StateWord(NamedTuple):
    name: str
    role: str
    emoji: str = ''
    # other spellings
    aliases: tuple[str, ...] = ()
    # appears with a remark in parentheses
    annotated: bool = False


class BasicWorkflow(NamedTuple):
    table: StatusTable
    states: tuple[StateWord, ...]
    # state -> the states that may follow it
    steps: Mapping[str, Sequence[str]]
    how: str
    # the name of its kind of items, different from other tables' kinds
    kind: str
    # a file of each item that must not change once the item is done, '' for none
    frozen: str = ''


def _emoji_of(table: StatusTable, words: Sequence[str]) -> str:
    """The emoji that most rows have before one of these words."""
    seen = Counter(
        emoji(text)
        for _, text in table.rows
        if word_of(text) in words and word_of(text) != emoji(text)
    )
    return seen.most_common(1)[0][0] if seen else ''


def _role(name: str) -> str:
    found = known(name)
    return found[1] if found else STAGE


def _spellings(words: Counter[str], beside: Mapping[str, str]) -> dict[str, list[str]]:
    """The most frequent spelling of a word -> all others, including its emoji alone."""
    groups: dict[str, list[str]] = {}
    for word in sorted(words, key=lambda each: (each in beside, -words[each])):
        spelling = beside.get(word, word).casefold().replace('-', ' ')
        groups.setdefault(spelling, []).append(word)
    return {first: others for first, *others in groups.values()}


def _distances(learned: LearnedSteps) -> dict[str, int]:
    """How many habitual steps lead from a new item to a state, at least."""
    found = {NOTHING: 0}
    reached = [NOTHING]
    for source in reached:
        for before, after in learned.habits:
            if before == source and after not in found:
                found[after] = found[source] + 1
                reached.append(after)
    return found


def _place(name: str, learned: LearnedSteps) -> tuple[int, float, int]:
    """The position of a state: by its role, then by its number or the steps to it."""
    found = known(name)
    if found is not None:
        return (BEFORE, STAGE, DONE).index(found[1]), found[0], 0
    number = re.search('[0-9]+', name)
    if number:
        return 1, 1000.0 + int(number[0]), 0
    distances = _distances(learned)
    arrivals = sum(after == name for _, after in learned.counts.elements())
    leavings = sum(before == name for before, _ in learned.counts.elements())
    distance = distances.get(name, len(distances))
    return 1, 1000.0 + distance, arrivals - leavings


def states_of(table: StatusTable, learned: LearnedSteps) -> tuple[StateWord, ...]:
    """The states in use, and those in the habitual steps of the history."""
    words = common_words(table)
    for pair in learned.habits:
        words.update({word: 0 for word in pair if word not in (NOTHING, *words)})
    remarks = {word_of(text) for _, text in table.rows if '(' in text}
    beside = {
        emoji(text): word_of(text)
        # the most frequent word has the last say
        for _, text in sorted(table.rows, key=lambda row: words[word_of(row[1])])
        if emoji(text) not in ('', word_of(text))
    }
    found = [
        StateWord(
            name,
            _role(name),
            _emoji_of(table, [name, *others]) or learned.emojis.get(name, ''),
            tuple(others),
            bool(remarks & {name, *others}),
        )
        for name, others in _spellings(words, beside).items()
        if name
    ]
    return tuple(sorted(found, key=lambda each: _place(each.name, learned)))


def _learned_steps(
    states: Sequence[StateWord], learned: LearnedSteps
) -> dict[str, list[str]]:
    names = {word: each.name for each in states for word in (each.name, *each.aliases)}
    found: dict[str, list[str]] = {NOTHING: [states[0].name]}
    order = [NOTHING, *(each.name for each in states)]
    for before, after in learned.habits:
        source, target = names.get(before, before), names.get(after, '')
        if source in order and target and source != target:
            found.setdefault(source, []).append(target)
    return {
        source: sorted({*found[source]}, key=order.index)
        for source in order
        if source in found
    }


def _chain(states: Sequence[StateWord]) -> dict[str, list[str]]:
    """Each state leads to the next and back, and open ones to a pause or an end."""
    paused = [each.name for each in states if common(each.name) in PAUSED]
    given_up = [each.name for each in states if common(each.name) in GIVEN_UP]
    aside = {*paused, *given_up}
    names = [each.name for each in states if each.name not in aside]
    still_open = [
        each.name for each in states if each.name in names and each.role != DONE
    ]
    found = {NOTHING: names[:1] or [states[0].name]}
    for number, name in enumerate(names):
        around = [*names[number + 1 : number + 2], *names[max(number - 1, 0) : number]]
        found[name] = around + (paused + given_up if name in still_open else [])
    for name in paused:
        found[name] = still_open + given_up
    for name in given_up:
        found[name] = names[:1]
    return {name: targets for name, targets in found.items() if targets}


def _with_ways_out(
    states: Sequence[StateWord], steps: Mapping[str, Sequence[str]]
) -> dict[str, Sequence[str]]:
    """Add the usual steps from states that a short history never left."""
    usual = _chain(states) if all(known(each.name) for each in states) else {}
    ways = {
        each.name: usual.get(each.name, [ANY]) for each in states if each.role != DONE
    }
    found = {**ways, **steps}
    order = [NOTHING, *(each.name for each in states)]
    return {name: found[name] for name in order if name in found}


def basic_workflow(
    table: StatusTable, learned: LearnedSteps, how: str = '', taken: Container[str] = ()
) -> BasicWorkflow:
    states = states_of(table, learned)
    in_order = all(known(each.name) for each in states)
    if not how:
        moves = [pair for pair in learned.habits if pair[0] != NOTHING]
        how = LEARNED if moves else CHAIN if in_order else FREE
    # `any` does not include `nothing`: new items would be refused
    steps: Mapping[str, Sequence[str]] = {NOTHING: [ANY], ANY: [ANY]}
    if how == LEARNED:
        steps = _with_ways_out(states, _learned_steps(states, learned))
    elif how == CHAIN:
        steps = _chain(states)
    return BasicWorkflow(table, states, steps, how, _free_name(table, taken))


def misspelled(table: StatusTable) -> list[tuple[str, str]]:
    """The words of single rows that resemble a common word, with that word."""
    words = common_words(table)
    usual = [word for word, number in words.items() if number > 1 or known(word)]
    # `Phase A` and `Phase B` differ on purpose, and so do numbers
    rare = [
        word
        for word in words
        if word not in usual and re.fullmatch(r'[^\W\d]{2,}([ _-][^\W\d]{2,})*', word)
    ]
    found = [(word, nearest(word, usual, ALIKE)) for word in rare]
    return [pair for pair in found if pair[1]]


def kind_name(header: str) -> str:
    """`Feature Name` -> `feature`."""
    import unicodedata

    # separate accents from their letters: `Étape` -> `etape`
    letters = unicodedata.normalize('NFKD', header.lower())
    words = re.findall('[a-z][a-z0-9]*', re.sub('[\u0300-\u036f]', '', letters))
    # what follows a preposition is about the items, and not their name
    words = [*takewhile(lambda word: word not in PREPOSITIONS, words)]
    words = [word for word in words if word not in NAMELESS]
    *first, last = words[:2] or ['item']
    return '-'.join([*first, _singular(last)])


def _singular(word: str) -> str:
    if word.endswith(('ss', 'us', 'is')):
        return word
    elif word.endswith('ies') and len(word) > 4:
        return f'{word[:-3]}y'
    elif word.endswith(('sses', 'xes', 'ches', 'shes')):
        return word[:-2]
    return word.removesuffix('s')


def _free_name(table: StatusTable, taken: Container[str]) -> str:
    """The name of its kind of items, which no other table uses."""
    name = 'item' if table.is_foreign else kind_name(table.item)
    folder = kind_name(table.file.partition('/')[0])
    names = (name, f'{folder}-{name}', *(f'{name}-{number}' for number in range(2, 99)))
    return next(each for each in names if each not in taken)


def _state_line(state: StateWord) -> str:
    parts = [f'role: {state.role}'] if state.role != STAGE else []
    if state.emoji:
        parts.append(f'emoji: {scalar(state.emoji)}')
    if state.annotated:
        parts.append('annotation: true')
    if state.aliases:
        words = ', '.join(f"{scalar(word)}: ''" for word in state.aliases)
        parts.append(f'aliases: {{{words}}}')
    return f'{scalar(state.name)}: {{{", ".join(parts)}}}'


def _plural(kind: str) -> str:
    if kind.endswith('y') and kind[-2:-1] not in 'aeiou':
        return f'{kind[:-1]}ies'
    elif kind.endswith(('s', 'x', 'ch', 'sh')):
        return f'{kind}es'
    return f'{kind}s'


def _body(basic: BasicWorkflow, states: Sequence[str]) -> Iterator[str]:
    table, kind = basic.table, basic.kind
    yield 'items:'
    yield f'  {kind}:'
    yield '    # where the files of an item are, if it has any'
    yield f'    path: {_plural(kind)}/{{item}}'
    yield '    registry:'
    yield f'      file: {scalar(table.file)}'
    yield '      layout: distributed    # one row for each item'
    columns = f'item: {scalar(table.item)}, status: {scalar(table.status)}'
    yield f'      columns: {{{columns}}}'
    yield from states
    yield f'    # {STEPS_COMMENTS[basic.how]}'
    yield '    transitions:'
    for source, targets in basic.steps.items():
        yield f'      - {{from: {scalar(source)}, to: {flow_list(targets)}}}'
    if basic.frozen:
        done = [each.name for each in basic.states if each.role == DONE]
        yield '    # a file that must not change in these states'
        yield '    contracts:'
        yield f'      frozen: [{", ".join(map(scalar, done))}]'
        yield f'      files: {{spec: {{paths: [{scalar(basic.frozen)}]}}}}'


def lines_of(basic: BasicWorkflow, room: int = MOST_LINES) -> list[str]:
    """One line per state if they fit, else several states on a line."""
    states = [_state_line(each) for each in basic.states]
    roles = '' if all(known(each.name) for each in basic.states) else ROLES_COMMENT
    head = f'    states:{roles}'
    lines = [*_body(basic, [head, *(f'      {each}' for each in states)])]
    if len(lines) <= room:
        return lines
    return [*_body(basic, [f'    states: {{{roles}', *_filled(states), '    }'])]


def _filled(entries: Sequence[str]) -> Iterator[str]:
    """Fill lines with several entries, without breaking an entry."""
    line = ' ' * 6
    for entry in entries:
        if len(line) + len(entry) > WIDTH and line.strip():
            yield line.rstrip()
            line = ' ' * 6
        line += f'{entry}, '
    yield line.rstrip(' ,')
