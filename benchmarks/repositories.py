"""Large repositories, made with `git fast-import`."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

from tests import samples

IDENTITY = ('-c', 'user.name=Bench', '-c', 'user.email=bench@example.invalid')


def _files(items: int) -> dict[str, str]:
    names = [f'Plugin{number:05d}' for number in range(items)]
    files = {
        '.interlock.yaml': samples.WORKFLOW,
        'PLUGINS.md': samples.registry(dict.fromkeys(names, 'Stage 2')),
    }
    for name in names:
        files.update(samples.item_files(name))
        files[samples.handoff_path(name)] = samples.handoff(name)
    return files


def _stream(files: Mapping[str, str]) -> bytes:
    parts = [
        b'commit refs/heads/main\n'
        b'committer Bench <bench@example.invalid> 1767322800 +0000\n'
        b'data 5\nstart\n'
    ]
    for name, text in files.items():
        data = text.encode()
        parts.append(f'M 100644 inline {name}\n'.encode())
        parts.append(f'data {len(data)}\n'.encode() + data + b'\n')
    return b''.join(parts)


def git(top: Path, *args: str, data: bytes | None = None) -> None:
    subprocess.run(('git', *args), cwd=top, input=data, check=True)


def _blobs(top: Path, files: Mapping[str, str]) -> dict[str, str]:
    """text -> the id of its object, which is written."""
    marks = {
        text: number for number, text in enumerate(dict.fromkeys(files.values()), 1)
    }
    parts = []
    for text, number in marks.items():
        data = text.encode()
        parts.append(
            f'blob\nmark :{number}\ndata {len(data)}\n'.encode() + data + b'\n'
        )
    file = top / '.git' / 'marks'
    git(top, 'fast-import', '--quiet', f'--export-marks={file}', data=b''.join(parts))
    lines = file.read_text(encoding='UTF-8').splitlines()
    ids = dict(line.removeprefix(':').split(' ') for line in lines)
    return {text: ids[str(number)] for text, number in marks.items()}


def import_files(top: Path, files: Mapping[str, str]) -> None:
    """By the index, which is sorted: fast-import looks through a whole folder for
    each file, and one of them holds all items."""
    top.mkdir()
    git(top, 'init', '-q', '-b', 'main')
    # git would clean up in the background, while we measure or remove the folder
    git(top, 'config', 'gc.auto', '0')
    ids = _blobs(top, files)
    entries = ''.join(
        f'100644 {ids[text]}\t{name}\0' for name, text in sorted(files.items())
    )
    git(top, 'update-index', '-z', '--index-info', data=entries.encode())
    git(top, *IDENTITY, 'commit', '-q', '--no-verify', '-m', 'start')
    git(top, 'reset', '-q', '--hard')


def make(top: Path, items: int) -> None:
    """A repository of many items in which one stage commit is staged."""
    import_files(top, _files(items))
    name = f'Plugin{items // 2:05d}'
    statuses = dict.fromkeys(
        (f'Plugin{number:05d}' for number in range(items)), 'Stage 2'
    )
    changed = {
        'PLUGINS.md': samples.registry({**statuses, name: 'Stage 3'}),
        samples.handoff_path(name): samples.handoff(name, '3'),
        f'plugins/{name}/Source/Main.cpp': '// 2\n',
    }
    for path, text in changed.items():
        (top / path).write_text(text, encoding='UTF-8')
    git(top, 'add', *changed)


def _history(items: int, commits: int) -> bytes:
    """Commits that change code, handoffs and dates of some items in turn."""
    names = [f'Plugin{number:05d}' for number in range(items)]
    days = dict.fromkeys(names, '2026-01-02')
    parts = []
    for number in range(commits):
        name = names[number % items]
        days[name] = f'2026-01-{2 + number * 27 // commits:02}'
        rows = ''.join(samples.row(each, 'Stage 2', day) for each, day in days.items())
        entries = ''.join(
            samples.entry(each, 'Stage 2', day) for each, day in days.items()
        )
        changed = {
            'PLUGINS.md': samples.HEAD + rows + entries + samples.TAIL,
            samples.handoff_path(name): samples.handoff(name, last_updated=days[name])
            + f'\n{number}\n',
            f'plugins/{name}/Source/Main.cpp': f'// {number}\n',
        }
        parts.append(
            b'commit refs/heads/pushed\n'
            b'committer Bench <bench@example.invalid> 1767322800 +0000\n'
            b'data 9\nfix: more\n'
        )
        if not number:
            parts.append(b'from refs/heads/main^0\n')
        for path, text in changed.items():
            data = text.encode()
            parts.append(f'M 100644 inline {path}\n'.encode())
            parts.append(f'data {len(data)}\n'.encode() + data + b'\n')
    return b''.join(parts)


def make_push(top: Path, items: int, commits: int) -> tuple[str, str]:
    """A server that has the objects of a push, and no ref to them yet."""
    top.mkdir()
    git(top, 'init', '-q', '--bare', '-b', 'main')
    git(top, 'fast-import', '--quiet', data=_stream(_files(items)))
    git(top, 'fast-import', '--quiet', data=_history(items, commits))
    old, new = (
        subprocess.run(
            ('git', 'rev-parse', name),
            cwd=top,
            check=True,
            capture_output=True,
            text=True,
        ).stdout.strip()
        for name in ('main', 'pushed')
    )
    git(top, 'update-ref', '-d', 'refs/heads/pushed')
    return old, new
