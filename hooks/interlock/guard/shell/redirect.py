"""Redirections, and the simple command that they belong to."""

from __future__ import annotations

from interlock.documents.shell_syntax import (
    Node,
    errors,
    is_herestring,
    parse,
    source,
    words,
)
from interlock.guard.shell.assign import assign, value_of
from interlock.guard.shell.expand import all_fields, fields, inside
from interlock.guard.shell.guarded_variables import given
from interlock.guard.shell.heredocs import as_string
from interlock.guard.shell.path_patterns import place
from interlock.guard.shell.placeholders import ANY, HERE, SOME, is_plain, shown
from interlock.guard.shell.state import State

REDIRECTS = ('file_redirect', 'herestring_redirect')


class Streams:
    """What the redirections of one command say."""

    def __init__(self, fed: str | None) -> None:
        self.fed = fed
        self.file = ''
        # operator, does it take what is printed, the file
        self.written: list[tuple[str, bool, str]] = []
        # words that the grammar takes for a part of the redirection
        self.more: list[Node] = []


def content(text: str) -> bytes | None:
    return text.encode('UTF-8', 'replace') if is_plain(text) else None


def _heredoc(state: State, word: str) -> str:
    number = word.removeprefix(HERE)
    if not number.isdigit():
        # the grammar took something behind it for a part of its name
        return ANY
    text, quoted = state.shared.heredocs[int(number)]
    if quoted or not any(mark in text for mark in '$`\\'):
        return text
    root = parse(as_string(text, state.shared.heredocs))
    for node in [*errors(root), *root.children][:1]:
        while node.type != 'string' and node.children:
            node = node.children[0]
        if node.type == 'string':
            return inside(state, node)[1:-1]
    return ANY


def _file(state: State, node: Node, streams: Streams, text: bool) -> None:
    targets = list(words(node.children_by_field_name('destination')))
    for group in targets[1:]:
        streams.more.extend(group)
    found = fields(state, targets[0]) if targets else []
    word = found[0] if found else ''
    signs = ''.join(
        source(each)
        for each in node.children
        if each.type == 'ERROR' or not each.is_named
    )
    descriptor = node.child_by_field_name('descriptor')
    number = source(descriptor) if descriptor is not None else ''
    if text:
        streams.fed = f'{word}\n'
    elif word.startswith(HERE):
        streams.fed = _heredoc(state, word)
    elif signs == '<':
        source_ = place(state.cwd, word)
        streams.file = source_.path if source_ and not source_.glob else ''
        # what the line itself has written is known
        known = state.shared.files.get(streams.file)
        streams.fed = (
            known
            if known is not None
            else (ANY if word.startswith('/dev/fd/') else SOME)
        )
    elif '>' in signs and word and not _is_descriptor(signs, word):
        streams.written.append((signs, number in ('', '1'), word))


def _is_descriptor(signs: str, word: str) -> bool:
    return signs.endswith('&') and (word.rstrip('-').isdigit() or word == '-')


def _gather(state: State, nodes: list[Node], streams: Streams) -> None:
    for at, node in enumerate(nodes):
        if node.type == 'file_redirect':
            before = nodes[at - 1] if at else node
            _file(state, node, streams, is_herestring(before, node))
        elif node.type == 'herestring_redirect':
            found = all_fields(state, node.children[1:])
            streams.fed = f'{" ".join(found)}\n'


def redirected(
    state: State, body: Node | None, redirects: list[Node], above: Node | None = None
) -> str:
    """Runs what is redirected; what it prints, unless that goes to a file."""
    streams = Streams(state.stdin)
    own = body.children if body is not None and body.type == 'command' else []
    _gather(state, [*own, *redirects], streams)
    before = state.stdin, state.stdin_file
    if streams.fed is not state.stdin:
        state.stdin, state.stdin_file = streams.fed, streams.file
    if body is None:
        printed = ''
    elif body.type == 'command':
        printed = _simple(
            state,
            body,
            [*_lost(body, redirects, above), *all_fields(state, streams.more)],
        )
    else:
        printed = state.walk(body)
    state.stdin, state.stdin_file = before
    for how, takes, word in streams.written:
        # `<>` writes over the beginning alone
        whole = takes and how != '<>'
        state.writes(word, how, content(printed) if whole else None)
        found = place(state.cwd, word)
        if takes and found and not found.glob and not is_plain(printed):
            # as much of it as is known: it may be run next
            state.keep(found.path, shown(printed), how)
    return '' if any(takes for _, takes, _ in streams.written) else printed


def _lost(body: Node, redirects: list[Node], above: Node | None) -> list[str]:
    """The grammar forgets a `-` in front of `2>`."""
    if not redirects or above is None:
        return []
    data = above.text or b''
    gap = data[
        body.end_byte - above.start_byte : redirects[0].start_byte - above.start_byte
    ]
    return ['-'] if gap.strip() == b'-' else []


def _simple(state: State, node: Node, more: list[str]) -> str:
    """A command: its assignments, its name, its arguments."""
    assignments, found = [], []
    for each in node.children:
        if each.type == 'variable_assignment':
            assignments.append(each)
        elif each.type == 'command_name':
            found.extend(each.children)
        elif each.type not in REDIRECTS:
            found.append(each)
    line = [*all_fields(state, found), *more]
    if not line:
        for each in assignments:
            assign(state, each)
        return ''
    return _with(state, [value_of(state, each) for each in assignments], line)


def _with(state: State, given_: list[tuple[str, str]], line: list[str]) -> str:
    """The command has these variables, the shell does not keep them."""
    if not given_:
        return state.run(line)
    count, before = state.count, state.variables
    state.variables = {**before, **dict(given_)}
    printed = state.run(line)
    state.variables = before
    for name, value in given_:
        given(state, name, value, f'{name}=', count)
    return printed
