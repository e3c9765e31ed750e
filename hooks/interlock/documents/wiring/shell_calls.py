"""Our calls in a shell script, where they run and their failure counts."""

from __future__ import annotations

import posixpath
from itertools import pairwise

from interlock.documents.shell_syntax import UNKNOWN, argv, parse, source, unwrapped
from interlock.documents.wiring.client_settings import CALLS
from interlock.documents.wiring.hook_files import EVERY, HARMLESS, LOGGER, WRITER
from interlock.model import quick_re as re
from interlock.model.quick_typing import NamedTuple, Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.documents.shell_syntax import Node

OURS = 'interlock'
# our subcommands in hooks and runners -> what they run
COMMANDS = {
    **dict.fromkeys(('hook', 'check', 'pre-push', 'pre-receive'), EVERY),
    'prepare-commit-msg': WRITER,
    'post-commit': LOGGER,
}
# program -> its word before the command that it runs
WRAPPERS = {
    **dict.fromkeys(
        'exec command builtin time nice nohup sudo xargs npx uvx bunx dotenv env '
        'timeout stdbuf'.split(),
        '',
    ),
    **dict.fromkeys(
        'uv poetry pdm hatch pipenv rye pixi conda mamba micromamba pipx flox'.split(),
        'run',
    ),
    **dict.fromkeys('mise direnv asdf rtx'.split(), 'exec'),
}
SHELLS = ('sh', 'bash', 'dash', 'zsh', 'ksh', 'ash')
# programs that run the commands in a file of theirs
RUNS = frozenset(
    'make gmake tox nox just task rake npm yarn pnpm bun mise composer deno hatch pdm '
    'poe pre-commit prek lefthook'.split()
)
MAX_DEPTH = 20
PYTHON_RE = re.compile(r'python[0-9.]*$')
ERREXIT_RE = re.compile(r'-[a-zA-Z]*e[a-zA-Z]*$')
# a trap that makes the script succeed, or another program under our name
OVERRIDE_RE = re.compile(
    r'^\s*(trap\s.*\bexit\s+0\b.*\b(EXIT|0|ERR)\b|'
    r'trap\s+[\'"]?(true|:)[\'"]?\s.*\bERR\b|alias\s+interlock)',
    re.MULTILINE,
)
# nodes whose children run one after another
BLOCKS = (
    'compound_statement subshell do_group case_item while_statement for_statement '
    'case_statement c_style_for_statement ERROR'
).split()


class Calls(NamedTuple):
    # our checks, '*' for all of them
    checks: frozenset[str] = frozenset()
    # programs that may run us in turn, and the paths of scripts
    runners: frozenset[str] = frozenset()
    scripts: frozenset[str] = frozenset()

    def __or__(self, other: Calls) -> Calls:
        return Calls(*(one | two for one, two in zip(self, other, strict=True)))


NONE = Calls()


class _At(NamedTuple):
    """The context of a command."""

    # a failing command ends the script
    errexit: bool
    # its exit code is the script's
    tail: bool
    pipefail: bool = False

    @property
    def counts(self) -> bool:
        return self.errexit or self.tail


def _ours(words: Sequence[str]) -> frozenset[str]:
    name = posixpath.basename(words[0].replace('\\', '/')).removesuffix('.exe')
    found: str | None = None
    if name == OURS:
        verbs = [word for word in words[1:] if not word.startswith('-')]
        found = COMMANDS.get(verbs[0]) if verbs else None
    elif name.startswith(f'{OURS}-') and name not in CALLS:
        check = name.removeprefix(f'{OURS}-')
        found = check if check.isalpha() else None
    harmless = any(word in HARMLESS for word in words[1:])
    return frozenset({found} if found and not harmless else ())


def _scripts(name: str, rest: Sequence[str]) -> frozenset[str]:
    """`./tools/check.sh`, `. tools/check.sh`: paths from the top."""
    if name in ('.', 'source') and rest:
        name = rest[0]
    path = posixpath.normpath(name)
    is_path = '/' in name and UNKNOWN not in name and not path.startswith(('/', '..'))
    return frozenset({path} if is_path else ())


def _words(node: Node) -> list[str]:
    """The words of a command, [] if it is not a command."""
    return argv(node) if node.type == 'command' else []


def _named(nodes: Sequence[Node], *left_out: str) -> list[Node]:
    return [
        each
        for each in nodes
        if each.is_named and each.type not in ('comment', *left_out)
    ]


def _is_constant(nodes: Sequence[Node], *texts: str) -> bool:
    commands = _named(nodes, 'function_definition')
    return len(commands) == 1 and source(commands[0]).strip() in texts


def _uses_status(node: Node) -> bool:
    """Whether a command tests how the one before it ended."""
    text = source(node).strip()
    return '$?' in text or text in ('exit', 'return')


def _fails(node: Node) -> bool:
    """Whether a command makes the script fail: `exit`, `exit 1`, `false`."""
    if node.type in ('compound_statement', 'subshell', 'redirected_statement', 'list'):
        inner = _named(node.children, 'function_definition', 'file_redirect')
        return any(map(_fails, inner))
    words = _words(node)
    if words[:1] == ['false']:
        return True
    return words[:1] in (['exit'], ['return']) and words[1:] != ['0']


def _ends(node: Node) -> bool:
    """Whether nothing after a command runs."""
    if node.type == 'redirected_statement' and node.children:
        return _ends(node.children[0])
    words = _words(node)
    return words[:1] in (['exit'], ['return']) or (
        words[:1] == ['exec'] and len(words) > 1
    )


def _switched(node: Node, at: _At) -> _At:
    """The context after a command, which may be `set`."""
    words = _words(node)
    for word, value in pairwise([*words[1:], '']) if words[:1] == ['set'] else ():
        if ERREXIT_RE.match(word) or (value == 'errexit' and word == '-o'):
            at = at._replace(errexit=True)
        if word == '+e' or (value == 'errexit' and word == '+o'):
            at = at._replace(errexit=False)
        if value == 'pipefail':
            at = at._replace(pipefail=word.startswith('-'))
    return at


class _ScriptReader:
    def __init__(self) -> None:
        self.functions: dict[str, Node] = {}
        self.depth = 0

    def text(self, text: str, at: _At) -> Calls:
        return self.block(parse(text).children, at)

    def block(self, nodes: Sequence[Node], at: _At) -> Calls:
        if self.depth > MAX_DEPTH:
            return NONE
        found = NONE
        # the script does not wait for background commands
        behind = {
            before.id
            for before, after in pairwise(
                [each for each in nodes if each.is_named or each.type == '&']
            )
            if after.type == '&'
        }
        statements = _named(nodes)
        for number, node in enumerate(statements, 1):
            if node.type == 'function_definition':
                name = node.child_by_field_name('name')
                if name is not None:
                    self.functions[source(name)] = node
                continue
            rest = _named(statements[number:], 'function_definition')
            tail = _uses_status(rest[0]) if rest else at.tail
            if node.id in behind:
                continue
            found |= self.statement(node, at._replace(tail=tail))
            at = _switched(node, at)
            if _ends(node):
                break
        return found

    def statement(self, node: Node, at: _At) -> Calls:
        if node.type == 'command':
            return self._command(node, at)
        elif node.type == 'list':
            return self._list(node, at)
        elif node.type == 'pipeline':
            parts = _named(node.children)
            heard = parts if at.pipefail else parts[-1:]
            return self._each(heard, at)
        elif node.type == 'redirected_statement':
            return self.block(node.children[:1], at)
        elif node.type == 'if_statement':
            return self._if(node, at)
        elif node.type == 'while_statement' and _is_constant(
            node.children[1:2], 'false'
        ):
            return NONE
        # negation turns the failure of a command into success
        return self.block(node.children, at) if node.type in BLOCKS else NONE

    def _each(self, nodes: Sequence[Node], at: _At) -> Calls:
        found = NONE
        for node in nodes:
            found |= self.statement(node, at)
        return found

    def _list(self, node: Node, at: _At) -> Calls:
        left, right = node.children[0], node.children[-1]
        if source(node.children[1]) == '||':
            if _is_constant([left], 'true', ':'):
                return NONE
            heard = at._replace(tail=True) if _fails(right) else _At(False, False)
            return self.statement(left, heard) | self.statement(right, at)
        # errexit ignores a failure before `&&`
        first = self.statement(left, at._replace(errexit=False))
        if _is_constant([left], 'false'):
            return first
        return first | self.statement(right, at)

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
        found = self._condition(condition, body, clauses)
        if not _is_constant(condition, 'false', '! true', '[ 1 = 0 ]'):
            found |= self.block(body, at)
        for clause in () if _is_constant(condition, 'true', ':') else clauses:
            if clause.type == 'elif_clause':
                found |= self._if(clause, at)
            else:
                found |= self.block(clause.children, at)
        return found

    def _condition(
        self, condition: Sequence[Node], body: Sequence[Node], clauses: Sequence[Node]
    ) -> Calls:
        """`if ! call; then exit 1; fi`, `if call; then :; else exit 1; fi`."""
        nodes = [each for each in condition if each.is_named]
        if len(nodes) != 1:
            return NONE
        node, taken = nodes[0], clauses
        if node.type == 'negated_command':
            node, taken = node.children[-1], body
        ends = any(
            _fails(each)
            for part in taken
            for each in (part.children if part.type == 'else_clause' else [part])
        )
        return self.statement(node, _At(True, True)) if ends else NONE

    def _command(self, node: Node, at: _At) -> Calls:
        words = argv(node)
        self.depth += 1
        if words and words[0] in self.functions:
            found = self.block(self.functions[words[0]].children[-1:], at)
        else:
            words = unwrapped(words, WRAPPERS)
            if words[1:2] == ['-m'] and PYTHON_RE.match(posixpath.basename(words[0])):
                words = unwrapped(words[2:], WRAPPERS)
            found = self._program(words, at) if words and at.counts else NONE
        self.depth -= 1
        return found

    def _program(self, words: list[str], at: _At) -> Calls:
        name = posixpath.basename(words[0])
        if name not in (*SHELLS, 'eval') or len(words) == 1:
            return Calls(_ours(words), RUNS & {name}, _scripts(words[0], words[1:]))
        # `bash -c TEXT`, `eval TEXT`
        texts = [word for word in words[1:] if not word.startswith('-')]
        flags = [word for word in words[1:] if word.startswith('-')]
        if not texts:
            return NONE
        elif name == 'eval':
            return self.text(' '.join(texts), _At(False, True))
        elif any('c' in word and not word.startswith('--') for word in flags):
            errexit = any(map(ERREXIT_RE.match, flags))
            return self.text(texts[0], _At(errexit, True))
        return Calls(scripts=_scripts('.', [f'./{texts[0]}']))


def calls(text: str, errexit: bool = False) -> Calls:
    """The calls of a script; `errexit`: `sh -e` runs it."""
    text = text.replace('\r\n', '\n')
    if OVERRIDE_RE.search(text):
        return NONE
    first = text.partition('\n')[0]
    if first.startswith('#!') and any(map(ERREXIT_RE.match, first.split())):
        errexit = True
    try:
        return _ScriptReader().text(text, _At(errexit, True))
    except RecursionError:
        # no person nests that deeply
        return NONE


def of_entry(text: str) -> Calls:
    """The calls of a command without a shell, split as pre-commit does."""
    import shlex

    try:
        words = shlex.split(text)
    except ValueError:
        return NONE
    return calls(shlex.join(words)) if words else NONE
