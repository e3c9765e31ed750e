"""One HTML page without network: the board, the history, what is wrong."""

from __future__ import annotations

from html import escape

from interlock.model import quick_re as re
from interlock.model.quick_typing import Iterator, NamedTuple, Sequence
from interlock.model.report import plural
from interlock.report.html_graph import graph

STYLE = """
:root { color-scheme: light dark; --fg: #1b1f24; --dim: #59636e;
  --bg: #ffffff; --card: #f6f8fa; --line: #d1d9e0; --bad: #cf222e;
  --warn: #9a6700; --good: #1a7f37; --mark: 9, 105, 218; }
@media (prefers-color-scheme: dark) { :root { --fg: #e6edf3; --dim: #9198a1;
  --bg: #0d1117; --card: #161b22; --line: #3d444d; --bad: #ff7b72;
  --warn: #d29922; --good: #3fb950; --mark: 56, 139, 253; } }
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 72rem; padding: 1rem; color: var(--fg);
  background: var(--bg); font: 16px/1.5 system-ui, sans-serif }
h1 { font-size: 1.5rem; margin: .5rem 0 } h2 { font-size: 1.15rem;
  margin: 2rem 0 .5rem; border-bottom: 1px solid var(--line) }
h3 { font-size: .95rem; margin: 0 0 .5rem } .dim { color: var(--dim) }
.error { color: var(--bad) } .warning { color: var(--warn) }
.fine { color: var(--good) } code { overflow-wrap: anywhere }
.board { display: grid; gap: .75rem;
  grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)) }
.column, .card { border: 1px solid var(--line); border-radius: .4rem }
.column { padding: .6rem; background: var(--card) }
.card { padding: .4rem .6rem; margin: .4rem 0; background: var(--bg);
  overflow-wrap: anywhere }
.scroll { overflow-x: auto } table { border-collapse: collapse }
td, th { padding: .25rem .6rem; text-align: left; vertical-align: top;
  border-bottom: 1px solid var(--line) }
td.n { text-align: right; font-variant-numeric: tabular-nums }
.step { display: inline-block; margin: .1rem .3rem .1rem 0; padding: 0 .45rem;
  border: 1px solid var(--line); border-radius: 1rem; font-size: .85rem }
input.find { width: 100%; padding: .45rem .6rem; font: inherit; color: inherit;
  background: var(--card); border: 1px solid var(--line); border-radius: .4rem }
.command { display: flex; gap: .5rem; align-items: baseline; margin: .2rem 0 }
.command code { flex: 1; padding: .15rem .45rem; background: var(--card);
  border: 1px solid var(--line); border-radius: .3rem }
button { font: inherit; font-size: .85rem; padding: .1rem .6rem; color: inherit;
  background: var(--bg); border: 1px solid var(--line); border-radius: .3rem;
  cursor: pointer }
a { color: rgb(var(--mark)) } dt { font-weight: 600; margin-top: .8rem }
dd { margin: 0 0 0 1rem } [hidden] { display: none !important }
svg.graph { width: 100%; height: auto; max-height: 18rem }
.axis { display: flex; justify-content: space-between; margin: .2rem 0 .6rem;
  color: var(--dim); font-size: .85rem }
.legend span { display: inline-block; margin-right: 1rem }
.legend i { display: inline-block; width: .8rem; height: .8rem;
  margin-right: .3rem; border-radius: .15rem }
ul.plain { list-style: none; padding: 0 } ul.plain li { margin: .4rem 0;
  overflow-wrap: anywhere }
"""


# finds as one types, and copies a command; without it the page is only read
SCRIPT = """
const all = document.querySelectorAll('.card, ul.plain li, table tr, dl > div');
document.querySelector('input.find').addEventListener('input', e => {
  const word = e.target.value.toLowerCase();
  for (const one of all) {
    if (one.querySelector('th') && !one.querySelector('td')) continue;
    one.hidden = !one.textContent.toLowerCase().includes(word);
  }
});
document.addEventListener('click', e => {
  if (!e.target.matches('button.copy')) return;
  const code = e.target.previousElementSibling, range = document.createRange();
  range.selectNodeContents(code);
  const chosen = getSelection();
  chosen.removeAllRanges();
  chosen.addRange(range);
  e.target.textContent = document.execCommand('copy') ? 'copied' : 'press Ctrl+C';
});
"""
CODE_RE = re.compile('`([^`]+)`')


class Card(NamedTuple):
    item: str
    # in words
    remarks: tuple[str, ...]
    errors: int
    warnings: int


class Move(NamedTuple):
    """An item reached a state."""

    day: str
    item: str
    state: str
    commit: str


class Trouble(NamedTuple):
    severity: str
    # the agreement, else the code
    name: str
    title: str
    item: str
    message: str
    # what a person does, and the command for it, '' where there is none
    step: str
    command: str
    # file and line, and the rule
    place: str = ''
    code: str = ''


class RuleText(NamedTuple):
    """Why there is a rule, and how what breaks it is fixed."""

    code: str
    title: str
    why: str
    fix: str


class Series(NamedTuple):
    """How often a rule was broken, in each period."""

    name: str
    title: str
    counts: tuple[int, ...]


class Holder(NamedTuple):
    """Who may change a task now."""

    task: str
    state: str
    # in words
    holder: str


class Wait(NamedTuple):
    """What was shown to the user, who has not answered yet."""

    task: str
    what: str
    since: str
    next: str


class Page(NamedTuple):
    title: str
    # numbers and facts at the top
    facts: tuple[str, ...]
    # a title of a column, and its cards
    board: Sequence[tuple[str, Sequence[Card]]]
    moves: Sequence[Move]
    periods: tuple[str, ...]
    series: Sequence[Series]
    troubles: Sequence[Trouble]
    # who holds what, and what waits for a person
    locks: Sequence[Holder] = ()
    waits: Sequence[Wait] = ()
    # those that the page speaks of
    rules: Sequence[RuleText] = ()


def _text(text: str) -> str:
    return escape(text.encode(errors='backslashreplace').decode())


def _prose(text: str) -> str:
    """Text in which words between backticks are code."""
    return CODE_RE.sub(lambda found: f'<code>{found[1]}</code>', _text(text))


def _command(command: str) -> str:
    return (
        f'<div class="command"><code>{_text(command)}</code>'
        f'<button class="copy">copy</button></div>'
    )


def _card(card: Card) -> str:
    remarks = ''.join(
        f'<div class="dim">{_text(remark)}</div>' for remark in card.remarks
    )
    badges = ''.join(
        f'<div class="{severity}">{plural(number, severity)}</div>'
        for number, severity in ((card.errors, 'error'), (card.warnings, 'warning'))
        if number
    )
    name = f'<strong>{_text(card.item)}</strong>'
    return f'<div class="card">{name}{remarks}{badges}</div>'


def _board(page: Page) -> Iterator[str]:
    yield '<div class="board">'
    for title, cards in page.board:
        yield (
            f'<section class="column"><h3>{_text(title)} '
            f'<span class="dim">{len(cards)}</span></h3>'
        )
        yield from map(_card, cards)
        yield '</section>'
    yield '</div>'


def _moves(page: Page) -> Iterator[str]:
    by_item: dict[str, list[Move]] = {}
    for move in page.moves:
        by_item.setdefault(move.item, []).append(move)
    yield '<div class="scroll"><table>'
    for item, moves in sorted(by_item.items()):
        steps = ' '.join(
            f'<span class="step" title="{_text(move.commit)}">'
            f'{_text(move.state)} <span class="dim">{_text(move.day)}</span>'
            f'</span>'
            for move in moves
        )
        yield f'<tr><th>{_text(item)}</th><td>{steps}</td></tr>'
    yield '</table></div>'


def _cell(number: int, most: int) -> str:
    if not number:
        return '<td class="n dim">·</td>'
    share = 0.15 + 0.5 * number / most
    colour = f'background: rgba(var(--mark), {share:.2f})'
    return f'<td class="n" style="{colour}">{number}</td>'


def _named(one: Series, page: Page) -> str:
    if one.name in {rule.code for rule in page.rules}:
        return f'<a href="#{one.name}">{one.name}</a>'
    return f'<code>{_text(one.name)}</code>'


def _series(page: Page) -> Iterator[str]:
    most = max((max(one.counts) for one in page.series), default=1)
    heads = ''.join(f'<th>{_text(period)}</th>' for period in page.periods)
    yield '<div class="scroll"><table>'
    yield f'<tr><th>rule</th>{heads}<th>all</th></tr>'
    for one in page.series:
        cells = ''.join(_cell(number, most) for number in one.counts)
        yield (
            f'<tr><td>{_named(one, page)} {_text(one.title)}</td>{cells}'
            f'<td class="n">{sum(one.counts)}</td></tr>'
        )
    yield '</table></div>'


def _troubles(page: Page) -> Iterator[str]:
    yield '<ul class="plain">'
    for one in page.troubles:
        yield (
            f'<li><span class="{one.severity}">{one.severity}</span> '
            f'<a href="#{one.code}" title="{_text(one.title)}">{_text(one.name)}</a> '
            f'<strong>{_text(one.item)}</strong>: {_prose(one.message)}'
            f'<div class="dim">{_text(one.place)}</div>'
            f'<div>{_prose(one.step)}</div>'
            f'{_command(one.command) if one.command else ""}</li>'
        )
    yield '</ul>'


def _locks(page: Page) -> Iterator[str]:
    yield '<ul class="plain">'
    for one in page.locks:
        state = f'<span class="step">{_text(one.state)}</span>'
        yield (
            f'<li><strong>{_text(one.task)}</strong> '
            f'{state if one.state else ""} '
            f'<span class="dim">held by {_text(one.holder)}</span></li>'
        )
    yield '</ul>'


def _waits(page: Page) -> Iterator[str]:
    yield '<ul class="plain">'
    for one in page.waits:
        yield (
            f'<li><strong>{_text(one.task)}</strong>: the {_text(one.what)} '
            f'<span class="dim">since {_text(one.since)}</span>'
            f'{_command(one.next)}</li>'
        )
    yield '</ul>'


def _rules(page: Page) -> Iterator[str]:
    yield '<dl>'
    for one in page.rules:
        yield (
            f'<div id="{one.code}"><dt>{one.code} {_prose(one.title)}</dt>'
            f'<dd>{_prose(one.why)}</dd><dd>{_prose(one.fix)}</dd></div>'
        )
    yield '</dl>'


def _graph(page: Page) -> Iterator[str]:
    steps = [(move.day, move.item, move.state) for move in page.moves]
    yield from graph(steps, [title for title, _ in page.board])


def render_page(page: Page) -> str:
    parts = [
        '<!doctype html>',
        '<html lang="en">',
        '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width">',
        f'<title>{_text(page.title)}</title>',
        f'<style>{STYLE}</style>',
        f'<h1>{_text(page.title)}</h1>',
        f'<p class="dim">{_text(" · ".join(page.facts))}</p>',
        '<input class="find" type="search" placeholder="Find an item, a rule, a file" '
        'aria-label="Find">',
    ]
    for title, content, lines, none in (
        # first what somebody has to do
        ('Wrong now', page.troubles, _troubles(page), 'nothing'),
        ('Waiting for a person', page.waits, _waits(page), 'nothing waits'),
        ('Items by state', page.board, _board(page), 'no item'),
        ('Locks', page.locks, _locks(page), 'none is held'),
        ('States over time', page.moves, _graph(page), 'no step'),
        ('Steps of each item', page.moves, _moves(page), 'no step'),
        (
            'Broken rules over the history',
            page.series,
            _series(page),
            'none was ever broken',
        ),
        ('Rules', page.rules, _rules(page), 'no rule is broken'),
    ):
        parts.append(f'<h2>{title}</h2>')
        if content:
            parts.extend(lines)
        else:
            parts.append(f'<p class="fine">{none}</p>')
    parts.append(f'<script>{SCRIPT}</script>')
    return '\n'.join(parts) + '\n</html>\n'
