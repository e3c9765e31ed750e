"""Programs that write files in ways that the table cannot describe."""

from __future__ import annotations

import posixpath
from itertools import filterfalse

from interlock.guard.shell.effects import (
    ArchiveContent,
    EditedContent,
    KeptContent,
    Patches,
)
from interlock.guard.shell.options import Options, parse
from interlock.guard.shell.path_patterns import resolve
from interlock.guard.shell.state import Shell
from interlock.guard.shell.walk import known_bytes
from interlock.guard.shell.words import ANY, is_plain
from interlock.model import quick_re as re
from interlock.model.quick_typing import NamedTuple

TAR = (
    'fCTXbI --file --directory --exclude --strip-components --transform --xform '
    '--use-compress-program --to-command --checkpoint-action --info-script'
)
TAR_RUNS = '-I --use-compress-program --to-command --checkpoint-action --info-script'
COPYING = 'tS --target-directory --suffix --mode --owner --group'
PACKED = {
    name: suffix
    for names, suffix in (
        ('gzip gunzip', '.gz'),
        ('bzip2 bunzip2', '.bz2'),
        ('xz unxz', '.xz'),
        ('zstd unzstd', '.zst'),
    )
    for name in names.split()
}
# modes that take reading away from the owner: `u-rw`, `=w`
HIDING = re.compile('(?:[go]*[ua][ugoa]*)?(?:-[wxXst]*r|=(?!.*[rugo]))')
# `w file`, and `s/a/b/w file`: the name extends to the end of the line
SED_ADDRESS = r'(?:[\d,$!{ ]|/[^/]*/)*'
SED_WRITE = re.compile(
    SED_ADDRESS + r'(?:[wW]|s(\W)(?:(?:\\.|(?!\1)[^\\])*\1){2}[gpIime\d]*w) +(.+)$'
)
# `e command`, and `s/a/b/e`, which runs the result of the substitution
SED_RUN = re.compile(SED_ADDRESS + r'e +(.+)$')
SED_RUN_RESULT = re.compile(
    SED_ADDRESS + r's(\W)(?:(?:\\.|(?!\1)[^\\])*\1){2}[gpIim\d]*e'
)
# the command `F`, which prints the name of the file
SED_NAME = re.compile(r'(?m)F\s*(?:[;}#]|$)')
# variables that choose another program, or end the options at the first file
SED_VARIABLES = frozenset(('PATH', 'POSIXLY_CORRECT'))
# options of sed that decide what it prints, and others with a known meaning
SED_PRINTING = frozenset('-n -E -r -z --quiet --silent --regexp-extended'.split())
SED_FLAGS = SED_PRINTING | {'-i', '-I', '--in-place', '-e', '--expression'}
AWK_GETLINE = re.compile(r'"([^"]*)"\s*\|&?\s*getline')
AWK_TARGET = re.compile(r'print[^;{}\n|]*>\s*\(?\s*([A-Za-z_]\w*)')
# `.output file`, `\\o file`, `copy t to 'file'`, `set output 'file'` in scripts for
# databases and similar programs, and `.shell command`, `\\! command`
ORDER_WRITES = re.compile(
    r'(?im)(?:^\s*\.(?:output|once|save|backup|log|excel|clone|export)\b'
    r'|\\(?:o|out|w|write|s|gx?)\s|\b(?:out|dump)file\s|\bwritefile\s*\('
    r'|\\?\b(?:copy|unload|export|vacuum)\b.*?\b(?:to|into|database)\s'
    r'|(?:^|;)\s*(?:tee|\\T|spool|set\s+out(?:put)?)\s|\bget1?\s.*?-o\s)'
    r"""\s*['"]?([^'"\s;,()]+)"""
)
ORDER_RUNS = re.compile(
    r'(?im)(?:^\s*(?:\\?!|\.(?:shell|system)\s|(?:\.output|\.once|\\o|\\gx?)\s*\|)|\bprogram\s'
    r"""|(?:^|;)\s*system\b)[\s(]*['"]?([^'"\n]+)"""
)
# a line in a configuration file of curl
CURL_OUTPUT = re.compile(r'(?m)^\s*-{0,2}(?:o|output)[\s=:]+"?([^"\n]+)')
VIM_WRITE = re.compile(r'[:+ ]*(?:w|write|sav|saveas)!? +(\S+)')
# commands with which an editor only quits
QUITTING = frozenset('q q! qa qa! quit qall'.split())


# the name of an effect that is judged like a program that may write its argument
HARD_LINK = 'a hard link'
# commands of rclone, and the options of rsync that do the same
MIRRORING = {
    'copy': '',
    'bisync': '',
    'sync': '--delete',
    'move': '--remove-source-files',
}
# those that write the last path that they name, and those that remove what they name
WRITING = ('copyto', 'moveto', 'copyurl', 'rcat', 'touch')
REMOVING = ('delete', 'purge', 'deletefile', 'rmdir', 'rmdirs')


class Copy(NamedTuple):
    source: str
    target: str
    # the target itself, unless it is a directory
    into: bool = False


def _is_directory(target: str) -> bool:
    """Whether a word is a directory by its form alone."""
    return target in ('.', '..', '~') or target.endswith(('/', '/.', '/..'))


def _is_remote(word: str) -> bool:
    return ':' in word.partition('/')[0]


def _below(target: str, source: str) -> str:
    name = posixpath.basename(source.rstrip('/'))
    return target if name in ('.', '') else posixpath.join(target, name)


def copies(options: Options, links: bool = False) -> list[Copy]:
    """Each source, with every path at which its copy may end up."""
    into = options.last('-t --target-directory')
    if into:
        return [Copy(each, _below(into, each)) for each in options.operands]
    *sources, target = options.operands or ['']
    if links and len(options.operands) == 1:
        # a link without a target gets the name of its source
        sources, target = [target], '.'
    if options.has('-T --no-target-directory'):
        return [Copy(each, target) for each in sources]
    found = []
    for each in sources:
        below = _below(target, each)
        if len(sources) == 1 and not _is_directory(target) and below != target:
            found.append(Copy(each, target, into=True))
        found.append(Copy(each, below))
    return found


def move_files(shell: Shell, name: str, found: list[Copy]) -> None:
    """Move files; a directory moves with everything in it."""
    for each in found:
        origin = shell.copy_of(each.source, each.into)
        shell.writes(each.target, name, None, True, origin)
    # removals come last, because the sources are read first
    goals: dict[str, str] = {}
    for each in found:
        goals.setdefault(each.source, each.target)
    for source, target in goals.items():
        shell.removes(source, name, True, target)


def rsync(shell: Shell, name: str, options: Options) -> None:
    if len(options.operands) < 2 or options.has('-n --dry-run'):
        return
    *sources, target = options.operands
    for each in sources if options.has('--remove-source-files') else ():
        shell.removes(each, name, recursive=True)
    if _is_remote(target):
        return
    for each in sources:
        if _is_remote(each):
            unpack(shell, name, '', target)
            continue
        goal = target if each.endswith('/') else _below(target, each)
        origin = shell.copy_of(each)
        if origin is not None:
            origin = origin._replace(without=tuple(options.values('--exclude')))
        shell.writes(goal, name, None, True, origin)
        if goal != target and not _is_directory(target):
            # the target is a file, unless a directory of this name exists
            shell.writes(target, name, None, True, shell.copy_of(each, into=True))
    if any(flag.startswith('--del') for flag, _ in options.flags):
        shell.removes(target, name, recursive=True)


def rclone(shell: Shell, name: str, options: Options) -> str:
    """It copies what is in a folder, like `rsync source/ target`."""
    verb, *words = options.operands or ['']
    if options.has('-n --dry-run'):
        return ANY
    if verb in MIRRORING and len(words) == 2:
        source, target = words
        given = [*MIRRORING[verb].split(), f'{source.rstrip("/")}/', target]
        rsync(shell, f'{name} {verb}', parse(given))
    written = words[-1:] if verb in WRITING else []
    removed = words if verb in REMOVING else words[:1] if verb == 'moveto' else []
    shell.each_writes(filterfalse(_is_remote, written), f'{name} {verb}')
    for word in filterfalse(_is_remote, removed):
        shell.removes(word, f'{name} {verb}', recursive=True)
    return ANY


def unpack(
    shell: Shell, name: str, archive: str, directory: str, strip: str = ''
) -> None:
    """Write files whose names only the archive knows; '' is a stream."""
    found = resolve(shell.cwd, archive) if archive else None
    known = found.path if found and is_plain(archive) else ''
    origin = ArchiveContent(known, int(strip) if strip.isdecimal() else 0)
    shell.writes(directory or '.', name, None, True, origin)


def write_into(shell: Shell, name: str, word: str) -> None:
    """Write a file, or files of any name in a directory. The current directory does
    not count, because it is given too often."""
    if word.rstrip('/') != '.':
        unpack(shell, name, '', word)


def tar(shell: Shell, name: str, options: Options) -> str:
    if options.args and options.args[0][:1] != '-':
        options = parse([f'-{options.args[0]}', *options.args[1:]], TAR)
    files = [word for word in options.values('-f --file') if word != '-']
    if options.has('-c -r -u --create --append --update'):
        shell.each_writes(files, name)
        for word in options.operands if options.has('--remove-files') else ():
            shell.removes(word, name, recursive=True)
    elif options.has('-x --extract --get') and not options.has('-O --to-stdout'):
        inner = shell.child()
        for word in options.values('-C --directory'):
            inner.enter(word)
        inner.each_writes(options.operands, name, recursive=True)
        if not options.operands:
            known = files and not options.has('--transform --xform')
            found = resolve(shell.cwd, files[-1]) if known else None
            archive = found.path if found and not found.glob else ''
            unpack(inner, name, archive, '', options.last('--strip-components'))
    return ANY


def zip_module(shell: Shell, name: str, options: Options) -> str:
    """`python -m zipfile -e ARCHIVE DIRECTORY`"""
    if options.has('-e --extract') and options.operands:
        unpack(shell, name, options.operands[0], ''.join(options.operands[1:2]))
    elif options.has('-c --create'):
        shell.each_writes(options.operands[:1], name)
    return ANY


def compress(shell: Shell, name: str, options: Options) -> str:
    """`gzip x` replaces x by x.gz; decompression reverses that."""
    if options.has('-c --stdout -l -t --list --test'):
        return ANY
    keeps = options.has('-k --keep') or name.endswith('zstd')
    unpacks = 'un' in name or options.has('-d --decompress --uncompress')
    for word in options.operands:
        if unpacks:
            shell.writes(word.removesuffix(PACKED[name]), name)
        elif not keeps:
            shell.removes(word, name)
    return ''


def download(shell: Shell, name: str, options: Options) -> str:
    """curl prints the answer unless told to write it; wget writes it."""
    if name == 'curl':
        files = options.values('-o --output')
        named = options.has('-O --remote-name')
    else:
        files = options.values('-O --output-document')
        named = not files and not options.has('-r --recursive --spider')
    for word in options.values('-K --config') if name == 'curl' else ():
        text = shell.stdin if word == '-' else shell.written_text(word)
        files = [*files, *CURL_OUTPUT.findall(text or '')]
    if named:
        names = [
            posixpath.basename(word.partition('?')[0]) for word in options.operands
        ]
        files = [*files, *names]
    for word in files:
        if word != '-':
            shell.writes(word, name)
            shell.keep_word(word, ANY)
    return ANY


def orders(shell: Shell, name: str, options: Options) -> str:
    """A database, or another program with a command language of its own."""
    named = [*options.values('-f --file -i --init'), shell.stdin_file]
    stored = [shell.stored_text(word)[1] or '' for word in named if word]
    for text in (*options.args, shell.stdin or '', *stored):
        for command in ORDER_RUNS.findall(text):
            shell.child().text(command)
        for word in ORDER_WRITES.findall(text):
            if word[0] != '|':
                write_into(shell, name, word)
    return ANY


def tee(shell: Shell, _: str, options: Options) -> str:
    fed = shell.stdin or ''
    how = '>>' if options.has('-a --append') else 'tee'
    for word in options.operands:
        shell.writes(word, how, known_bytes(fed))
    return fed


def chmod(shell: Shell, name: str, options: Options) -> None:
    """Tell modes from options: `-x` is a mode, `-R` is an option."""
    words = [
        word
        for word in options.args
        if word[:2] != '--' and (word[:1] != '-' or word.strip('-Rcfvh'))
    ]
    named = any(word.startswith('--ref') for word in options.args)
    recursive = any(
        word == '--recursive' or 'R' in word for word in options.args if word[:1] == '-'
    )
    hides = name == 'chmod' and not named and any(map(_hides, words[:1]))
    origin = None if hides else KeptContent()
    shell.each_writes(words if named else words[1:], name, recursive, origin)


def _hides(mode: str) -> bool:
    """Whether a mode takes reading away from the owner."""
    if mode.isdecimal():
        return mode.zfill(3)[-3] in '0123'
    return any(map(HIDING.match, mode.split(',')))


def sed_edit(shell: Shell, name: str, options: Options) -> EditedContent | None:
    """How `sed -i` edits each file; None if that is unknown. Without the commands that
    run others or write files, which `--sandbox` rejects, it only prints."""
    if shell.is_repeated or not SED_VARIABLES.isdisjoint(shell.variables):
        return None
    scripts = options.values('-e --expression') or options.operands[:1]
    flags = {name for name, _ in options.flags}
    # an empty one may be the suffix of `-i` in BSD
    known = all(script and is_plain(script) for script in scripts)
    if not known or not flags <= SED_FLAGS or any(map(SED_NAME.search, scripts)):
        return None
    how = sorted(flags & SED_PRINTING)
    given = (word for script in scripts for word in ('-e', script))
    return EditedContent((name, '--sandbox', *how, *given))


def sed_script(shell: Shell, _: str, options: Options) -> str:
    scripts = options.values('-e --expression') or options.operands[:1]
    for line in '\n'.join(scripts).replace(';', '\n').split('\n'):
        found = SED_WRITE.match(line.strip())
        if found:
            shell.writes(found[2].rstrip('} '), 'sed w')
        elif runs := SED_RUN.match(line.strip()):
            shell.child().text(runs[1])
        elif SED_RUN_RESULT.match(line.strip()):
            shell.unknown('`sed` runs what its input says')
    return '' if options.has('-i -I --in-place') else ANY


def awk(shell: Shell, _: str, options: Options) -> str:
    files = options.operands
    codes = options.values('-e --source')
    codes += map(shell.file_text, options.values('-f --file'))
    for code in codes or files[: not options.has('-f --file')]:
        _awk_code(shell, code, options)
    if 'inplace' in options.values('-i --include'):
        given = options.has('-f -e -E --file --source')
        shell.each_writes(files if given else files[1:], 'awk -i inplace')
    return ANY


def _awk_code(shell: Shell, code: str, options: Options) -> None:
    """`system("x")`, `| "x"`, `"x" | getline`, `print > "file"`, and `print > name`."""
    for text in AWK_GETLINE.findall(code):
        shell.child().text(text)
    for mark in ('system(', '|&', '|', '>'):
        for part in code.split(mark)[1:]:
            before, quote, text = part.partition('"')
            text = text.partition('"')[0]
            is_text = quote and not before.strip()
            if is_text and mark == '>':
                shell.writes(text, 'awk')
            elif is_text:
                shell.child().text(text)
            elif mark == 'system(':
                shell.unknown('`awk` runs what its input says')
    given = dict(word.partition('=')[::2] for word in options.values('-v --assign'))
    for name in AWK_TARGET.findall(code):
        if name == 'FILENAME':
            shell.each_writes(options.operands, 'awk')
        elif name in given:
            shell.writes(given[name], 'awk')


def patch(shell: Shell, name: str, options: Options) -> None:
    if options.has('--dry-run --help --version'):
        return
    outputs = options.values('-o --output') or options.operands[:1]
    shell.each_writes(outputs, name)
    if not outputs:
        apply_patch(shell, name, options.values('-i --input'), '-p --strip', options)


def apply_patch(
    shell: Shell, name: str, files: list[str], strip: str, options: Options
) -> None:
    """Apply a patch from the command line's text, or from a named file."""
    given = options.last(strip) or ('1' if name.startswith('git') else '')
    leaves = int(given) if given.isdecimal() else -1
    reverse = options.has('-R --reverse')
    if not files and shell.stdin_file:
        files = [shell.stdin_file]
    for word in files:
        found = resolve(shell.cwd, word)
        if found is None or found.glob:
            shell.unknown(f'`{name}` changes the files that a patch names')
        else:
            shell.add(Patches(name, shell.directory, None, found.path, leaves, reverse))
    if not files:
        _patch_text(shell, name, shell.stdin, leaves, reverse)


def _patch_text(
    shell: Shell, name: str, text: str | None, leaves: int = -1, reverse: bool = False
) -> None:
    if text and is_plain(text):
        shell.add(Patches(name, shell.directory, text, '', leaves, reverse))
    else:
        shell.unknown(f'`{name}` changes the files that a patch names')


def agents_patch(shell: Shell, name: str, options: Options) -> None:
    """The patch tool of agents, called as a program."""
    if options.args:
        _patch_text(shell, name, options.args[0])
    else:
        apply_patch(shell, name, [], '', options)


def editor(shell: Shell, name: str, options: Options) -> None:
    orders = [word for word in options.operands if word[:1] == '+']
    given = [*options.values('-c --cmd'), *orders]
    for text in given:
        if written := VIM_WRITE.match(text):
            shell.writes(written[1], name)
        elif 'writefile(' in text:
            shell.unknown(f'an order of `{name}` writes a file')
        _, mark, command = text.partition('!')
        if mark and text.lstrip(':+ ')[:1] == '!':
            shell.child().text(command)
    if options.has('-R') and all(text.strip(':+ ') in QUITTING for text in given):
        return
    shell.each_writes([word for word in options.operands if word[:1] != '+'], name)
