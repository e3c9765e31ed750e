"""Walks statements: lists, pipelines, loops, functions, redirections, commands."""

from __future__ import annotations

from interlock.documents.shell_syntax import errors, is_herestring, parse, source, words
from interlock.guard.shell.expand import (
    expand_string,
    expand_value,
    expand_word,
    expand_words,
    run_nested,
)
from interlock.guard.shell.heredocs import as_string, take_out_heredocs
from interlock.guard.shell.hook_skipping import (
    is_passed_on,
    is_posing,
    judge_arithmetic,
    judge_assigned,
    judge_given_variable,
    judge_variable,
)
from interlock.guard.shell.path_patterns import resolve
from interlock.guard.shell.state import Shell, TooComplex
from interlock.guard.shell.words import (
    ANY,
    HERE,
    SOME,
    SUBSCRIPT,
    is_known,
    is_plain,
    shown,
)
from interlock.model.quick_typing import Callable, Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.documents.shell_syntax import Node

# in characters; a longer text is a file rather than a command
LIMIT = 256 * 1024
# a loop over more words than this is read once, for any of its words
ROUNDS = 40
REDIRECTS = ('file_redirect', 'herestring_redirect')


def read_text(shell: Shell, text: str) -> str:
    if len(text) > LIMIT:
        raise TooComplex('it is too long')
    text = take_out_heredocs(text.replace('\0', ''), shell.shared.heredocs)
    root = parse(text)
    for error in errors(root):
        found = source(error) or text
        part = ' '.join(found.split())[:40]
        shell.unknown(f'the shell syntax is not understood near `{part}`')
        break
    return walk(shell, root)


def walk(shell: Shell, node: Node) -> str:
    """Add the effects of a node to the shell, and return its output."""
    shell.spend('it is too long')
    with shell.shared:  # one level deeper
        return STATEMENTS.get(node.type, _sequence)(shell, node)


def _each(shell: Shell, nodes: Sequence[Node]) -> str:
    return ''.join([walk(shell, node) for node in nodes if node.is_named])


def _sequence(shell: Shell, node: Node) -> str:
    return _each(shell, node.children)


def _members(node: Node) -> list[Node]:
    """The members of `a && b || c`, whose tree is as deep as the list is long."""
    found: list[Node] = []
    while node.type == 'list':
        found.extend(reversed(node.children[1:]))
        node = node.children[0]
    return [node, *reversed(found)]


def _pipeline(shell: Shell, node: Node) -> str:
    """Each part reads the output of the part before it."""
    fed = shell.stdin
    for each in node.children:
        if each.is_named:
            part = shell.child()
            part.stdin = fed
            if fed is not shell.stdin:
                part.stdin_file = ''
            fed = walk(part, each)
    return fed or ''


def _branches(shell: Shell, node: Node) -> str:
    """After a branch, a variable that it sets has the new value or the old one."""
    before = dict(shell.variables)
    found = _sequence(shell, node)
    for name, now in shell.variables.items():
        if before.get(name) != now:
            shell.variables[name] = ANY
    return ANY if found else ''


def _repeat(shell: Shell, node: Node, how: Callable[[Shell, Node], str] = walk) -> str:
    """Read what runs an unknown number of times."""
    before, shell.is_repeated = shell.is_repeated, True
    found = how(shell, node)
    shell.is_repeated = before
    return found


def _while(shell: Shell, node: Node) -> str:
    return _repeat(shell, node, _branches) or ANY


def _case(shell: Shell, node: Node) -> str:
    run_nested(shell, node.children_by_field_name('value'))
    found = [
        _branches(shell, each) for each in node.children if each.type == 'case_item'
    ]
    return ANY if any(found) else ''


def _for(shell: Shell, node: Node) -> str:
    name = node.child_by_field_name('variable')
    body = node.child_by_field_name('body')
    if name is None or body is None:
        return _sequence(shell, node)
    values = node.children_by_field_name('value')
    found = expand_words(shell, values)
    if not values:
        found = shell.arrays.get('@', [ANY])
    for word in found if len(found) <= ROUNDS else [ANY]:
        judge_assigned(shell, source(name), 'for', word)
        shell.variables[source(name)] = word
        (walk if is_known(word) else _repeat)(shell, body)
    return ANY


def _counting(shell: Shell, node: Node) -> str:
    """`for ((i = 0; …))`"""
    body = node.child_by_field_name('body')
    others = [each for each in node.children if each != body]
    run_nested(shell, others)
    for each in others:
        if each.type == 'variable_assignment':
            _assign(shell, each)
            shell.variables.update(dict.fromkeys(shell.variables, ANY))
    return ANY if body is not None and _repeat(shell, body) else ''


def _function(shell: Shell, node: Node) -> str:
    for name in node.children_by_field_name('name'):
        shell.functions[source(name)] = node
    return ''


def call_function(shell: Shell, node: Node, args: list[str]) -> str:
    """Run a function that the command line defines."""
    before = shell.arrays
    shell.arrays = {**before, '@': args}
    body = node.child_by_field_name('body')
    found = _run_redirected(shell, body, node.children_by_field_name('redirect'))
    shell.arrays = before
    return found


def _redirection(shell: Shell, node: Node) -> str:
    body = node.child_by_field_name('body')
    others = [each for each in node.children if each != body]
    if body is None or body.type != 'list':
        return _run_redirected(shell, body, others, node)
    # the grammar attaches the redirection of the last command to the whole list
    *first, last = _members(body)
    printed = _each(shell, first)
    return printed + _run_redirected(shell, last, others, node)


def _expression(shell: Shell, node: Node) -> str:
    run_nested(shell, [node])
    if node.type != 'test_command':
        judge_arithmetic(shell, source(node))
    if SUBSCRIPT.search(source(node)):
        # the shell runs commands in an index even inside quotes
        shell.child().text(f'echo "{source(node)}"')
    return ''


class Streams:
    """The redirections of one command."""

    def __init__(self, fed: str | None) -> None:
        self.fed = fed
        self.file = ''
        # operator, whether the output goes there, the file
        self.written: list[tuple[str, bool, str]] = []
        # words that the grammar takes for part of the redirection
        self.more: list[Node] = []

    def gather(self, shell: Shell, nodes: list[Node]) -> None:
        for at, node in enumerate(nodes):
            if node.type == 'file_redirect':
                before = nodes[at - 1] if at else node
                self._file(shell, node, is_herestring(before, node))
            elif node.type == 'herestring_redirect':
                found = expand_words(shell, node.children[1:])
                self.fed = f'{" ".join(found)}\n'

    def _file(self, shell: Shell, node: Node, herestring: bool) -> None:
        targets = list(words(node.children_by_field_name('destination')))
        for group in targets[1:]:
            self.more.extend(group)
        found = expand_word(shell, targets[0]) if targets else []
        word = found[0] if found else ''
        signs = ''.join(
            source(each)
            for each in node.children
            if each.type == 'ERROR' or not each.is_named
        )
        if herestring:
            self.fed = f'{word}\n'
        elif word.startswith(HERE):
            self.fed = _heredoc(shell, word)
        elif signs == '<':
            self._input(shell, word)
        elif '>' in signs and word and not _is_descriptor(signs, word):
            descriptor = node.child_by_field_name('descriptor')
            takes = descriptor is None or source(descriptor) in ('', '1')
            self.written.append((signs, takes, word))

    def _input(self, shell: Shell, word: str) -> None:
        found = resolve(shell.cwd, word)
        self.file = found.path if found and not found.glob else ''
        # text that the command line itself wrote is known
        known = shell.shared.files.get(self.file)
        unknown = ANY if word.startswith('/dev/fd/') else SOME
        self.fed = unknown if known is None else known


def _is_descriptor(signs: str, word: str) -> bool:
    return signs.endswith('&') and (word.rstrip('-').isdigit() or word == '-')


def _heredoc(shell: Shell, word: str) -> str:
    number = word.removeprefix(HERE)
    if not number.isdigit():
        # the grammar took a following word for part of the name
        return ANY
    text, quoted = shell.shared.heredocs[int(number)]
    if quoted or not any(mark in text for mark in '$`\\'):
        return text
    root = parse(as_string(text, shell.shared.heredocs))
    for node in [*errors(root), *root.children][:1]:
        while node.type != 'string' and node.children:
            node = node.children[0]
        if node.type == 'string':
            return expand_string(shell, node)[1:-1]
    return ANY


def known_bytes(text: str) -> bytes | None:
    return text.encode('UTF-8', 'replace') if is_plain(text) else None


def _run_redirected(
    shell: Shell, body: Node | None, redirects: list[Node], above: Node | None = None
) -> str:
    """Run a redirected statement; return its output, unless that goes to a file."""
    streams = Streams(shell.stdin)
    own = body.children if body is not None and body.type == 'command' else []
    streams.gather(shell, [*own, *redirects])
    before = shell.stdin, shell.stdin_file
    if streams.fed is not shell.stdin:
        shell.stdin, shell.stdin_file = streams.fed, streams.file
    if body is None:
        printed = ''
    elif body.type == 'command':
        lost = _lost(body, redirects, above)
        printed = _run_simple(shell, body, [*lost, *expand_words(shell, streams.more)])
    else:
        printed = walk(shell, body)
    shell.stdin, shell.stdin_file = before
    for how, takes, word in streams.written:
        # `<>` overwrites only the beginning
        whole = takes and how != '<>'
        shell.writes(word, how, known_bytes(printed) if whole else None)
        found = resolve(shell.cwd, word)
        if takes and found and not found.glob and not is_plain(printed):
            # keep as much as is known, because it may be run next
            shell.keep(found.path, shown(printed), how)
    return '' if any(takes for _, takes, _ in streams.written) else printed


def _lost(body: Node, redirects: list[Node], above: Node | None) -> list[str]:
    """Restore a `-` before `2>`, which the grammar drops."""
    if not redirects or above is None:
        return []
    start, end = body.end_byte, redirects[0].start_byte
    gap = (above.text or b'')[start - above.start_byte : end - above.start_byte]
    return ['-'] if gap.strip() == b'-' else []


def _run_simple(shell: Shell, node: Node, more: list[str]) -> str:
    """Run a simple command: assignments, a name, arguments."""
    assignments, found = [], []
    for each in node.children:
        if each.type == 'variable_assignment':
            assignments.append(each)
        elif each.type == 'command_name':
            found.extend(each.children)
        elif each.type not in REDIRECTS:
            found.append(each)
    line = [*expand_words(shell, found), *more]
    if not line:
        for each in assignments:
            _assign(shell, each)
        return ''
    return run_with(shell, [_value_of(shell, each) for each in assignments], line)


def run_with(
    shell: Shell, variables: list[tuple[str, str]], line: list[str], how: str = ''
) -> str:
    """Run a command with variables that the shell does not keep."""
    if not variables:
        return shell.run(line)
    count, before = len(shell.effects), shell.variables
    shell.variables = {**before, **dict(variables)}
    printed = shell.run(line)
    shell.variables = before
    for name, value in variables:
        judge_given_variable(shell, name, value, how or f'{name}=', count)
    return printed


def _value_of(shell: Shell, node: Node) -> tuple[str, str]:
    """The name and the value of `a=b`; an array is stored as well."""
    left = node.child_by_field_name('name')
    right = node.child_by_field_name('value')
    name = source(left).partition('[')[0] if left is not None else ''
    added = any(each.type == '+=' for each in node.children)
    if right is not None and right.type == 'array':
        values = expand_words(shell, right.named_children)
        before = shell.arrays.get(name, []) if added else []
        shell.arrays[name] = [*before, *values]
        return name, ' '.join(values[:1])
    value = expand_value(shell, [right]) if right is not None else ''
    if left is not None and left.type == 'subscript':
        run_nested(shell, left.children)
        shell.arrays[name] = [*shell.arrays.get(name, []), value]
    if added:
        old = shell.value(name)
        value = (ANY if old is None else old) + value
    return name, value


def _assign(shell: Shell, node: Node) -> str:
    """Assign; this reaches only programs that already get the variable."""
    name, value = _value_of(shell, node)
    right = node.child_by_field_name('value')
    if right is None or right.type != 'array':
        shell.arrays.pop(name, None)
    shell.variables[name] = value
    if SUBSCRIPT.search(value):
        # the shell runs it when it evaluates the index
        shell.child().text(f'echo "{value}"')
    if is_passed_on(shell, name) or is_posing(name):
        judge_variable(shell, name, value, f'{name}=')
    return ''


def _declaration(shell: Shell, node: Node) -> str:
    """Run `export A=1 B` or `unset A` as a program with these words."""
    line = [source(node.children[0])]
    others: list[Node] = []
    for each in node.children[1:]:
        if each.type == 'variable_assignment':
            line.extend(expand_words(shell, others))
            others = []
            line.append('='.join(_value_of(shell, each)))
        else:
            others.append(each)
    return shell.run([*line, *expand_words(shell, others)])


STATEMENTS: dict[str, Callable[[Shell, Node], str]] = {
    'list': lambda shell, node: _each(shell, _members(node)),
    'subshell': lambda shell, node: _sequence(shell.child(), node),
    'pipeline': _pipeline,
    **dict.fromkeys('if_statement elif_clause else_clause'.split(), _branches),
    'while_statement': _while,
    'for_statement': _for,
    'c_style_for_statement': _counting,
    'case_statement': _case,
    'function_definition': _function,
    'redirected_statement': _redirection,
    'command': lambda shell, node: _run_redirected(shell, node, []),
    **dict.fromkeys(
        'test_command binary_expression unary_expression'.split(), _expression
    ),
    'variable_assignment': _assign,
    'declaration_command': _declaration,
    'unset_command': _declaration,
    'comment': lambda shell, node: '',
}
