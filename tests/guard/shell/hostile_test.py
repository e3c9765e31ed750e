"""Random and hostile text, and what real programs make of words."""

from __future__ import annotations

import re
import subprocess
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from interlock.guard.guards.inline_code import named, only_reads
from interlock.guard.shell.effects import Runs, Unknown
from interlock.guard.shell.prefilter import could_matter
from interlock.guard.shell.programs import files, interpreters, wrappers
from interlock.guard.shell.programs.git import SHORT_NO_VERIFY, VERIFYING
from interlock.guard.shell.programs.program import Program
from interlock.guard.shell.programs.table import TABLE
from interlock.guard.shell.read import read
from interlock.guard.shell.words import FRESH, SOME
from tests.guard.shell.cases import CWD, ENVIRON, shown
from tests.guard.shell.innocent import CASES as INNOCENT
from tests.guard.shell.read_test import REFUSED
from tests.profiles import some

COMMANDS = [
    case.command
    for case in (*REFUSED, *INNOCENT)
    # each is whole
    if not any(isinstance(each, Unknown) for each in case.effects)
]
PIECES = st.sampled_from(
    [
        ' ',
        '\n',
        '\nE\n',
        '\\\n',
        '\ufdd0',
        '\ufdda0',
        '\x00',
        'ü',
        '\ud800',
        *(
            'git commit -n rm ; && | ( ) { } " \' ` $( ${ $x <<E <<< > >> & 2>&1 if then '
            "fi for in do done case esac ;; [[ ]] (( )) \\ = a * ~ $' \\x # ! xargs sh -c "
            'eval env -I{} find -exec %s printf .. , @ [@] / :-'
        ).split(),
    ]
)


@settings(max_examples=some(400), deadline=None)
@example('<<)B')
@example('git <<)B')
# the scanner of the grammar would read past its table of characters
@example('{\U000eb509=q')
@given(
    st.one_of(
        st.text(max_size=60),
        st.lists(PIECES, max_size=25).map(''.join),
        st.lists(PIECES, max_size=25).map(' '.join),
    )
)
def test_any_text_can_be_read(text: str) -> None:
    assert isinstance(could_matter(text), bool)
    effects = read(text, CWD, ENVIRON)
    assert all(not isinstance(each, str) for each in effects)


@settings(max_examples=some(400), deadline=None)
@given(st.lists(PIECES, max_size=12).map(' '.join))
def test_what_is_not_read_would_not_be_refused(text: str) -> None:
    if not could_matter(text):
        # the shell itself refuses text with wrong syntax
        assert all(
            isinstance(each, Runs) or 'syntax' in str(each)
            for each in read(text, CWD, ENVIRON)
        )


@settings(max_examples=some(100), deadline=None)
@given(st.lists(st.sampled_from(COMMANDS), min_size=2, max_size=4))
def test_commands_one_after_another_do_what_each_does(commands: list[str]) -> None:
    # in subshells, for one may set what the next one reads
    text = '\n'.join(f'(\n{command}\n)' for command in commands)
    found = set(shown(read(text, CWD, ENVIRON)))
    wanted = {
        each for command in commands for each in shown(read(command, CWD, ENVIRON))
    }
    assert found == wanted


@pytest.mark.parametrize(
    'text',
    (
        pytest.param('(' * 5000 + ')' * 5000, id='parentheses'),
        pytest.param('$(' * 5000 + ')' * 5000, id='substitutions'),
        pytest.param('echo ' + '"$(' * 300 + ')"' * 300, id='in quotes'),
        pytest.param('{ ' * 3000 + '; }' * 3000, id='groups'),
        pytest.param('if ' * 3000, id='conditions'),
        pytest.param('env ' * 3000 + 'git commit', id='wrappers'),
        pytest.param('f() { f; f; }; f', id='a function that calls itself'),
        pytest.param('rm x; ' * 200_000, id='a megabyte of commands'),
        pytest.param('echo "' + 'a' * 1_000_000 + '"', id='a megabyte of text'),
        pytest.param('cat > x <<E\n' + 'a\n' * 500_000 + 'E', id='a heredoc'),
        pytest.param('rm x; ' * 30_000, id='too many commands'),
        pytest.param('`' * 5001, id='backquotes'),
    ),
)
def test_too_much_is_unknown(text: str) -> None:
    start = time.monotonic()
    found = read(text, CWD, ENVIRON)
    # a bound on what hangs, no measure
    assert time.monotonic() - start < 20
    unknown = [each for each in found if isinstance(each, Unknown)]
    assert unknown


@pytest.mark.parametrize(
    'text',
    (
        pytest.param('bash -c ' * 3000, id='shells'),
        pytest.param('alias a=b b=a; a', id='aliases of each other'),
        pytest.param('x' * 100 + '"' * 9999, id='quotes'),
        pytest.param('rm ' + '{a,b}' * 40, id='braces'),
        pytest.param('rm {1..999999999}', id='a range'),
        pytest.param('rm ' + '{' * 5000, id='braces left open'),
        pytest.param(' && '.join(['git status'] * 1500), id='a long list'),
        pytest.param(' | '.join(['cat'] * 500), id='a long pipeline'),
        pytest.param('x=$x$x; ' * 200 + 'rm $x', id='a value that doubles'),
        pytest.param('x=aa; ' + 'x=$x$x; ' * 40 + 'rm $x', id='known, doubling'),
        pytest.param('rm ' + 'a ' * 20_000, id='many names'),
        pytest.param('wrap ' + 'interlock git wrap ' * 3000, id='many texts'),
        pytest.param("sed '" + '1 ' * 20_000 + "x' x", id='addresses of sed'),
        pytest.param("sed 's/" + '\\/' * 10_000 + "w x' x", id='escapes of sed'),
        pytest.param('cat ' + '<<E ' * 500 + '\nE' * 500, id='many heredocs'),
    ),
)
def test_much_is_read_in_time(text: str) -> None:
    start = time.monotonic()
    assert read(text, CWD, ENVIRON)
    assert time.monotonic() - start < 20


@pytest.mark.parametrize(
    'code',
    (
        '\n'.join(f"x{each} = 'task.json'" for each in range(5000)),
        'open(' * 20_000 + 'task.json',
        'open(' + '(a)' * 20_000 + 'task.json',
    ),
)
def test_much_code_is_read_in_time(code: str) -> None:
    start = time.monotonic()
    assert named(code, '/p', ['/p/task.json'])
    assert isinstance(only_reads('python3', code), bool)
    assert time.monotonic() - start < 20


def test_what_was_found_before_it_was_too_much_is_told() -> None:
    found = read('git commit -n; ' + '(' * 100 + ')' * 100, CWD, ENVIRON)
    assert "Skips(what='git commit -n')" in shown(found)


WORDS = (
    'a "b c" \'d e\' f\\ g',
    '"a"\'b\'c',
    '""',
    "''",
    'a""b',
    '"$HOME"/x',
    '$TARGET',
    '"${TARGET}x"',
    '${NONE:-a b}',
    '"${NONE:-a b}"',
    '${TARGET:+yes}',
    '{a,b}{c,d}',
    'x{,y}',
    '{a}',
    '{a,b',
    '{1..3}',
    '"{a,b}"',
    '{a,{b,c}}',
    "$'a\\tb\\x41\\u00e9'",
    '$"a"',
    '~/x',
    '"~/x"',
    'a~',
    '"a\\$b\\"c\\\\d\\e"',
    "'a\\b'",
    '$(echo a b)',
    '"$(echo a  b)"',
    '`echo a`',
    '"`echo a`"',
    '$(echo "$(echo a)")',
    '"a\nb"',
    'a#b',
    '"$TARGET $HOME"',
    '  "  $TARGET  "',
    '$(printf "%s-%s" a b)',
    '"$(printf "a\\n\\n")"',
    '\\$HOME',
    "\\'a\\'",
    '"it\'s"',
    '-n',
    '--',
    'a=b',
    '"a"=b',
    '@{u}',
    '${PATH%/*}',
    '${PATH##*/}',
    '${PATH#*/}',
    '${PATH%%/*}x',
    '${HOME%x}',
    'HEAD~1',
    'HEAD^',
    '!x',
    'a\\\nb',
    '"a\\\nb"',
    "$'it\\'s'",
    '{\U000eb509',
    '\u2003a\u3000b',
    '"\U0001f600 \xa7"',
    '\xa71f600\xa7',
    '{\U0001f600,\xfc}',
    '$HOME\U0001f600',
)


@pytest.mark.parametrize('text', WORDS)
def test_words_are_those_that_bash_makes(text: str) -> None:
    done = subprocess.run(
        ['bash', '--norc', '-c', f'printf "%s\\0" {text}'],
        check=True,
        env={**ENVIRON, 'LC_ALL': 'C.UTF-8'},
        capture_output=True,
        cwd='/',
    )
    found = [
        each
        for each in read(f'probe {text}', CWD, ENVIRON)
        if isinstance(each, Runs) and each.program == 'probe'
    ]
    wanted = done.stdout.decode().split('\0')[:-1]
    assert found[0].args == tuple(wanted)


@pytest.mark.parametrize('name', VERIFYING)
def test_the_options_of_git_are_those_that_git_has(name: str) -> None:
    done = subprocess.run(['git', name, '-h'], capture_output=True, text=True)
    usage = done.stdout + done.stderr
    letters, *longs = TABLE[f'git-{name}'].values.split()
    for letter, long, value in re.findall(
        r'^ +(?:-(\w)(?:, )?)?(--[\w-]+)?( <|\[=)', usage, re.MULTILINE
    ):
        if value == ' <':
            assert letter in letters
            assert not long or long in longs
        else:
            assert letter not in letters or not letter
            assert long not in longs
    has = re.search(r'^ +-(\w), --no-verify', usage, re.MULTILINE)
    if has is not None:
        assert has[1] == 'n'
        assert name in SHORT_NO_VERIFY
    elif name != 'am':
        # it has it since git 2.40
        assert name not in SHORT_NO_VERIFY


def is_harmless(name: str, row: Program) -> bool:
    """It prints, changes directories, or does nothing by itself."""
    if row.by is None:
        wraps = row.wraps is not None and row.drops is None and not row.texts
        return wraps or row.silent or row.prints in (SOME, FRESH)
    module = row.by.__module__.rpartition('.')[2]
    runs = {
        *wrappers.RUNNERS,
        *'npm pnpm yarn bun command make gmake ssh-agent'.split(),
    }
    read = {*'find gfind fd fdfind eval source . unset'.split()}
    return name in runs or (module in ('builtins', 'printing') and name not in read)


def test_every_program_that_is_known_is_read() -> None:
    # a protected file that is named to them is looked for besides
    named = {
        *files.PACKED,
        *interpreters.CODE,
        *'head tail tac uniq prename file-rename mmv'.split(),
        *'shuf uuencode iconv pandoc mlr aspell split fzf sk man'.split(),
        *'pg_dump pg_dumpall mysqldump mariadb-dump'.split(),
        # modules of Python
        *'zipfile tarfile json.tool'.split(),
        *(name for name, row in TABLE.items() if row.patterns and not row.below),
        *(name for name, row in TABLE.items() if row.unpacks == 'outputs'),
        *(name for name, row in TABLE.items() if row.by is files.orders),
    }
    missed = {
        name
        for name, row in TABLE.items()
        if name not in named
        and not is_harmless(name, row)
        and not could_matter(f'{name} x')
    }
    assert missed == set()
