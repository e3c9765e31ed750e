from __future__ import annotations

import ast
import configparser
import functools
import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from interlock import __version__
from interlock.agents.respond import DEPENDENCIES
from interlock.checks.all_checks import CHECKS
from interlock.rules.index import RULES
from tests import samples
from tests.conftest import Repo, forget_compiled
from tests.each import each

TOP = Path(__file__).parent.parent
SOURCE = TOP / 'hooks'
PACKAGE = SOURCE / 'interlock'

# room -> the rooms that it may import, besides itself; a room of rooms is one,
# but for the conditions of tasks, which are pure
ROOMS = {
    'model': set[str](),
    'documents': {'model'},
    'rules': {'model'},
    'workflow': {'model', 'documents', 'rules'},
    # what every hook needs: it imports next to nothing
    'files': {'model', 'documents', 'workflow'},
    'git': {'model', 'documents', 'workflow', 'files'},
    'transactions': {'model', 'documents', 'files', 'git'},
    'postgresql': {'model'},
    'state': {'model', 'workflow', 'files', 'git', 'postgresql'},
    'handoff_document': {
        'model',
        'documents',
        'rules',
        'workflow',
        'files',
        'git',
        'state',
    },
    # pure: a change in, findings out
    'checks': {'model', 'documents', 'rules', 'workflow', 'handoff_document'},
    # pure: a task as it was gathered in, what is wrong with it out
    'tasks.conditions': {'model', 'documents', 'rules', 'workflow'},
    # pure: records in, the bytes of files out
    'operations': {'model', 'documents', 'workflow', 'tasks.conditions'},
    'tasks': {
        'model',
        'documents',
        'rules',
        'workflow',
        'files',
        'git',
        'transactions',
        'postgresql',
        'tasks.conditions',
        'operations',
        'report',
    },
    'report': {'model', 'documents', 'rules', 'files', 'git'},
    'engine': {
        'model',
        'documents',
        'rules',
        'workflow',
        'files',
        'git',
        'transactions',
        'checks',
        'tasks',
        'tasks.conditions',
        'operations',
        'report',
    },
    # the records of a project and of its tasks, opened under a lock
    'project': {
        'model',
        'documents',
        'rules',
        'workflow',
        'files',
        'git',
        'transactions',
        'checks',
        'tasks',
        'tasks.conditions',
        'operations',
        'report',
        'state',
        'handoff_document',
        'engine',
    },
    'guard': {
        'model',
        'documents',
        'workflow',
        'files',
        'git',
        'transactions',
        'state',
        'checks',
        'operations',
        'tasks',
        'tasks.conditions',
        'engine',
    },
    'agents': {'model', 'documents', 'files', 'guard'},
    # started by the client, by the path of its file
    'claude': {'agents'},
    'setup': {
        'model',
        'documents',
        'workflow',
        'files',
        'git',
        'operations',
        # which preset fits is decided by the rules of each
        'checks',
        'report',
        'guard',
        'agents',
    },
    'doctor': {
        'model',
        'documents',
        'rules',
        'workflow',
        'files',
        'git',
        'transactions',
        'postgresql',
        'handoff_document',
        'checks',
        'operations',
        'tasks',
        'guard',
        'agents',
        'engine',
        'report',
    },
    'commands': {
        'model',
        'documents',
        'rules',
        'workflow',
        'files',
        'git',
        'transactions',
        'postgresql',
        'state',
        'handoff_document',
        'checks',
        'operations',
        'tasks',
        'tasks.conditions',
        'report',
        'engine',
        'project',
        'agents',
        'setup',
        'doctor',
        'demo',
    },
    'demo': {'model', 'documents', 'git'},
}
# a module that is not ours -> the only places where it may be imported
CONFINED = {
    # git, and the commands that a handoff document tells to run
    'subprocess': ['git/git.py', 'git/run_command.py'],
    'click': ['commands/'],
    'frontmatter': ['operations/handoff/edit.py'],
    'jsonschema': ['workflow/language/json_schema.py'],
    'mcp': ['commands/documents/mcp.py'],
    'psycopg': ['postgresql/database.py'],
    # Python 3.11 has it as `tomllib`
    'tomli': ['documents/wiring/hook_files.py'],
    'tree_sitter': ['documents/shell_syntax.py'],
    'tree_sitter_bash': ['documents/shell_syntax.py'],
    'yaml': ['documents/pyyaml.py'],
}
CODE_RE = re.compile('[A-Z]{3}[0-9]{3}')
# rules about what is asked for, and not about a change
ASKED = {'state', 'claude'}


def room_of(parts: list[str]) -> str:
    name = '.'.join(parts[:2])
    return name if name in ROOMS else ''.join(parts[:1])


class Module(NamedTuple):
    path: str
    imports: list[str]
    # the names that are called, and those that end a process
    called: set[str]
    exits: set[str]

    @property
    def room(self) -> str:
        return room_of(self.path.split('/')[:-1])


ENDS = {'SystemExit', 'sys.exit', 'os._exit', 'exit', 'quit'}


@functools.cache
def parsed(file: Path) -> Module:
    """One walk over a module: all tests over all of them ask its result."""
    path = file.relative_to(PACKAGE).as_posix()
    found = Module(path, [], set(), set())
    for node in ast.walk(ast.parse(file.read_text(encoding='UTF-8'))):
        if isinstance(node, ast.Import):
            found.imports.extend(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f'{path}: a relative import'
            assert node.module is not None
            found.imports.append(node.module)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            found.called.add(node.func.id)
        elif isinstance(node, ast.Name):
            found.exits.update({node.id} & ENDS)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            found.exits.update({f'{node.value.id}.{node.attr}'} & ENDS)
    return found


FILES = {str(file.relative_to(PACKAGE)): file for file in PACKAGE.rglob('*.py')}


def each_module(test: Callable[[Module], None]) -> Callable[[], None]:
    @functools.wraps(test)
    def run(file: Path) -> None:
        test(parsed(file))

    return each(FILES)(run)


def modules() -> list[Module]:
    return [parsed(file) for file in FILES.values()]


def read(name: str) -> str:
    return (TOP / name).read_text(encoding='UTF-8')


def setup_cfg() -> configparser.ConfigParser:
    parser = configparser.ConfigParser()
    parser.read(TOP / 'setup.cfg', encoding='UTF-8')
    return parser


def lines(section: str, option: str) -> list[str]:
    return setup_cfg()[section][option].split('\n')[1:]


def manifest() -> list[dict[str, Any]]:
    hooks: list[dict[str, Any]] = yaml.safe_load(read('.pre-commit-hooks.yaml'))
    return hooks


IDS = [hook['id'] for hook in manifest()]
HOOKS = pytest.mark.parametrize('hook', manifest(), ids=IDS)


def test_there_are_modules_in_every_room() -> None:
    assert {module.room for module in modules()} == {'', *ROOMS}


def test_no_room_is_a_heap() -> None:
    sizes = Counter(module.path.rpartition('/')[0] for module in modules())
    # with `__init__.py`
    assert [room for room, size in sizes.items() if size > 26] == []


def test_the_readme_names_every_room_and_no_file_that_is_gone() -> None:
    package = TOP / 'hooks/interlock'
    text = (package / 'README.md').read_text(encoding='UTF-8')
    rooms = {path.parent.name for path in package.glob('*/__init__.py')}
    assert set(re.findall(r'^\| `(\w+)/` \|', text, re.M)) == rooms
    named = re.findall(r'`([a-z_]+/[a-z_/]+\.py)\b', text)
    gone = [n for n in named if not (package / n).exists() and not (TOP / n).exists()]
    assert gone == []


@each_module
def test_a_module_imports_only_from_the_rooms_below(module: Module) -> None:
    if not module.room:
        assert module.imports == ['__future__']
        return
    allowed = ROOMS[module.room] | {module.room}
    for name in module.imports:
        parts = name.split('.')
        if parts[0] == 'interlock' and len(parts) > 1:
            assert room_of(parts[1:]) in allowed, f'{module.path} imports {name}'


@each_module
def test_other_packages_are_imported_where_they_belong(module: Module) -> None:
    for name in module.imports:
        places = CONFINED.get(name.partition('.')[0])
        if places is not None:
            assert module.path.startswith(tuple(places)), name


@each_module
def test_only_the_dependencies_are_imported(module: Module) -> None:
    # each is there in some versions of Python
    hashes = {'_sha2', '_sha256'}
    known = {*sys.stdlib_module_names, 'interlock', *CONFINED, *hashes}
    assert {name.partition('.')[0] for name in module.imports} <= known


# these are what stands for them elsewhere
SLOW_IMPORTS = {
    'typing': ('model/quick_typing.py',),
    're': ('model/quick_re.py',),
    'dataclasses': (),
    'collections.abc': ('model/quick_typing.py',),
}


def test_a_hook_of_a_client_finds_all_that_it_may_import() -> None:
    """It runs without `site`; the others are for commands only."""
    commands = {'subprocess', 'click', 'mcp', 'psycopg'}
    assert {*DEPENDENCIES} == {*CONFINED} - commands


@each_module
def test_hooks_do_not_pay_for_types_and_patterns(module: Module) -> None:
    tree = ast.parse((PACKAGE / module.path).read_text(encoding='UTF-8'))
    names = [
        alias.name if isinstance(node, ast.Import) else str(node.module)
        for node in tree.body
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
    ]
    assert [
        name
        for name in names
        if module.path not in SLOW_IMPORTS.get(name, (module.path,))
    ] == []


@each_module
def test_nothing_is_printed(module: Module) -> None:
    assert 'print' not in module.called


# where a process ends, and how; that of the client does not tidy up
EXITS = {
    'commands/main.py': {'SystemExit'},
    'commands/hooks/scripts.py': {'SystemExit'},
    'agents/respond.py': {'os._exit', 'SystemExit'},
    'agents/claude.py': {'SystemExit'},
}
# what clients call, not git
CLIENTS = {'interlock-agent', 'interlock-claude'}


@each_module
def test_a_process_ends_in_few_places_only(module: Module) -> None:
    assert module.exits == EXITS.get(module.path, set())


@pytest.mark.parametrize('name', CHECKS)
def test_a_check_is_a_module_with_a_test(name: str) -> None:
    check = CHECKS[name]
    assert check.check.__module__ == f'interlock.checks.{name}'
    assert check.title.endswith('.')
    # a check that is part of every run is not a hook of its own
    assert bool(check.help) == bool(check.stages)
    assert (TOP / f'tests/checks/{name}_test.py').is_file()


# hooks that judge nothing
WRITERS = {'interlock-trailers': 'prepare-commit-msg', 'interlock-trail': 'post-commit'}


def test_there_is_no_script_and_no_hook_too_many() -> None:
    names = {
        'interlock',
        *WRITERS,
        *(f'interlock-{name}' for name in CHECKS if name != 'workflow'),
    }
    scripts = lines('options.entry_points', 'console_scripts')
    assert {line.split(' = ')[0] for line in scripts} == names | CLIENTS
    assert set(IDS) == names
    assert len(IDS) == len(names)


@pytest.mark.parametrize('name', IDS)
def test_a_page_mentions_every_hook(name: str) -> None:
    assert re.search(rf'\b{re.escape(name)}\b(?!-)', read('docs/hooks.md'))


def test_every_rule_is_tested() -> None:
    tested = set[str]()
    for file in (TOP / 'tests').rglob('*_test.py'):
        tested.update(CODE_RE.findall(file.read_text(encoding='UTF-8')))
    assert set(RULES) - tested == set()


def test_every_rule_belongs_to_a_check() -> None:
    assert {rule.check for rule in RULES.values()} == {*CHECKS, *ASKED}
    assert all(re.fullmatch(r'[A-Z]{3}[0-9]{3}', code) for code in RULES)


def test_the_lowest_versions_of_the_dependencies_are_tried() -> None:
    tox = configparser.ConfigParser()
    tox.read(TOP / 'tox.ini', encoding='UTF-8')
    # without what says for which Python
    tried, wanted = (
        [line.partition(';')[0] for line in some]
        for some in (
            tox['testenv:mindeps']['deps'].split('\n')[1:],
            lines('options', 'install_requires'),
        )
    )
    floors = [line.split('>=') for line in wanted]
    assert [name for name, _ in floors] == [line.split('==')[0] for line in tried]
    for (_, floor), line in zip(floors, tried, strict=True):
        assert f'{line.split("==")[1]}.'.startswith(f'{floor}.')


def test_the_changelog_begins_with_this_version_or_the_next() -> None:
    title = read('CHANGELOG.md').split('\n\n')[2].split('\n')[0]
    assert title == 'Unreleased' or re.fullmatch(
        rf'{re.escape(__version__)} - [0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}', title
    )


def test_every_package_is_installed() -> None:
    found = [
        '.'.join(path.parent.relative_to(SOURCE).parts)
        for path in SOURCE.rglob('__init__.py')
    ]
    packages = lines('options', 'packages')
    assert packages == sorted([*found, 'interlock.schemas'])


def test_all_data_is_installed() -> None:
    data = setup_cfg()['options.package_data']
    assert data['interlock.workflow'] == 'presets/*.yaml, menus/*.yaml'
    assert data['interlock.workflow.language'] == '*.yaml, *.json'
    assert data['interlock.handoff_document'] == '*.yaml'
    assert data['interlock.schemas'] == '*.json'
    assert data['interlock.postgresql.migrations'] == '*.sql'
    assert data['interlock'] == 'py.typed'
    assert data['interlock.rules'] == '*.md, *.json'
    assert data['interlock.report'] == '*.css, *.js'
    assert data['interlock.agents'] == '*.js'
    assert data['interlock.commands'] == '*.json'
    assert data['interlock.setup'] == '*.yaml'
    assert data['interlock.demo'] == '*.yaml'
    assert data['interlock.doctor'] == '*.yaml, canary/*.yaml'
    assert data['interlock.state'] == '*.sql'
    others = [
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob('*')
        if path.is_file() and path.suffix not in {'.py', '.pyc'}
    ]
    assert [
        name
        for name in others
        if name not in {'py.typed', 'README.md', 'handoff_document/outline.yaml'}
        and name not in {'commands/sections.json', 'workflow/language/keys.yaml'}
        and name != 'workflow/language/reference.json'
        and name not in {'setup/progress_words.yaml', 'state/store.sql'}
        and name not in {'doctor/canary/documents.yaml', 'doctor/client_events.yaml'}
        and name != 'demo/attempts.yaml'
        and not re.fullmatch(r'workflow/(presets|menus)/[a-z-]+\.yaml', name)
        and not re.fullmatch(r'rules/([A-Z]{3}[0-9]{3}\.md|index\.json)', name)
        and not re.fullmatch(r'report/page\.(css|js)', name)
        and not re.fullmatch(r'agents/[a-z]+\.js', name)
        and not re.fullmatch(r'postgresql/migrations/[0-9]-[a-z]+\.sql', name)
    ] == []


@HOOKS
def test_a_hook_follows_the_conventions(hook: dict[str, Any]) -> None:
    assert hook['name']
    assert hook['description'].endswith('.')
    assert hook['language'] == 'python'
    assert hook['always_run'] is True
    assert hook['require_serial'] is True
    # else nobody sees its warnings
    assert hook['verbose'] is True
    assert hook['minimum_pre_commit_version'] == '3.2.0'
    stages = set(hook['stages'])
    assert stages
    if hook['id'] in WRITERS:
        assert stages == {WRITERS[hook['id']]}
        return
    assert stages <= {'pre-commit', 'pre-merge-commit', 'commit-msg', 'pre-push'}
    if 'commit-msg' not in stages:
        assert hook['pass_filenames'] is False
        assert 'files' not in hook


@pytest.mark.parametrize(
    ('path', 'passed'),
    (
        pytest.param('.git/COMMIT_EDITMSG', True, id='the message'),
        pytest.param('.git/MERGE_MSG', True, id='of a merge'),
        pytest.param('COMMIT_EDITMSG', True, id='in a linked worktree'),
        pytest.param('/é/.git/worktrees/x/COMMIT_EDITMSG', True, id='absolute'),
        pytest.param('PLUGINS.md', False, id='registry'),
        pytest.param('COMMIT_EDITMSG.md', False, id='longer'),
        pytest.param('MY_COMMIT_EDITMSG', False, id='other name'),
        pytest.param('COMMIT_EDITMSG/é', False, id='directory'),
        pytest.param('', False, id='nothing'),
    ),
)
@HOOKS
def test_a_hook_gets_the_message_file_and_no_other(
    hook: dict[str, Any], path: str, passed: bool
) -> None:
    if {'commit-msg', 'prepare-commit-msg'} & set(hook['stages']):
        assert 'pass_filenames' not in hook
        # as pre-commit does it
        assert bool(re.search(hook['files'], path)) == passed


def test_our_own_commits_are_judged_as_the_manifest_has_it() -> None:
    (repo,) = yaml.safe_load(read('.pre-commit-config.yaml'))['repos']
    assert repo['repo'] == 'local'
    (own,) = (hook for hook in repo['hooks'] if hook['id'] == 'interlock')
    (whole,) = (hook for hook in manifest() if hook['id'] == 'interlock')
    # how it is found and described differs, what it does does not
    for key in ('description', 'minimum_pre_commit_version'):
        del whole[key]
    assert own == {
        **whole,
        'entry': f'.venv/bin/{whole["entry"]}',
        'language': 'system',
    }


@HOOKS
def test_the_entry_of_a_hook_is_a_script(hook: dict[str, Any]) -> None:
    name = hook['id']
    entry = 'interlock hook' if name == 'interlock' else name
    assert hook['entry'] == entry


def loaded(*args: str) -> set[str]:
    """The modules that a run of the command line has imported."""
    program = (
        'import json, sys\n'
        'from interlock.commands.click_options import run\n'
        'from interlock.commands.group import cli\n'
        'code = run(cli, sys.argv[1:])\n'
        'print()\n'
        'print(json.dumps([code, sorted(sys.modules)]))\n'
    )
    process = subprocess.run(
        (sys.executable, '-c', program, *args),
        capture_output=True,
        text=True,
        check=True,
        env=os.environ,
    )
    code, modules = json.loads(process.stdout.splitlines()[-1])
    assert code == 0, process.stderr
    return set(modules)


def test_help_imports_nothing_that_is_slow() -> None:
    modules = loaded('--help')
    assert not {'yaml', 'jsonschema'} & modules
    # nor the whole of our own
    assert 'interlock.workflow.language.json_schema' not in modules


def test_explain_imports_nothing_that_is_slow() -> None:
    assert not {'yaml', 'jsonschema'} & loaded('explain', 'REG001')


def test_a_warm_check_imports_nothing_that_is_slow(project: Repo) -> None:
    forget_compiled()
    assert 'jsonschema' in loaded('check', '--staged')
    project.stage(
        {
            'PLUGINS.md': samples.registry(
                {'Alpha': 'Ideated', 'Bravo': 'Stage 3', 'Charlie': 'Installed'}
            ),
            samples.handoff_path('Bravo'): samples.handoff('Bravo', '3'),
            'plugins/Bravo/Source/Main.cpp': '// 2\n',
        }
    )
    modules = loaded('check', '--staged')
    assert not {'jsonschema', 'difflib'} & modules


# what each hook of git takes at most: modules of ours, and classes. A change that
# needs more must be worth the time of every commit
HOOK_BUDGETS = {'hook': (95, 133), 'hook NOTE': (95, 133), 'pre-receive': (99, 137)}
HOOK_COUNTED = """
import builtins, sys
known, made, build = set(sys.modules), [], builtins.__build_class__
def counted(*args, **keywords):
    if sys._getframe(1).f_globals['__name__'].startswith('interlock'):
        made.append(args[1])
    return build(*args, **keywords)
builtins.__build_class__ = counted
from interlock.commands.main import main
try:
    main()
except SystemExit:
    patterns = sys.modules['interlock.model.quick_re'].compiled_here
    print()
    print(len(made), len(patterns), *set(sys.modules) - known)
"""


@pytest.mark.parametrize('command', HOOK_BUDGETS)
def test_a_hook_of_git_stays_within_its_budget(project: Repo, command: str) -> None:
    """Nor does it import `re` and the like, each of which takes as long as a check."""
    old = project.git('rev-parse', 'HEAD')
    registry = (project.path / 'PLUGINS.md').read_text(encoding='UTF-8')
    handoff = samples.handoff('Bravo') + '\nMore.\n'
    project.commit(
        {'PLUGINS.md': f'{registry}\nMore.\n', samples.handoff_path('Bravo'): handoff}
    )
    new = project.git('rev-parse', 'HEAD')
    project.git('reset', '-q', '--soft', old)
    note = project.path / 'NOTE'
    note.write_text('Take a note\n', encoding='UTF-8')
    for _ in range(2):
        # the first time the workflow and the patterns are compiled
        done = subprocess.run(
            (sys.executable, '-c', HOOK_COUNTED, *command.split()),
            input=f'{old} {new} refs/heads/main\n',
            cwd=project.path,
            capture_output=True,
            text=True,
            check=True,
        )
    made, patterns, *modules = done.stdout.splitlines()[-1].split()
    assert not {*modules} & {'datetime', 'enum', 'json', 're', 'shlex'}
    ours = [name for name in modules if name.startswith('interlock')]
    most, classes = HOOK_BUDGETS[command]
    assert 0 < len(ours) <= most
    assert int(made) <= classes
    assert patterns == '0'


@pytest.mark.parametrize(
    'call', ('on_session_start', 'on_tool_use', 'on_subagent_stop')
)
def test_a_hook_about_the_saved_state_imports_nothing_that_is_slow(
    project: Repo, call: str
) -> None:
    program = (
        'import json, os, sys\n'
        'from interlock.state import state_hooks\n'
        f'state_hooks.{call}({{"source": "compact", "tool_name": "TodoWrite", '
        '"tool_input": {"todos": []}, "agent_id": "a", "agent_type": "b"}, '
        'os.environ)\n'
        'print(json.dumps(sorted(sys.modules)))\n'
    )
    process = subprocess.run(
        (sys.executable, '-c', program),
        capture_output=True,
        text=True,
        check=True,
        env=os.environ,
    )
    slow = {
        'click',
        'yaml',
        'jsonschema',
        'mcp',
        'subprocess',
        'dataclasses',
        'difflib',
        'importlib.resources',
        'interlock.workflow.language.spec',
    }
    assert not slow & set(json.loads(process.stdout))
