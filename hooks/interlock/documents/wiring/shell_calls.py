"""What a shell script calls of ours, where it runs and its failure counts."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from interlock.documents.shell_syntax import Node, parse, source
from interlock.documents.wiring.hook_files import EVERY, HARMLESS, LOGGER, WRITER

OURS = 'interlock'
# a subcommand that a hook or a runner calls -> what it runs
COMMANDS = {
    'hook': EVERY,
    'check': EVERY,
    'pre-push': EVERY,
    'pre-receive': EVERY,
    'prepare-commit-msg': WRITER,
    'post-commit': LOGGER,
}
# what runs the command that follows it, and its own first words
WRAPPERS = {
    **dict.fromkeys(
        (
            'exec',
            'command',
            'builtin',
            'time',
            'nice',
            'nohup',
            'sudo',
            'xargs',
            'npx',
            'uvx',
            'bunx',
            'dotenv',
            'env',
        ),
        (),
    ),
    **dict.fromkeys(
        (
            'uv',
            'poetry',
            'pdm',
            'hatch',
            'pipenv',
            'rye',
            'pixi',
            'conda',
            'mamba',
            'micromamba',
            'pipx',
            'flox',
        ),
        ('run',),
    ),
    **dict.fromkeys(('mise', 'direnv', 'asdf', 'rtx'), ('exec',)),
    'timeout': ('',),
    'stdbuf': (),
}
SHELLS = ('sh', 'bash', 'dash', 'zsh', 'ksh', 'ash')
# what runs something that others say
RUNS = frozenset(
    (
        'make',
        'gmake',
        'tox',
        'nox',
        'just',
        'task',
        'rake',
        'npm',
        'yarn',
        'pnpm',
        'bun',
        'mise',
        'composer',
        'deno',
        'hatch',
        'pdm',
        'poe',
        'pre-commit',
        'prek',
        'lefthook',
    )
)
MAX_DEPTH = 20
UNKNOWN = '\0'
PYTHON_RE = re.compile(r'python[0-9.]*$')
ASSIGNMENT_RE = re.compile(r'[A-Za-z_]\w*=')
ERREXIT_RE = re.compile(r'-[a-zA-Z]*e[a-zA-Z]*$')
SKIPPED = ('comment', 'function_definition', '\n', ';', ';;', '&')


class Calls(NamedTuple):
    # ours, '*' for all of them
    checks: frozenset[str] = frozenset()
    # programs that may run us in their turn, and scripts by their paths
    runners: frozenset[str] = frozenset()
    scripts: frozenset[str] = frozenset()

    def __or__(self, other: Calls) -> Calls:
        return Calls(
            self.checks | other.checks,
            self.runners | other.runners,
            self.scripts | other.scripts,
        )


NONE = Calls()


class _At(NamedTuple):
    """Where a command stands."""

    # a command that fails ends the script
    errexit: bool
    # what it returns is what the script returns
    tail: bool
    pipefail: bool = False

    @property
    def counts(self) -> bool:
        return self.errexit or self.tail


def _word(node: Node) -> str:
    if node.type in ('word', 'number', 'string_content', 'command_name'):
        if node.type == 'command_name' and node.children:
            return ''.join(map(_word, node.children))
        return source(node).replace('\\', '')
    elif node.type == 'raw_string':
        return source(node)[1:-1]
    elif node.type == 'string':
        return ''.join(_word(each) for each in node.children if each.type != '"')
    elif node.type == 'concatenation':
        return ''.join(map(_word, node.children))
    return UNKNOWN


def _argv(node: Node) -> list[str]:
    return [
        _word(each)
        for each in node.children
        if each.type not in ('variable_assignment', 'file_redirect')
    ]


def _ours(words: Sequence[str]) -> frozenset[str]:
    name = posixpath.basename(words[0].replace('\\', '/'))
    name = name.removesuffix('.exe')
    if any(word in HARMLESS for word in words[1:]):
        return frozenset()
    if name == OURS:
        verbs = [word for word in words[1:] if not word.startswith('-')]
        found = COMMANDS.get(verbs[0]) if verbs else None
        return frozenset({found}) if found else frozenset()
    check = name.removeprefix(f'{OURS}-')
    if check != name and check.isalpha() and check != 'claude':
        return frozenset({check})
    return frozenset()


def _scripts(name: str, rest: Sequence[str]) -> frozenset[str]:
    """`./tools/check.sh`, `. tools/check.sh`: paths from the top."""
    if name in ('.', 'source') and rest:
        name = rest[0]
    path = posixpath.normpath(name)
    is_path = '/' in name and UNKNOWN not in name and not (path.startswith(('/', '..')))
    return frozenset({path}) if is_path else frozenset()


def _unwrapped(words: list[str]) -> list[str]:
    """Without what only runs the rest."""
    for _ in range(MAX_DEPTH):
        while words and ASSIGNMENT_RE.match(words[0]):
            words = words[1:]
        if not words:
            return words
        name = posixpath.basename(words[0])
        if PYTHON_RE.match(name) and words[1:2] == ['-m']:
            words = words[2:]
            continue
        own = WRAPPERS.get(name)
        if own is None:
            return words
        rest = words[1:]
        if own and own[0] and own[0] not in rest:
            return words
        if own and own[0]:
            rest = rest[rest.index(own[0]) + 1 :]
        rest = [*rest]
        while rest and (
            rest[0].startswith('-') or (own == ('',) and rest[0][:1].isdigit())
        ):
            rest = rest[1:]
        if not rest:
            return words
        words = rest
    return words


def _is_constant(nodes: Sequence[Node], names: Sequence[str]) -> bool:
    commands = [each for each in nodes if each.type not in SKIPPED]
    return len(commands) == 1 and source(commands[0]).strip() in names


def _uses_status(node: Node) -> bool:
    """What asks how the command before it ended."""
    text = source(node).strip()
    return '$?' in text or text in ('exit', 'return')


def _fails(node: Node) -> bool:
    """Whether a command makes the script fail: `exit`, `exit 1`, `false`."""
    if node.type in ('compound_statement', 'subshell', 'redirected_statement'):
        inner = [
            each
            for each in node.children
            if each.is_named and each.type not in (*SKIPPED, 'file_redirect')
        ]
        return any(_fails(each) for each in inner)
    if node.type == 'list':
        return any(_fails(each) for each in node.children)
    words = _argv(node) if node.type == 'command' else []
    if words[:1] == ['false']:
        return True
    return words[:1] in (['exit'], ['return']) and words[1:] != ['0']


class _Reader:
    def __init__(self) -> None:
        self.functions: dict[str, Node] = {}
        self.depth = 0

    def block(self, nodes: Sequence[Node], at: _At) -> Calls:
        found = NONE
        nodes = [
            each
            for each in nodes
            if (each.is_named and each.type != 'comment') or each.type == '&'
        ]
        statements = [each for each in nodes if each.type != '&']
        behind = {before.id for before, after in pairwise(nodes) if after.type == '&'}
        for number, node in enumerate(statements):
            if node.type == 'function_definition':
                name = node.child_by_field_name('name')
                if name is not None:
                    self.functions[source(name)] = node
                continue
            rest = [
                each
                for each in statements[number + 1 :]
                if each.type != 'function_definition'
            ]
            here = at._replace(
                tail=(at.tail and not rest) or bool(rest and _uses_status(rest[0]))
            )
            if node.id in behind:
                # nobody waits for it
                continue
            found |= self.statement(node, here)
            at = self._switched(node, at)
            if self._ends(node):
                break
        return found

    def _switched(self, node: Node, at: _At) -> _At:
        words = _argv(node) if node.type == 'command' else []
        if words[:1] != ['set']:
            return at
        for word, value in zip(words[1:], [*words[2:], ''], strict=False):
            if ERREXIT_RE.match(word) or (value == 'errexit' and word == '-o'):
                at = at._replace(errexit=True)
            if word == '+e' or (value == 'errexit' and word == '+o'):
                at = at._replace(errexit=False)
            if value == 'pipefail':
                at = at._replace(pipefail=word.startswith('-'))
        return at

    def _ends(self, node: Node) -> bool:
        if node.type == 'redirected_statement' and node.children:
            return self._ends(node.children[0])
        words = _argv(node) if node.type == 'command' else []
        return words[:1] in (['exit'], ['return']) or (
            words[:1] == ['exec'] and len(words) > 1
        )

    def statement(self, node: Node, at: _At) -> Calls:
        if node.type == 'command':
            return self.command(node, at)
        elif node.type == 'list':
            return self._list(node, at)
        elif node.type == 'pipeline':
            return self._pipeline(node, at)
        elif node.type == 'redirected_statement':
            return self.block(node.children[:1], at)
        elif node.type == 'if_statement':
            return self._if(node, at)
        elif node.type == 'negated_command':
            # its failure is a success
            return NONE
        elif node.type == 'while_statement' and _is_constant(
            node.children[1:2], ('false',)
        ):
            return NONE
        elif node.type in (
            'compound_statement',
            'subshell',
            'do_group',
            'case_item',
            'while_statement',
            'for_statement',
            'case_statement',
            'c_style_for_statement',
            'ERROR',
        ):
            return self.block(node.children, at)
        return NONE

    def _list(self, node: Node, at: _At) -> Calls:
        left, operator, right = (
            node.children[0],
            source(node.children[1]),
            node.children[-1],
        )
        if operator == '||':
            if _is_constant([left], ('true', ':')):
                return NONE
            fails = _fails(right)
            heard = at._replace(tail=True) if fails else _At(False, False)
            return self.statement(left, heard) | self.statement(right, at)
        # errexit does not see what stands before `&&`
        first = self.statement(left, at._replace(errexit=False))
        if _is_constant([left], ('false',)):
            return first
        return first | self.statement(right, at)

    def _pipeline(self, node: Node, at: _At) -> Calls:
        parts = [each for each in node.children if each.is_named]
        found = self.statement(parts[-1], at)
        if at.pipefail:
            for part in parts[:-1]:
                found |= self.statement(part, at)
        return found

    def _if(self, node: Node, at: _At) -> Calls:
        condition: list[Node] = []
        body: list[Node] = []
        clauses: list[Node] = []
        into = condition
        for child in node.children[1:]:
            if child.type == 'then':
                into = body
            elif child.type in ('elif_clause', 'else_clause'):
                clauses.append(child)
            elif child.type != 'fi':
                into.append(child)
        never = _is_constant(condition, ('false', '! true', '[ 1 = 0 ]'))
        always = _is_constant(condition, ('true', ':'))
        found = NONE if never else self.block(body, at)
        found |= self._asked(condition, body, clauses)
        for clause in () if always else clauses:
            if clause.type == 'elif_clause':
                found |= self._if(clause, at)
            else:
                found |= self.block(clause.children, at)
        return found

    def _asked(
        self, condition: Sequence[Node], body: Sequence[Node], clauses: Sequence[Node]
    ) -> Calls:
        """`if ! call; then exit 1; fi`, `if call; then :; else exit 1; fi`."""
        asked = [each for each in condition if each.is_named]
        if len(asked) != 1:
            return NONE
        node, taken = asked[0], list(clauses)
        if node.type == 'negated_command':
            node, taken = node.children[-1], list(body)
        ends = any(
            _fails(each)
            for part in taken
            for each in (part.children if part.type == 'else_clause' else [part])
        )
        return self.statement(node, _At(True, True)) if ends else NONE

    def command(self, node: Node, at: _At) -> Calls:
        words = _argv(node)
        if not words or self.depth > MAX_DEPTH:
            return NONE
        name = words[0]
        if name in self.functions:
            return self._function(self.functions[name], at)
        words = _unwrapped(words)
        if not words:
            return NONE
        shell = posixpath.basename(words[0])
        if shell in (*SHELLS, 'eval') and len(words) > 1:
            return self._nested(shell, words, at)
        if not at.counts:
            return NONE
        return Calls(_ours(words), RUNS & {shell}, _scripts(words[0], words[1:]))

    def _function(self, node: Node, at: _At) -> Calls:
        self.depth += 1
        found = self.block(node.children[-1:], at)
        self.depth -= 1
        return found

    def _nested(self, shell: str, words: list[str], at: _At) -> Calls:
        """`bash -c TEXT`, `eval TEXT`."""
        self.depth += 1
        flags = (
            [word for word in words[1:] if word.startswith('-')]
            if shell != 'eval'
            else []
        )
        texts = [word for word in words[1:] if not word.startswith('-')]
        inline = shell == 'eval' or any(
            'c' in word and not word.startswith('--') for word in flags
        )
        found = NONE
        if not inline and texts and at.counts:
            found = Calls(scripts=_scripts('.', [f'./{texts[0]}']))
        elif inline and texts and at.counts:
            errexit = any(ERREXIT_RE.match(word) for word in flags)
            text = ' '.join(texts) if shell == 'eval' else texts[0]
            found = self.text(text, _At(errexit, True))
        self.depth -= 1
        return found

    def text(self, text: str, at: _At) -> Calls:
        if self.depth > MAX_DEPTH:
            return NONE
        return self.block(parse(text).children, at)


def _is_overridden(text: str) -> bool:
    """A trap that ends the script well, or another name for ours."""
    return (
        re.search(
            r'^\s*(trap\s.*\bexit\s+0\b.*\b(EXIT|0|ERR)\b|'
            r'trap\s+[\'"]?(true|:)[\'"]?\s.*\bERR\b|alias\s+interlock)',
            text,
            re.MULTILINE,
        )
        is not None
    )


def calls(text: str, errexit: bool = False) -> Calls:
    """What a script calls; `errexit`: it is run by `sh -e`."""
    text = text.replace('\r\n', '\n')
    if _is_overridden(text):
        return NONE
    first = text.partition('\n')[0]
    if first.startswith('#!') and any(map(ERREXIT_RE.match, first.split())):
        errexit = True
    try:
        return _Reader().text(text, _At(errexit, True))
    except RecursionError:
        # nested so deep that no person wrote it
        return NONE


def of_entry(text: str) -> Calls:
    """What a command without a shell calls, as pre-commit splits it."""
    import shlex

    try:
        words = shlex.split(text)
    except ValueError:
        return NONE
    return calls(shlex.join(words)) if words else NONE
