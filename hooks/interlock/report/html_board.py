"""One HTML page without network access: the board, the history, the problems."""

from __future__ import annotations

import os
from collections import Counter
from html import escape

from interlock.model import quick_re as re
from interlock.model.finding import Finding
from interlock.model.quick_typing import Iterable, Iterator, NamedTuple, Sequence
from interlock.model.report import plural
from interlock.report.text import where
from interlock.rules.index import RULES

CODE_RE = re.compile('`([^`]+)`')
# the size of the picture of how many items were in each state, over time
WIDTH, HEIGHT = 720, 200
# the largest number of bars that can be told apart
MOST = 60
# distinguishable for colour-blind people, in light and dark mode
COLOURS = (
    '#4e79a7',
    '#f28e2b',
    '#76b7b2',
    '#59a14f',
    '#e15759',
    '#edc948',
    '#b07aa1',
    '#ff9da7',
    '#9c755f',
    '#bab0ac',
)

# the day, the item, and the state that it reached
Step = tuple[str, str, str]


def counts(steps: Sequence[Step]) -> list[tuple[str, Counter[str]]]:
    """How many items were in each state after each day with a change, oldest first."""
    states: dict[str, str] = {}
    number: Counter[str] = Counter()
    found: dict[str, Counter[str]] = {}
    last = ''
    for day, item, state in steps:
        # clocks may be wrong, so a day never precedes the last one
        last = max(day, last)
        number[states.get(item, '')] -= 1
        number[state] += 1
        states[item] = state
        found[last] = Counter({name: n for name, n in number.items() if name and n})
    days = list(found.items())
    # keeps the last day, which is the current state
    every = -(-len(days) // MOST) or 1
    return days[::-1][::every][::-1]


def _text(text: str) -> str:
    """Any text, escaped for a page."""
    return escape(text.encode(errors='backslashreplace').decode())


def _bars(
    days: Sequence[tuple[str, Counter[str]]], names: Sequence[str]
) -> Iterator[str]:
    most = max(sum(number.values()) for _, number in days) or 1
    wide = WIDTH / len(days)
    for at, (day, number) in enumerate(days):
        bottom = float(HEIGHT)
        for name in names:
            high = HEIGHT * number[name] / most
            if not high:
                continue
            bottom -= high
            colour = COLOURS[names.index(name) % len(COLOURS)]
            yield (
                f'<rect x="{at * wide:.1f}" y="{bottom:.1f}" '
                f'width="{max(wide - 1, 1):.1f}" height="{high:.1f}" fill="{colour}">'
                f'<title>{_text(f"{day}: {number[name]} {name}")}</title></rect>'
            )


def graph(steps: Sequence[Step], order: Sequence[str]) -> Iterator[str]:
    """The picture; `order` lists the states in their sequence."""
    days = counts(steps)
    if not days:
        return
    used = {state: None for _, _, state in steps if state}
    names = [name for name in dict.fromkeys([*order, *used]) if name in used]
    yield (
        f'<svg class="graph" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'preserveAspectRatio="none" aria-label="Items in each state over time">'
    )
    yield from _bars(days, names)
    # outside the picture, because on a phone they would shrink with it
    first, (last, number) = days[0][0], days[-1]
    now = f'{last}: {plural(sum(number.values()), "item")}'
    yield '</svg><p class="axis">'
    for text in (first, now) if first != last else (now,):
        yield f'<span>{_text(text)}</span>'
    yield '</p><p class="legend">'
    for at, name in enumerate(names):
        colour = COLOURS[at % len(COLOURS)]
        yield f'<span><i style="background: {colour}"></i>{_text(name)}</span>'
    yield '</p>'


class BoardLine(NamedTuple):
    item: str
    kind: str
    state: str
    handoff: str
    updated: str
    # days since the last update, None if no date is known
    age: int | None
    errors: int
    warnings: int


class Move(NamedTuple):
    """An item reached a state, or '' if it left the registry."""

    day: str
    item: str
    state: str
    commit: str
    # its name until then, if this renamed it
    was: str = ''


class Series(NamedTuple):
    """How often a rule was broken in each period."""

    # the name of the agreement, else the code
    name: str
    code: str
    counts: tuple[int, ...]


class Holder(NamedTuple):
    """The session or person that may change a task now."""

    task: str
    state: str
    # a description in words
    holder: str


class Wait(NamedTuple):
    """Something shown to the user, who has not answered yet."""

    task: str
    what: str
    since: str
    next: str


class Page(NamedTuple):
    title: str
    # numbers and facts at the top
    facts: tuple[str, ...]
    board: Sequence[BoardLine]
    moves: Sequence[Move]
    # the steps on the branch itself; a merge brings all its steps at once
    steps: Sequence[Step]
    # in the order of the workflow
    states: Sequence[str]
    periods: tuple[str, ...]
    series: Sequence[Series]
    findings: Sequence[Finding]
    # the holders of locks, and what waits for a person
    locks: Sequence[Holder] = ()
    waits: Sequence[Wait] = ()

    @property
    def codes(self) -> list[str]:
        """The rules that the page mentions."""
        broken = {each.code for each in self.findings}
        return sorted(broken | {each.code for each in self.series})


def _beside(name: str) -> str:
    """The content of a file that is part of every page."""
    with open(os.path.join(os.path.dirname(__file__), name), encoding='UTF-8') as f:
        return f.read()


def _prose(text: str) -> str:
    """Text in which words between backticks are code."""
    return CODE_RE.sub(lambda found: f'<code>{_bare(found[1])}</code>', _text(text))


def _bare(code: str) -> str:
    """A value of a markdown table without its markup, because a page has its own."""
    return code.replace('**', '')


def _command(command: str) -> str:
    return (
        f'<div class="command"><code>{_text(command)}</code>'
        f'<button class="copy">copy</button></div>'
    )


def _list(entries: Iterable[str]) -> Iterator[str]:
    yield '<ul class="plain">'
    yield from (f'<li>{entry}</li>' for entry in entries)
    yield '</ul>'


def _table(rows: Iterable[str]) -> Iterator[str]:
    yield '<div class="scroll"><table>'
    yield from (f'<tr>{row}</tr>' for row in rows)
    yield '</table></div>'


def age(line: BoardLine) -> str:
    """How long ago an item was updated, '' if unknown."""
    if line.age is None:
        return ''
    return (
        f'{plural(line.age, "day")} ago' if line.age >= 0 else f'dated {line.updated}'
    )


def _card(line: BoardLine, kind: str) -> str:
    handoff = f'handoff at {line.handoff}' if line.handoff else ''
    remarks = ''.join(
        f'<div class="dim">{_text(remark)}</div>'
        for remark in (kind, age(line), handoff)
        if remark
    )
    badges = ''.join(
        f'<div class="{severity}">{plural(number, severity)}</div>'
        for number, severity in ((line.errors, 'error'), (line.warnings, 'warning'))
        if number
    )
    name = f'<strong>{_text(line.item)}</strong>'
    return f'<div class="card">{name}{remarks}{badges}</div>'


def _columns(page: Page) -> dict[str, list[BoardLine]]:
    columns: dict[str, list[BoardLine]] = {}
    for line in page.board:
        columns.setdefault(line.state, []).append(line)
    return columns


def _board(page: Page) -> Iterator[str]:
    has_kinds = len({line.kind for line in page.board}) > 1
    yield '<div class="board">'
    for title, lines in _columns(page).items():
        yield (
            f'<section class="column"><h3>{_text(title)} '
            f'<span class="dim">{len(lines)}</span></h3>'
        )
        yield from (_card(line, line.kind if has_kinds else '') for line in lines)
        yield '</section>'
    yield '</div>'


def _said(move: Move) -> str:
    renamed = f', renamed from {move.was}' if move.was else ''
    return f'{move.state or "left"}{renamed}'


def _moves(page: Page) -> Iterator[str]:
    by_item: dict[str, list[Move]] = {}
    for move in page.moves:
        if move.was:
            # its steps go on under the new name
            by_item.setdefault(move.item, []).extend(by_item.pop(move.was, []))
        by_item.setdefault(move.item, []).append(move)
    for item, moves in sorted(by_item.items()):
        steps = ' '.join(
            f'<span class="step" title="{_text(move.commit)}">'
            f'{_text(_said(move))} <span class="dim">{_text(move.day)}</span></span>'
            for move in moves
        )
        yield f'<th>{_text(item)}</th><td>{steps}</td>'


def _cell(number: int, most: int) -> str:
    if not number:
        return '<td class="n dim">·</td>'
    share = 0.15 + 0.5 * number / most
    colour = f'background: rgba(var(--mark), {share:.2f})'
    return f'<td class="n" style="{colour}">{number}</td>'


def _link(name: str, code: str) -> str:
    title = _text(RULES[code].title)
    return f'<a href="#{code}" title="{title}">{_text(name)}</a>'


def _series(page: Page) -> Iterator[str]:
    most = max((max(one.counts) for one in page.series), default=1)
    heads = ''.join(f'<th class="n">{_text(each)}</th>' for each in page.periods)
    yield f'<th>rule</th>{heads}<th class="n">all</th>'
    for one in page.series:
        cells = ''.join(_cell(number, most) for number in one.counts)
        yield (
            f'<td>{_link(one.name, one.code)} {_text(RULES[one.code].title)}</td>'
            f'{cells}<td class="n">{sum(one.counts)}</td>'
        )


def _findings(page: Page) -> Iterator[str]:
    for one in page.findings:
        yield (
            f'<span class="{one.severity}">{one.severity}</span> '
            f'{_link(one.rule or one.code, one.code)} '
            f'<strong>{_text(one.item)}</strong>: {_prose(one.message)}'
            f'<div class="dim">{_text(where(one))}</div>'
            f'<div>{_prose(one.fix.label)}</div>'
            f'{_command(one.fix.command) if one.fix.command else ""}'
        )


def _locks(page: Page) -> Iterator[str]:
    for one in page.locks:
        state = f'<span class="step">{_text(one.state)}</span>'
        yield (
            f'<strong>{_text(one.task)}</strong> {state if one.state else ""} '
            f'<span class="dim">held by {_text(one.holder)}</span>'
        )


def _waits(page: Page) -> Iterator[str]:
    for one in page.waits:
        yield (
            f'<strong>{_text(one.task)}</strong>: the {_text(one.what)} '
            f'<span class="dim">since {_text(one.since)}</span>{_command(one.next)}'
        )


def _rules(page: Page) -> Iterator[str]:
    yield '<dl>'
    for code in page.codes:
        rule = RULES[code]
        yield (
            f'<div id="{code}"><dt>{code} {_prose(rule.title)}</dt>'
            f'<dd>{_prose(rule.why)}</dd><dd>{_prose(rule.fix)}</dd></div>'
        )
    yield '</dl>'


def render_page(page: Page) -> str:
    parts = [
        '<!doctype html>',
        '<html lang="en">',
        '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width">',
        f'<title>{_text(page.title)}</title>',
        f'<style>\n{_beside("page.css")}</style>',
        f'<h1>{_text(page.title)}</h1>',
        f'<p class="dim">{_text(" · ".join(page.facts))}</p>',
        '<input class="find" type="search" placeholder="Find an item, a rule, a file" '
        'aria-label="Find">',
    ]
    history, steps = 'Broken rules over the history', page.steps
    for title, content, lines, none in (
        # what needs action comes first
        ('Wrong now', page.findings, _list(_findings(page)), 'no findings'),
        ('Waiting for a person', page.waits, _list(_waits(page)), 'nothing is waiting'),
        ('Items by state', page.board, _board(page), 'no items'),
        ('Locks', page.locks, _list(_locks(page)), 'no lock is held'),
        (
            'States over time',
            steps,
            graph(steps, [*page.states, *_columns(page)]),
            'no steps',
        ),
        ('Steps of each item', page.moves, _table(_moves(page)), 'no steps'),
        (history, page.series, _table(_series(page)), 'no rule was ever broken'),
        ('Rules', page.codes, _rules(page), 'no rule is broken'),
    ):
        parts.append(f'<h2>{title}</h2>')
        if content:
            parts.extend(lines)
        else:
            parts.append(f'<p class="fine">{none}</p>')
    parts.append(f'<script>\n{_beside("page.js")}</script>')
    return '\n'.join(parts) + '\n</html>\n'
