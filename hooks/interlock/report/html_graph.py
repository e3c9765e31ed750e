"""How many items were in each state, over time, as a picture."""

from __future__ import annotations

from collections import Counter
from html import escape

from interlock.model.quick_typing import Iterator, Sequence
from interlock.model.report import plural

WIDTH, HEIGHT = 720, 200
# bars that can still be told apart
MOST = 60
# told apart by people who see few colours, too; light and dark
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
    """After each day on which something moved: the items in each state."""
    states: dict[str, str] = {}
    found: dict[str, Counter[str]] = {}
    for day, item, state in sorted(steps, key=lambda step: step[0]):
        states[item] = state
        found[day] = Counter(states.values())
    days = list(found.items())
    # the last one is where things stand
    every = -(-len(days) // MOST) or 1
    return days[::-1][::every][::-1]


def plain(text: str) -> str:
    """Any text, as text of a page."""
    return escape(text.encode(errors='backslashreplace').decode())


def _bars(
    days: Sequence[tuple[str, Counter[str]]], names: Sequence[str]
) -> Iterator[str]:
    most = max(sum(number.values()) for _, number in days)
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
                f'<title>{plain(f"{day}: {number[name]} {name}")}</title></rect>'
            )


def graph(steps: Sequence[Step], order: Sequence[str]) -> Iterator[str]:
    """`order` are the states of the board, which come first."""
    days = counts(steps)
    if not days:
        return
    names = list(dict.fromkeys([*order, *(state for _, _, state in steps)]))
    yield (
        f'<svg class="graph" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="Items in each state over time">'
    )
    yield from _bars(days, names)
    # not in the picture: on a phone they would shrink with it
    first, (last, number) = days[0][0], days[-1]
    now = f'{last}: {plural(sum(number.values()), "item")}'
    yield '</svg><p class="axis">'
    for text in (first, now) if first != last else (now,):
        yield f'<span>{plain(text)}</span>'
    yield '</p><p class="legend">'
    for at, name in enumerate(names):
        colour = COLOURS[at % len(COLOURS)]
        yield f'<span><i style="background: {colour}"></i>{plain(name)}</span>'
    yield '</p>'
