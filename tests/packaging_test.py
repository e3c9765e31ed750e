from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest

from interlock import __version__
from interlock.checks.all_checks import CHECKS
from tests import samples
from tests.conftest import Repo

pytestmark = pytest.mark.slow

TOP = Path(__file__).parent.parent
LEFT_OUT = shutil.ignore_patterns(
    '.[!c]*', '.ci', '.client', '__pycache__', '*.egg-info', 'build', 'dist', 'tests'
)


def call(*args: str | Path, cwd: Path, **environ: str) -> str:
    process = subprocess.run(
        [str(arg) for arg in args],
        cwd=cwd,
        env={**os.environ, **environ},
        capture_output=True,
        text=True,
    )
    assert process.returncode == 0, process.stderr
    return process.stdout


@pytest.fixture(scope='module')
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp('sdist')
    shutil.copytree(TOP, top / 'source', ignore=LEFT_OUT)
    tools = top / 'tools'
    call(
        sys.executable,
        '-m',
        'pip',
        'install',
        '-q',
        '--target',
        tools,
        'setuptools>=64',
        cwd=top,
    )
    call(
        sys.executable,
        '-c',
        'from setuptools.build_meta import build_sdist; build_sdist("..")',
        cwd=top / 'source',
        PYTHONPATH=str(tools),
    )
    (made,) = top.glob('*.tar.gz')
    return made


@pytest.fixture(scope='module')
def wheel(sdist: Path) -> Path:
    """Built from the sdist, so that both are known to be complete."""
    call(
        sys.executable,
        '-m',
        'pip',
        'wheel',
        '-q',
        '--no-deps',
        '--wheel-dir',
        sdist.parent / 'wheels',
        sdist,
        cwd=sdist.parent,
    )
    (made,) = (sdist.parent / 'wheels').glob('*.whl')
    return made


@pytest.fixture(scope='module')
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The scripts of a fresh environment that has the wheel."""
    top = tmp_path_factory.mktemp('installed')
    call(sys.executable, '-m', 'venv', '--without-pip', top / 'venv', cwd=top)
    python = top / 'venv/bin/python'
    call(
        sys.executable,
        '-m',
        'pip',
        '--python',
        python,
        'install',
        '-q',
        '--no-deps',
        wheel,
        cwd=top,
    )
    where = call(
        python, '-c', 'import sysconfig; print(sysconfig.get_path("purelib"))', cwd=top
    ).strip()
    # the dependencies, which come after what is installed here
    libraries = sorted({sysconfig.get_path('purelib'), sysconfig.get_path('platlib')})
    Path(where, 'dependencies.pth').write_text('\n'.join(libraries) + '\n')
    return top / 'venv/bin'


def relative(paths: list[str]) -> set[str]:
    """The files of our package, as they lie in the repository."""
    return {path for path in paths if path.startswith('interlock/')}


def expected() -> set[str]:
    package = TOP / 'hooks/interlock'
    files = {
        path.relative_to(TOP / 'hooks').as_posix()
        for path in package.rglob('*')
        if path.is_file() and '__pycache__' not in path.parts
    }
    schemas = {
        f'interlock/schemas/{path.name}'
        for path in TOP.glob('schemas/*')
        if path.is_file()
    }
    return files | schemas


def test_the_wheel_holds_our_package_whole_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    # how the package is built is for those who have its source
    assert relative(names) == expected() - {'interlock/README.md'}
    tops = {name.partition('/')[0] for name in names}
    assert tops == {'interlock', f'interlock_hooks-{__version__}.dist-info'}


@pytest.mark.parametrize(
    ('name', 'source'),
    (
        ('py.typed', 'hooks/interlock/py.typed'),
        ('rules/REG001.md', 'hooks/interlock/rules/REG001.md'),
        ('schemas/__init__.py', 'schemas/__init__.py'),
        ('schemas/menus.schema.json', 'schemas/menus.schema.json'),
        ('schemas/workflow.schema.json', 'schemas/workflow.schema.json'),
        (
            'workflow/menus/plugin-workflow.yaml',
            'hooks/interlock/workflow/menus/plugin-workflow.yaml',
        ),
        (
            'workflow/presets/plugin-workflow.yaml',
            'hooks/interlock/workflow/presets/plugin-workflow.yaml',
        ),
        (
            'workflow/presets/task-protocol.yaml',
            'hooks/interlock/workflow/presets/task-protocol.yaml',
        ),
        (
            'handoff_document/outline.yaml',
            'hooks/interlock/handoff_document/outline.yaml',
        ),
        ('setup/progress_words.yaml', 'hooks/interlock/setup/progress_words.yaml'),
        ('schemas/outline.schema.json', 'schemas/outline.schema.json'),
        ('schemas/client-settings.schema.json', 'schemas/client-settings.schema.json'),
        ('claude/launcher.py', 'hooks/interlock/claude/launcher.py'),
    ),
)
def test_the_wheel_holds_the_data(wheel: Path, name: str, source: str) -> None:
    with zipfile.ZipFile(wheel) as archive:
        assert archive.read(f'interlock/{name}') == (TOP / source).read_bytes()


@pytest.mark.parametrize(
    'name',
    (
        'README.md',
        'LICENSE',
        'pyproject.toml',
        'setup.cfg',
        'hooks/hooks.json',
        'hooks/interlock_launcher.py',
        'commands/handoff.md',
        '.claude-plugin/plugin.json',
    ),
)
def test_the_sdist_holds_what_a_build_needs(sdist: Path, name: str) -> None:
    with tarfile.open(sdist) as archive:
        names = [member.partition('/')[2] for member in archive.getnames()]
    assert name in names


def test_the_metadata_has_a_licence_and_a_description(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (n for n in archive.namelist() if n.endswith('/METADATA'))
        text = archive.read(name).decode()
        licences = [n for n in archive.namelist() if n.endswith('LICENSE')]
    head, _, body = text.partition('\n\n')
    assert f'\nVersion: {__version__}\n' in head
    assert 'Requires-Python: >=3.10' in head
    assert body.strip() == (TOP / 'README.md').read_text().strip()
    assert len(licences) == 1


def test_the_version_of_an_installation(installed: Path, tmp_path: Path) -> None:
    out = call(installed / 'interlock', '--version', cwd=tmp_path)
    assert out == f'interlock, version {__version__}\n'
    where = call(
        installed / 'python',
        '-c',
        'import interlock.schemas as i;print(i.__file__)',
        cwd=tmp_path,
    )
    assert where.startswith(str(installed.parent))


def test_an_installation_has_every_script(installed: Path) -> None:
    scripts = {path.name for path in installed.glob('interlock*')}
    assert scripts == {
        'interlock',
        'interlock-agent',
        'interlock-claude',
        'interlock-trail',
        'interlock-trailers',
        *(f'interlock-{name}' for name in CHECKS if name != 'workflow'),
    }


def test_an_installation_is_a_guard(installed: Path, project: Repo) -> None:
    """Wired by itself, started without `site`, its cache cold."""
    call(installed / 'interlock', 'init', '--claude', cwd=project.path)
    settings = json.loads((project.path / '.claude/settings.local.json').read_text())
    handler = settings['hooks']['PreToolUse'][0]['hooks'][0]
    shell, option, script = shlex.split(handler['command'])
    assert (shell, option) == ('/bin/sh', '-c')
    python, isolated, without_site, launcher = shlex.split(script)[:4]
    assert python == str(installed / 'python')
    assert (isolated, without_site) == ('-I', '-S')
    assert launcher.startswith(str(installed.parent))
    process = subprocess.run(
        ('sh', '-c', handler['command']),
        capture_output=True,
        text=True,
        cwd='/',
        input=json.dumps(
            {
                'hook_event_name': 'PreToolUse',
                'cwd': str(project.path),
                'tool_name': 'Write',
                'tool_input': {
                    'file_path': str(project.path / '.git/hooks/pre-commit'),
                    'content': '',
                },
            }
        ),
    )
    assert process.returncode == 2
    assert 'CLD003' in process.stdout


def test_an_installation_finds_its_schemas_and_presets(
    installed: Path, project: Repo
) -> None:
    schema = call(installed / 'interlock', 'explain', '--schema', cwd=TOP)
    assert 'extends' in json.loads(schema)['properties']
    project.stage(
        {
            'PLUGINS.md': samples.registry(
                {'Alpha': 'Ideated', 'Bravo': 'Stage 2', 'Charlie': 'Installed'},
                rows={'Alpha': 'Stage 0'},
            )
        }
    )
    process = subprocess.run(
        (str(installed / 'interlock-registry'),),
        cwd=project.path,
        capture_output=True,
        text=True,
    )
    assert process.returncode == 1
    assert 'REG001 Alpha' in process.stdout
