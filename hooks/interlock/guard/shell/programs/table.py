"""What programs do with their words: one table, and what reads it.

A program that a row cannot describe has a function in another module here.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from interlock.guard.shell.guarded_variables import dropped
from interlock.guard.shell.options import Options, parse
from interlock.guard.shell.programs.files import COPYING, copies, moved, unpack
from interlock.guard.shell.state import Shell
from interlock.guard.shell.walk import run_with
from interlock.guard.shell.words import (
    ANY,
    FRESH,
    SOME,
    STAR,
    active,
    expand_braces,
    is_known,
    is_nothing,
)

NONE = slice(0, 0)
ALL = slice(None)
FIRST = slice(0, 1)
SECOND = slice(1, 2)
LAST = slice(-1, None)


class Program(NamedTuple):
    """Options are named in one string, those with a value as in `parse`."""

    values: str = ''
    attached: str = ''
    # it acts only with one of these options, and with none of those
    when: str = ''
    unless: str = ''
    # the subcommands that act, each with the options that it needs for it
    verbs: Mapping[str, str] = MappingProxyType({})
    # options whose value is a file that is written
    outputs: str = ''
    # without one of these options the first operand is a script, not a file
    script: str = ''
    written: slice = NONE
    removed: slice = NONE
    # options without which nothing is removed
    removing: str = ''
    # all operands but the last are copied to that; with `moves` they go away
    copies: bool = False
    moves: bool = False
    # options with which it makes links instead
    links: str = ''
    # the members of an archive are written: of a 'file', the first operand, or of
    # a 'stream'
    unpacks: str = ''
    # directories with all that is in them: always, or with one of these options
    recursive: str | bool = False
    # a formatter, which reads patterns itself
    patterns: bool = False
    # suffixes of the files that it looks for in a directory
    below: str = ''
    # it reads no documents, so an unknown file is not one of ours
    code: bool = False
    # how many operands come before the command that it runs
    wraps: int | None = None
    # options whose value is the text of a command
    texts: str = ''
    # options whose value is the directory that it works in
    directory: str = ''
    # `NAME=value` may come before the command
    assigns: bool = False
    # the command gets another environment, unless one of these options is given
    drops: str | None = None
    # added to the name of the program in effects
    how: str = ''
    # what it prints; None: lines of its input
    prints: str | None = ANY


def _formatter(values: str = '', when: str = '', **fields: Any) -> Program:
    """It rewrites the files that it is named; the result is not computed."""
    row = Program(values, when=when, written=ALL, patterns=True)._replace(**fields)
    return row._replace(unless=f'{CHECKING} {row.unless}')


# options with which formatters only print
CHECKING = (
    '--check --dry-run --diff --preview --info --help --version --list-different '
    '--list-files --stdout'
)
MARKDOWN = '.md .markdown'
TEXTS = f'{MARKDOWN} .json .yaml .yml'
AFTER_VERB = slice(1, None)
AFTER_TEXTS = slice(2, None)

# several names may share a row
ROWS = {
    # removing
    'rm grm srm': Program(removed=ALL, recursive='-r -R --recursive', prints=''),
    'rimraf trash trash-put': Program(removed=ALL, recursive=True, prints=''),
    'rmdir unlink': Program(removed=ALL, prints=''),
    'gio': Program(
        verbs={'trash': '', 'remove': ''}, removed=AFTER_VERB, recursive=True, prints=''
    ),
    'rename prename mmv file-rename': Program(
        'e', unless='-n --dry-run --no-act --nono', script='-e', removed=ALL, prints=''
    ),
    'zip': Program(
        'btnxi',
        written=FIRST,
        removed=AFTER_VERB,
        removing='-m --move',
        recursive=True,
        prints='',
    ),
    # copying
    'cp gcp': Program(
        COPYING,
        copies=True,
        recursive='-r -R -a --recursive --archive',
        links='-l -s --link --symbolic-link',
        prints='',
    ),
    'install ginstall': Program(
        f'mog{COPYING}', unless='-d --directory', copies=True, prints=''
    ),
    'mv gmv': Program(COPYING, moves=True, prints=''),
    'git-mv': Program(unless='-n --dry-run', moves=True),
    'unzip': Program(
        'dxP', unless='-l -t -v -Z -p -z --help', unpacks='file', directory='-d'
    ),
    'cpio pax': Program(
        'DFIOCHE --directory --file',
        when='-i --extract -r',
        unless='-t',
        unpacks='stream',
        directory='-D --directory',
    ),
    '7z 7za': Program(
        attached='o', verbs={'x': '', 'e': ''}, unpacks='stream', directory='-o'
    ),
    # writing
    'sponge': Program(written=ALL, prints=''),
    'truncate': Program('sr --size --reference', written=ALL, prints=''),
    'yq': Program(when='-i --inplace --in-place', written=LAST),
    'xxd': Program('lcgso', written=SECOND),
    'uniq': Program('fsw', written=SECOND, prints=None),
    'sort': Program(
        'okStT --output --key --field-separator',
        outputs='-o --output',
        how=' -o',
        prints=None,
    ),
    'shuf': Program('noe --output', outputs='-o --output'),
    'uuencode': Program('o', outputs='-o'),
    'iconv': Program('fto --from-code --to-code --output', outputs='-o --output'),
    'pandoc': Program(
        'oftVH --output --from --to --variable --metadata --template --css',
        outputs='-o --output',
    ),
    'git-cliff': Program(
        'oprtc --output --prepend --tag --config', outputs='-o --output -p --prepend'
    ),
    'perl ruby': Program(
        'eEFIMmx', 'iC', when='-i', script='-e -E', written=ALL, how=' -i'
    ),
    'git-merge-file': Program(
        'L --marker-size --diff-algorithm', unless='-p --stdout', written=FIRST
    ),
    'git-bundle': Program(verbs={'create': ''}, written=SECOND),
    'git-archive': Program('o --output', outputs='-o --output'),
    'git-format-patch': Program(
        'o --output-directory --output',
        outputs='-o --output-directory --output',
        recursive=True,
    ),
    # formatters and fixers of documents
    'prettier': _formatter(
        '--config --parser --plugin --ignore-path --log-level --loglevel --tab-width '
        '--print-width --prose-wrap --end-of-line --trailing-comma',
        '--write -w',
        below=TEXTS,
    ),
    'prettierd': _formatter('', '--write'),
    'markdownlint markdownlint-cli markdownlint-cli2': _formatter(
        'cirsp --config --ignore --rules --ignore-path --configPointer',
        '--fix -f',
        below=MARKDOWN,
    ),
    'rumdl': _formatter(
        verbs={'fmt': '', 'check': '--fix'}, written=AFTER_VERB, below=MARKDOWN
    ),
    'mdformat': _formatter('--wrap --end-of-line', below=MARKDOWN),
    'remark': _formatter(
        'ueris --use --rc-path --ext --setting', '-o --output', below=MARKDOWN
    ),
    'textlint': _formatter(
        'cfo --rule --plugin --config --format --preset', '--fix', below=MARKDOWN
    ),
    'doctoc': _formatter('--title --maxlevel', below=MARKDOWN),
    'markdown-toc': _formatter('', '-i'),
    'mdtoc': _formatter('', '-i --inplace'),
    'embedme': _formatter(below=MARKDOWN),
    'dprint': _formatter(
        'cL --config --plugins', verbs={'fmt': ''}, written=AFTER_VERB, below=TEXTS
    ),
    'biome': _formatter(
        '--config-path --max-diagnostics',
        '--write --apply --fix --apply-unsafe',
        written=AFTER_VERB,
        below='.json',
    ),
    'taplo': _formatter(
        verbs={'fmt': '', 'format': ''}, written=AFTER_VERB, below='.toml'
    ),
    'dos2unix unix2dos mac2unix unix2mac fromdos todos d2u u2d': _formatter(
        unless='-i --info'
    ),
    'sd': _formatter('n --max-replacements', unless='-p', written=AFTER_TEXTS),
    'rpl': _formatter('x', unless='-s --simulate', written=AFTER_TEXTS, below='*'),
    'codespell': _formatter(
        'ISDLx --ignore-words --skip --ignore-words-list --dictionary',
        '-w --write-changes',
        below='*',
    ),
    'typos': _formatter('--config', '-w --write-changes', below='*'),
    'misspell': _formatter('io', '-w'),
    'recode': _formatter(written=AFTER_VERB),
    'tidy': _formatter('o', '-m -modify'),
    'xmlstarlet': _formatter('uvsntdx', '-L --inplace', written=AFTER_VERB),
    'sops': _formatter('', '-i --in-place'),
    'emacs nano micro hx kak pico': _formatter('lf --eval --load --funcall'),
    'fallocate': _formatter('lo --length --offset'),
    # formatters and fixers of code
    'eslint': _formatter('co --config --ext --format', '--fix', code=True),
    'stylelint oxlint': _formatter('c --config', '--fix', code=True),
    'black': _formatter(
        'ltWC --line-length --target-version --config --exclude --include '
        '--extend-exclude --workers',
        code=True,
    ),
    'isort': _formatter('lsp --profile --settings-path --skip', code=True),
    'ruff': _formatter(
        '--config --select --ignore --target-version --output-format --extend-select '
        '--line-length',
        verbs={'format': '', 'check': '--fix --fix-only --unsafe-fixes'},
        written=AFTER_VERB,
        code=True,
    ),
    'yapf autopep8 autoflake cmake-format': _formatter(
        'l --style --config', '-i --in-place --inplace', code=True
    ),
    'clang-format': _formatter('--style --assume-filename', '-i', code=True),
    'rustfmt': _formatter('--config', code=True),
    'gofmt': _formatter('r', '-w', code=True),
    'goimports gofumpt': _formatter('', '-w', code=True),
    'shfmt': _formatter('i', '-w --write', code=True),
    'pyupgrade stylua': _formatter(code=True),
    # wrappers of another command
    'builtin nohup setsid unbuffer chronic coproc noglob nocorrect dumb-init tini spawn '
    'busybox toybox winpty rlwrap gtime prlimit fakeroot eatmydata proot firejail '
    'corepack pnpx catchsegv setpriv': Program(wraps=0),
    'exec': Program('a', wraps=0),
    'time': Program('fo --format --output', wraps=0),
    'timeout gtimeout': Program('ks --kill-after --signal', wraps=1),
    'nice': Program('n --adjustment', wraps=0),
    'ionice': Program('cnpPu --class --classdata', wraps=0),
    'stdbuf': Program('ioe --input --output --error', wraps=0),
    'chrt': Program('TPD', wraps=1),
    'taskset setarch': Program(wraps=1),
    'strace': Program('aeEIoOpPsSuX', wraps=0),
    'ltrace': Program('aeFlnopsuxX', wraps=0),
    'caffeinate': Program('tw', wraps=0),
    'xvfb-run': Program('aefnspw', wraps=0),
    'npx': Program('pc --package --call', wraps=0, texts='-c --call'),
    'bunx': Program('--package', wraps=0),
    'uvx': Program('p --from --with --python', wraps=0),
    'unshare': Program('SGRw --root --wd --setuid --setgid', wraps=0),
    'nsenter': Program('tSGr --target --setuid --setgid', wraps=0),
    'chroot': Program('--userspec --groups', wraps=1),
    'proxychains env-cmd': Program('f', wraps=0),
    'faketime': Program('f', wraps=1),
    'dotenv': Program('ef', wraps=0),
    'flock': Program('wEc --timeout --wait --command', wraps=1, texts='-c --command'),
    'script': Program(
        'cEIBmOT --command --echo --log-in --log-out --log-io',
        written=FIRST,
        wraps=1,
        texts='-c --command',
    ),
    'su runuser': Program(
        'csg --command --shell --group', texts='-c --command', drops=''
    ),
    'systemd-run': Program(
        'upEtGM --unit --property --setenv --uid', wraps=0, drops=''
    ),
    'sudo doas': Program(
        'ughpCDRTUrt --user --group --host --prompt --chdir --role --type --chroot '
        '--close-from --command-timeout',
        wraps=0,
        directory='-D --chdir',
        assigns=True,
        drops='-E --preserve-env',
    ),
    # printing
    'whoami id hostname uname nproc wc seq md5sum sha256sum sha1sum arch tput '
    'expr': Program(prints=SOME),
    'uuidgen': Program(prints=FRESH),
    'head tail tac': Program(prints=None),
}
TABLE = {name: row for names, row in ROWS.items() for name in names.split()}

# a file that is named to these programs stays unchanged
READERS = frozenset(
    'cat bat batcat ls eza exa tree grep egrep fgrep rg ag ack head tail wc diff '
    'colordiff delta cmp comm jq json.tool less more stat file test [ [[ cd echo printf '
    'sha1sum sha256sum sha512sum shasum md5sum md5 cksum b2sum which whereis type '
    'readlink realpath basename dirname du df od hexdump strings nl tac rev cut tr paste '
    'column fold fmt join uniq seq date man true false pygmentize glow mdcat lsof ps '
    'pgrep namei getfacl lsattr base64 zcat yamllint shellcheck mypy pylint flake8 '
    'pytest check-jsonschema actionlint tokei cloc scc open xdg-open code gh glab say '
    'notify-send split csplit export printenv mkdir sleep kill cspell aspell hunspell '
    'vale alex write-good proselint lychee markdown-link-check mdl mlr xsv csvlook gron '
    'fzf ctags lp lpr pbcopy xclip wl-copy enscript pr expand unexpand sum look subl '
    'idea charm gedit diffstat wdiff vimdiff meld difft sloccount ruff-lsp commitlint '
    'tsc zgrep inotifywait fswatch mdless frogmouth xmllint toml-test ajv spectral '
    'semgrep bandit gitleaks trufflehog detect-secrets sonar-scanner ls-lint'.split()
)
# interpreters -> the options whose value is code
CODE = {
    **dict.fromkeys('python pypy ipython'.split(), '-c'),
    **dict.fromkeys('node nodejs'.split(), '-e --eval -p --print'),
    **dict.fromkeys('tsx ts-node'.split(), '-e --eval'),
    **dict.fromkeys('ruby lua osascript Rscript julia elixir groovy'.split(), '-e'),
    **dict.fromkeys('deno tclsh'.split(), ''),
    'perl': '-e -E',
    'php': '-r',
}
CONTAINERS = ('docker', 'podman', 'nerdctl')


def family(program: str) -> str:
    """`python3.12` is a python."""
    bare = program.rstrip('0123456789.')
    return bare if bare in CODE else program


def is_interpreter(program: str) -> bool:
    return family(program) in CODE


def perform(shell: Shell, name: str, args: list[str]) -> str:
    """What a program of the table does."""
    row = TABLE[name]
    options = parse(args, row.values, row.attached, first=row.wraps is not None)
    if not _acts(row, options):
        return ANY
    if row.wraps is not None or row.texts:
        printed = _wrapped(shell, name, row, options)
    else:
        printed = lines_of_input(shell) if row.prints is None else row.prints
    how = name.replace('git-', 'git ') + row.how
    recursive = row.recursive
    if isinstance(recursive, str):
        recursive = options.has(recursive)
    outputs = [word for word in options.values(row.outputs) if word != '-']
    shell.each_writes(outputs, how, recursive)
    operands = options.operands
    if row.script and not options.has(row.script):
        operands = operands[1:]
    for word in operands[row.written]:
        for each in _patterns(row, word) if row.patterns else [word]:
            shell.writes(each, how)
    if not row.removing or options.has(row.removing):
        for word in operands[row.removed]:
            shell.removes(word, how, recursive)
    if row.moves:
        moved(shell, how, copies(options))
    for source, target, into in copies(options) if row.copies else ():
        origin = shell.copied(source, into, options.has(row.links))
        shell.writes(target, how, None, recursive, origin)
    archives = {'file': operands[:1], 'stream': ['']}
    for archive in archives.get(row.unpacks, []):
        unpack(shell, how, archive, options.last(row.directory))
    return printed


def _acts(row: Program, options: Options) -> bool:
    if options.has(row.unless):
        return False
    when: str | None = row.when
    if row.verbs:
        when = row.verbs.get(''.join(options.operands[:1]))
    return when is not None and (not when or options.has(when))


def _patterns(row: Program, word: str) -> list[str]:
    """The files that a formatter means by a word; it expands what is quoted."""
    if word[:1] == '!' or (row.code and is_nothing(word)):
        return []
    found = []
    for each in expand_braces(active(word)):
        found.append(each)
        for suffix in row.below.split():
            if not each.endswith(suffix):
                found.append(f'{each.rstrip("/")}/{ANY}/{STAR}{suffix.strip("*")}')
    return found


def _wrapped(shell: Shell, name: str, row: Program, options: Options) -> str:
    """Run the command that the other words are."""
    inner = shell
    for word in options.values(row.directory):
        inner = inner.in_directory(word)
    rest = options.operands[row.wraps :] if row.wraps is not None else []
    texts = options.values(row.texts)
    if row.texts and not texts and rest[:1] and rest[0][:1] == '-':
        texts = parse(rest, row.values).values(row.texts)
    count, printed = len(shell.effects), ANY
    for text in texts:
        printed = inner.child().text(text)
    if not texts and row.wraps is not None:
        variables, rest = assignments(rest) if row.assigns else ([], rest)
        line = unversioned(rest)
        printed = run_with(inner, variables, line, name) if line else ANY
    if row.drops is not None and not options.has(row.drops):
        dropped(shell, name, count)
    return printed


def assignments(words: list[str]) -> tuple[list[tuple[str, str]], list[str]]:
    """The variables in front of a command, and the command."""
    found, rest = [], list(words)
    while rest and '=' in rest[0].partition('/')[0]:
        name, _, value = rest.pop(0).partition('=')
        found.append((name, value))
    return found, rest


def unversioned(words: list[str]) -> list[str]:
    """`prettier@3` is prettier."""
    return [words[0][:1] + words[0][1:].partition('@')[0], *words[1:]] if words else []


def lines_of_input(shell: Shell) -> str:
    """What prints all or some of the lines that it reads."""
    fed = shell.stdin or ANY
    return fed if not is_known(fed) or '\n' not in fed[:-1] else ANY
