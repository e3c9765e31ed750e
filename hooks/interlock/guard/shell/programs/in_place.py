"""Programs that rewrite the files they are named: formatters and fixers.

What they make of a file cannot be computed here, so each file is told as
written, without its content.
"""

from __future__ import annotations

from typing import NamedTuple

from interlock.guard.shell import braces
from interlock.guard.shell.effects import Unpacked
from interlock.guard.shell.handlers import Handler
from interlock.guard.shell.options import Options, parse
from interlock.guard.shell.path_patterns import place
from interlock.guard.shell.placeholders import (
    ANY,
    CLOSE,
    COMMA,
    OPEN,
    STAR,
    active,
    is_nothing,
    is_plain,
)
from interlock.guard.shell.programs.printing import passed_on
from interlock.guard.shell.state import State

# they print what they would do
CHECKING = (
    '--check',
    '--dry-run',
    '--diff',
    '--preview',
    '--info',
    '--help',
    '--version',
    '--list-different',
    '--list-files',
    '--stdout',
)
TEXTS = ('.md', '.markdown', '.json', '.yaml', '.yml')


class Form(NamedTuple):
    # the flags without which it only prints; none: it always writes
    when: tuple[str, ...] = ()
    # options that take a value
    letters: str = ''
    longs: tuple[str, ...] = ()
    # options whose value is a file that is written
    outputs: tuple[str, ...] = ()
    # operands before the files: subcommands, texts
    before: int = 0
    # what it looks for in a directory
    suffixes: tuple[str, ...] = ()
    # flags with which it only prints, besides those of all
    prints: tuple[str, ...] = ()


MARKDOWN = ('.md', '.markdown')
LINTER = Form(
    ('--fix', '-f'),
    'cirsp',
    ('--config', '--ignore', '--rules', '--ignore-path', '--configPointer'),
    suffixes=MARKDOWN,
)
CODE = Form(('-i', '--in-place', '--inplace'), 'l', ('--style', '--config'))
ENDS = Form(letters='', prints=('-i', '--info'))
FORMS = {
    'prettier': Form(
        ('--write', '-w'),
        '',
        (
            '--config',
            '--parser',
            '--plugin',
            '--ignore-path',
            '--log-level',
            '--loglevel',
            '--tab-width',
            '--print-width',
            '--prose-wrap',
            '--end-of-line',
            '--trailing-comma',
        ),
        suffixes=TEXTS,
    ),
    'prettierd': Form(('--write',)),
    **dict.fromkeys(('markdownlint', 'markdownlint-cli', 'markdownlint-cli2'), LINTER),
    'rumdl': Form(('--fix', 'fmt'), before=1, suffixes=MARKDOWN),
    'mdformat': Form((), '', ('--wrap', '--end-of-line'), suffixes=MARKDOWN),
    'remark': Form(
        ('-o', '--output'),
        'ueris',
        ('--use', '--rc-path', '--ext', '--setting'),
        suffixes=MARKDOWN,
    ),
    'textlint': Form(
        ('--fix',),
        'cfo',
        ('--rule', '--plugin', '--config', '--format', '--preset'),
        suffixes=MARKDOWN,
    ),
    'doctoc': Form((), '', ('--title', '--maxlevel'), suffixes=MARKDOWN),
    'markdown-toc': Form(('-i',)),
    'mdtoc': Form(('-i', '--inplace')),
    'embedme': Form(suffixes=MARKDOWN),
    'dprint': Form((), 'cL', ('--config', '--plugins'), (), 1, TEXTS),
    'biome': Form(
        ('--write', '--apply', '--fix', '--apply-unsafe'),
        '',
        ('--config-path', '--max-diagnostics'),
        (),
        1,
        ('.json',),
    ),
    'eslint': Form(('--fix',), 'co', ('--config', '--ext', '--format')),
    'stylelint': Form(('--fix',), 'c', ('--config',)),
    'oxlint': Form(('--fix',), 'c', ('--config',)),
    'black': Form(
        (),
        'ltWC',
        (
            '--line-length',
            '--target-version',
            '--config',
            '--exclude',
            '--include',
            '--extend-exclude',
            '--workers',
        ),
    ),
    'isort': Form((), 'lsp', ('--profile', '--settings-path', '--skip')),
    'ruff': Form(
        (),
        '',
        (
            '--config',
            '--select',
            '--ignore',
            '--target-version',
            '--output-format',
            '--extend-select',
            '--line-length',
        ),
        (),
        1,
    ),
    'yapf': CODE,
    'autopep8': CODE,
    'autoflake': CODE,
    'cmake-format': CODE,
    'clang-format': Form(('-i',), '', ('--style', '--assume-filename')),
    'pyupgrade': Form(),
    'rustfmt': Form(letters='', longs=('--config',)),
    'gofmt': Form(('-w',), 'r'),
    'goimports': Form(('-w',)),
    'gofumpt': Form(('-w',)),
    'shfmt': Form(('-w', '--write'), 'i', ('-ln',)),
    'stylua': Form(),
    'taplo': Form(before=1, suffixes=('.toml',)),
    **dict.fromkeys(
        (
            'dos2unix',
            'unix2dos',
            'mac2unix',
            'unix2mac',
            'fromdos',
            'todos',
            'd2u',
            'u2d',
        ),
        ENDS,
    ),
    'sd': Form((), 'n', ('--max-replacements',), (), 2, prints=('-p',)),
    'rpl': Form((), 'x', (), (), 2, ('',), ('-s', '--simulate')),
    'codespell': Form(
        ('-w', '--write-changes'),
        'ISDLx',
        ('--ignore-words', '--skip', '--ignore-words-list', '--dictionary'),
        suffixes=('',),
    ),
    'typos': Form(('-w', '--write-changes'), '', ('--config',), suffixes=('',)),
    'misspell': Form(('-w',), 'io', ()),
    'recode': Form((), '', (), (), 1),
    'iconv': Form(
        ('-o',),
        'fto',
        ('--from-code', '--to-code', '--output'),
        ('-o', '--output'),
        999,
    ),
    'tidy': Form(('-m', '-modify'), 'o'),
    'xmlstarlet': Form(('-L', '--inplace'), 'uvsntdx', (), (), 1),
    'sops': Form(('-i', '--in-place')),
    'pandoc': Form(
        ('-o', '--output'),
        'oftVH',
        (
            '--output',
            '--from',
            '--to',
            '--variable',
            '--metadata',
            '--template',
            '--css',
        ),
        ('-o', '--output'),
        999,
    ),
    'git-cliff': Form(
        ('-o', '--output', '-p', '--prepend'),
        'oprtc',
        ('--output', '--prepend', '--tag', '--config'),
        ('-o', '--output', '-p', '--prepend'),
        999,
    ),
    **dict.fromkeys(
        ('emacs', 'nano', 'micro', 'hx', 'kak', 'pico'),
        Form((), 'lf', ('--eval', '--load', '--funcall')),
    ),
    'fallocate': Form((), 'lo', ('--length', '--offset')),
    'shuf': Form(('-o', '--output'), 'noe', ('--output',), ('-o', '--output'), 999),
    'uuencode': Form(('-o',), 'o', (), ('-o',), 999),
}
# of `ruff`, `dprint`, `taplo`: what writes, with which flags
SUBCOMMANDS: dict[str, dict[str, tuple[str, ...]]] = {
    'ruff': {'format': (), 'check': ('--fix', '--fix-only', '--unsafe-fixes')},
    'dprint': {'fmt': ()},
    'taplo': {'fmt': (), 'format': ()},
    'rumdl': {'fmt': (), 'check': ('--fix',)},
}


# they read their own language alone
OF_CODE = frozenset(
    (
        'black',
        'isort',
        'ruff',
        'yapf',
        'autopep8',
        'autoflake',
        'pyupgrade',
        'clang-format',
        'cmake-format',
        'gofmt',
        'goimports',
        'gofumpt',
        'rustfmt',
        'shfmt',
        'stylua',
        'eslint',
        'stylelint',
        'oxlint',
    )
)


def _does_write(name: str, form: Form, options: Options) -> bool:
    if options.has(*CHECKING, *form.prints):
        return False
    subcommands = SUBCOMMANDS.get(name)
    if subcommands is None:
        return not form.when or options.has(*form.when)
    wanted = subcommands.get(''.join(options.operands[:1]))
    return wanted is not None and (not wanted or options.has(*wanted))


def _expanded(word: str) -> list[str]:
    """Patterns in quotes are read by the program itself."""
    found = braces.expand(active(word))
    marks = ((OPEN, '{'), (COMMA, ','), (CLOSE, '}'))
    for mark, char in marks:
        found = [each.replace(mark, char) for each in found]
    return found


def _rewritten(state: State, name: str, args: list[str]) -> str:
    form = FORMS[name]
    options = parse(args, form.letters, form.longs)
    if not _does_write(name, form, options):
        return ANY
    state.each_writes(
        [word for word in options.values(*form.outputs) if word not in ('', '-')]
        if form.outputs
        else (),
        name,
    )
    for word in options.operands[form.before :]:
        if word[:1] == '!' or (name in OF_CODE and is_nothing(word)):
            continue
        for each in _expanded(word):
            state.writes(each, name)
            for suffix in form.suffixes:
                if not each.endswith(suffix) or not suffix:
                    below = f'{each.rstrip("/")}/{ANY}/{STAR}{suffix}'
                    state.writes(below, name)
    return ANY


PACKED = {
    'gzip': '.gz',
    'gunzip': '.gz',
    'bzip2': '.bz2',
    'bunzip2': '.bz2',
    'xz': '.xz',
    'unxz': '.xz',
    'zstd': '.zst',
    'unzstd': '.zst',
}


def _packed(state: State, name: str, args: list[str]) -> str:
    """`gzip x` puts x.gz in its place, and back."""
    options = parse(args, 'S', ('--suffix',))
    if options.has('-c', '--stdout', '-l', '-t', '--list', '--test'):
        return ANY
    keeps = options.has('-k', '--keep') or name.endswith('zstd')
    unpacks = (
        name.startswith('un')
        or name in ('gunzip', 'bunzip2')
        or (options.has('-d', '--decompress', '--uncompress'))
    )
    for word in options.operands:
        if unpacks:
            state.writes(word.removesuffix(PACKED[name]), name)
        elif not keeps:
            state.removes(word, name)
    return ''


def unpacked(
    state: State, name: str, archive: str, directory: str, strip: int = 0
) -> None:
    found = place(state.cwd, archive) if archive else None
    known = found is not None and is_plain(archive)
    origin = Unpacked(found.path if found and known else '', strip)
    state.writes(directory or '.', name, None, True, origin)


def _unzip(state: State, name: str, args: list[str]) -> str:
    options = parse(args, 'dxP')
    if options.has('-l', '-t', '-v', '-Z', '-p', '-z', '--help'):
        return ANY
    directory = ''.join(options.values('-d')[-1:])
    for word in options.operands[:1]:
        unpacked(state, name, word, directory)
    return ''


def _module(state: State, name: str, args: list[str]) -> str:
    """`python -m zipfile -e ARCHIVE DIRECTORY`"""
    words = [word for word in args if word[:1] != '-']
    if {'-e', '--extract'} & set(args) and words:
        unpacked(state, name, words[0], ''.join(words[1:2]))
    elif {'-c', '--create'} & set(args):
        state.each_writes(words[:1], name)
    return ANY


def _seven(state: State, name: str, args: list[str]) -> str:
    into = [word[2:] for word in args if word[:2] == '-o']
    words = [word for word in args if word[:1] != '-']
    if words[:1] in (['x'], ['e']):
        unpacked(state, name, '', ''.join(into[-1:]))
    return ''


def _zip(state: State, name: str, args: list[str]) -> str:
    options = parse(args, 'btnxi')
    state.each_writes(options.operands[:1], name)
    if options.has('-m', '--move'):
        for word in options.operands[1:]:
            state.removes(word, name, recursive=True)
    return ''


def _renamed(state: State, name: str, args: list[str]) -> str:
    """The last of the words are files, the first say how."""
    options = parse(args, 'e')
    if options.has('-n', '--dry-run', '--no-act', '--nono'):
        return ANY
    for word in options.operands[0 if options.has('-e') else 1 :]:
        state.removes(word, name)
    return ''


def _second(state: State, name: str, args: list[str]) -> str:
    """`uniq a b` writes b, and so does `xxd a b`."""
    options = parse(args, 'fsw' if name == 'uniq' else 'lcgso')
    state.each_writes(options.operands[1:2], name)
    return passed_on(state, name, args) if name == 'uniq' else ANY


def _remote(state: State, name: str, args: list[str]) -> str:
    """`scp host:a b`: the last is written, unless it is elsewhere."""
    options = parse(args, 'cDFiJloPSX')
    *sources, target = options.operands or ['']
    if sources and ':' not in target.partition('/')[0]:
        state.writes(target, name, None, True, Unpacked(''))
        for each in sources:
            base = each.rpartition(':')[2].rpartition('/')[2]
            state.writes(f'{target.rstrip("/")}/{base}', name)
    return ''


PROGRAMS: dict[str, Handler] = {
    **dict.fromkeys(FORMS, _rewritten),
    **dict.fromkeys(PACKED, _packed),
    'unzip': _unzip,
    'zip': _zip,
    'zipfile': _module,
    'tarfile': _module,
    '7z': _seven,
    '7za': _seven,
    **dict.fromkeys(('rename', 'prename', 'mmv', 'file-rename'), _renamed),
    'uniq': _second,
    'xxd': _second,
    'scp': _remote,
}
