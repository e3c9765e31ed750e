"""Programs that make files from others: copies, links, archives, downloads."""

from __future__ import annotations

import posixpath
from typing import NamedTuple

from interlock.guard.shell.effects import Unpacked
from interlock.guard.shell.options import Options, parse
from interlock.guard.shell.path_patterns import resolve
from interlock.guard.shell.programs.table import Handler
from interlock.guard.shell.state import Shell
from interlock.guard.shell.words import ANY, is_plain

COPYING = 'tS --target-directory --suffix --mode --owner --group'
RSYNC = (
    'efBMTs --exclude --include --rsh --filter --files-from --exclude-from '
    '--include-from --log-file --password-file --chmod --chown --backup-dir --suffix '
    '--temp-dir'
)
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


class Copy(NamedTuple):
    source: str
    target: str
    # the target, unless it is a directory
    into: bool = False


def _is_directory(target: str) -> bool:
    """By its form alone."""
    return target in ('.', '..', '~') or target.endswith(('/', '/.', '/..'))


def _is_remote(word: str) -> bool:
    return ':' in word.partition('/')[0]


def _below(target: str, source: str) -> str:
    name = posixpath.basename(source.rstrip('/'))
    return target if name in ('.', '') else posixpath.join(target, name)


def copies(options: Options) -> list[Copy]:
    """Each source, with every place where it may end up."""
    into = options.last('-t --target-directory')
    if into:
        return [Copy(each, _below(into, each)) for each in options.operands]
    *sources, target = options.operands or ['']
    if options.has('-T --no-target-directory'):
        return [Copy(each, target) for each in sources]
    found = []
    for each in sources:
        below = _below(target, each)
        if len(sources) == 1 and not _is_directory(target) and below != target:
            found.append(Copy(each, target, into=True))
        found.append(Copy(each, below))
    return found


def _copy(shell: Shell, name: str, args: list[str]) -> str:
    """cp and install."""
    options = parse(args, COPYING if name.endswith('cp') else f'mog{COPYING}')
    if name.endswith('cp'):
        recursive = options.has('-r -R -a --recursive --archive')
        link = options.has('-l -s --link --symbolic-link')
    elif options.has('-d --directory'):
        return ''
    else:
        recursive = link = False
    for each in copies(options):
        origin = shell.copied(each.source, each.into, link)
        shell.writes(each.target, name, None, recursive, origin)
    return ''


def moved(shell: Shell, name: str, found: list[Copy]) -> str:
    """A directory moves with all that is in it."""
    for each in found:
        origin = shell.copied(each.source, each.into)
        shell.writes(each.target, name, None, True, origin)
    # last, for what is moved is read first
    goals: dict[str, str] = {}
    for each in found:
        goals.setdefault(each.source, each.target)
    for source, target in goals.items():
        shell.removes(source, name, True, target)
    return ''


def _mv(shell: Shell, name: str, args: list[str]) -> str:
    return moved(shell, name, copies(parse(args, COPYING)))


def _ln(shell: Shell, name: str, args: list[str]) -> str:
    options = parse(args, COPYING)
    found = copies(options)
    if len(options.operands) == 1 and not options.has('-t'):
        source = options.operands[0]
        found = [Copy(source, _below('.', source))]
    for source, target, into in found:
        if options.has('-s --symbolic') and source[:1] not in ('/', ANY):
            # a link leads on from where it is
            source = posixpath.join(posixpath.dirname(target), source)
        origin = shell.copied(source, into, link=True)
        shell.writes(target, name, origin=origin)
    return ''


def _rsync(shell: Shell, name: str, args: list[str]) -> str:
    options = parse(args, RSYNC)
    if len(options.operands) < 2 or options.has('-n --dry-run'):
        return ''
    *sources, target = options.operands
    for each in sources if options.has('--remove-source-files') else ():
        shell.removes(each, name, recursive=True)
    if _is_remote(target):
        return ''
    for each in sources:
        if _is_remote(each):
            unpack(shell, name, '', target)
            continue
        goal = target if each.endswith('/') else _below(target, each)
        origin = shell.copied(each)
        if origin is not None:
            origin = origin._replace(without=tuple(options.values('--exclude')))
        shell.writes(goal, name, None, True, origin)
        if goal != target and not _is_directory(target):
            # the target is a file, unless there is a directory of this name
            shell.writes(target, name, None, True, shell.copied(each, into=True))
    if any(flag.startswith('--del') for flag, _ in options.flags):
        shell.removes(target, name, recursive=True)
    return ''


def _scp(shell: Shell, name: str, args: list[str]) -> str:
    *sources, target = parse(args, 'cDFiJloPSX').operands or ['']
    if sources and not _is_remote(target):
        unpack(shell, name, '', target)
        for each in sources:
            base = each.rpartition(':')[2].rpartition('/')[2]
            shell.writes(f'{target.rstrip("/")}/{base}', name)
    return ''


def unpack(
    shell: Shell, name: str, archive: str, directory: str, strip: str = ''
) -> None:
    """Files whose names only the archive says; '' is a stream."""
    found = resolve(shell.cwd, archive) if archive else None
    known = found.path if found and is_plain(archive) else ''
    origin = Unpacked(known, int(strip) if strip.isdecimal() else 0)
    shell.writes(directory or '.', name, None, True, origin)


def _tar(shell: Shell, name: str, args: list[str]) -> str:
    if args and args[0][:1] != '-':
        args = [f'-{args[0]}', *args[1:]]
    options = parse(
        args,
        'fCTXb --file --directory --exclude --strip-components --transform --xform',
    )
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


def _cpio(shell: Shell, name: str, args: list[str]) -> str:
    options = parse(args, 'DFIOCHE --directory --file')
    if options.has('-i --extract -r') and not options.has('-t'):
        for word in options.values('-D --directory'):
            shell = shell.in_directory(word)
        unpack(shell, name, '', '.')
    return ANY


def _unzip(shell: Shell, name: str, args: list[str]) -> str:
    options = parse(args, 'dxP')
    if options.has('-l -t -v -Z -p -z --help'):
        return ANY
    for word in options.operands[:1]:
        unpack(shell, name, word, options.last('-d'))
    return ''


def _zip(shell: Shell, name: str, args: list[str]) -> str:
    options = parse(args, 'btnxi')
    shell.each_writes(options.operands[:1], name)
    for word in options.operands[1:] if options.has('-m --move') else ():
        shell.removes(word, name, recursive=True)
    return ''


def _zip_module(shell: Shell, name: str, args: list[str]) -> str:
    """`python -m zipfile -e ARCHIVE DIRECTORY`"""
    options = parse(args)
    if options.has('-e --extract') and options.operands:
        unpack(shell, name, options.operands[0], ''.join(options.operands[1:2]))
    elif options.has('-c --create'):
        shell.each_writes(options.operands[:1], name)
    return ANY


def _seven_zip(shell: Shell, name: str, args: list[str]) -> str:
    options = parse(args, attached='o')
    if options.operands[:1] in (['x'], ['e']):
        unpack(shell, name, '', options.last('-o'))
    return ''


def _compress(shell: Shell, name: str, args: list[str]) -> str:
    """`gzip x` replaces x by x.gz, and back."""
    options = parse(args, 'S --suffix')
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


def _download(shell: Shell, name: str, args: list[str]) -> str:
    """curl prints what it is not told to write; wget writes it."""
    if name == 'curl':
        options = parse(
            args,
            'AbcdeEFHKmMoPQrtTuUwxXyYzC --output --header --data --request --user '
            '--output-dir --retry --max-time',
        )
        directories = options.values('--output-dir')
        files = options.values('-o --output')
        named = options.has('-O --remote-name')
    else:
        options = parse(
            args, 'OPoaietTwQUl --output-document --directory-prefix --output-file'
        )
        directories = options.values('-P --directory-prefix')
        files = options.values('-O --output-document')
        named = not files and not options.has('-r --recursive --spider')
    for word in directories:
        shell = shell.in_directory(word)
    if named:
        names = [
            posixpath.basename(word.partition('?')[0]) for word in options.operands
        ]
        files = [*files, *names]
    shell.each_writes([word for word in files if word != '-'], name)
    return ANY


PROGRAMS: dict[str, Handler] = {
    **dict.fromkeys('cp gcp install ginstall'.split(), _copy),
    **dict.fromkeys('mv gmv'.split(), _mv),
    **dict.fromkeys('ln link'.split(), _ln),
    'rsync': _rsync,
    'scp': _scp,
    **dict.fromkeys('tar gtar bsdtar'.split(), _tar),
    **dict.fromkeys('cpio pax'.split(), _cpio),
    'unzip': _unzip,
    'zip': _zip,
    **dict.fromkeys('zipfile tarfile'.split(), _zip_module),
    **dict.fromkeys('7z 7za'.split(), _seven_zip),
    **dict.fromkeys(PACKED, _compress),
    **dict.fromkeys('curl wget'.split(), _download),
}
