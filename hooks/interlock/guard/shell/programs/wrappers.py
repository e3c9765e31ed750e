"""Programs that run another one, where the table cannot say how."""

from __future__ import annotations

from interlock.guard.shell.effects import Skips
from interlock.guard.shell.hook_skipping import (
    is_committing,
    judge_new_environment,
    judge_settings,
    judge_unset,
    judge_variable,
    passes_on,
    telling,
)
from interlock.guard.shell.options import Options, parse
from interlock.guard.shell.programs.interpreters import interpreter, is_interpreter
from interlock.guard.shell.state import Shell
from interlock.guard.shell.walk import run_with
from interlock.guard.shell.words import ANY, quote, shown
from interlock.model import clients
from interlock.model import quick_re as re
from interlock.model.quick_json import loads

# `uv run pre-commit`: the words between the program and the command
RUNNERS = {
    'uv': 'run tool',
    'pipx': 'run',
    'bundle': 'exec',
    **dict.fromkeys(
        'poetry pipenv pdm hatch rye pixi conda mamba micromamba devbox volta op '
        'doppler '
        'infisical dotenvx teller foreman'.split(),
        'run',
    ),
    **dict.fromkeys(
        'direnv asdf rbenv pyenv nodenv goenv fnm nvm aws-vault chamber nx lerna '
        'rtx'.split(),
        'exec',
    ),
    'mise': 'exec x run r',
}
# for them a name comes first: of a directory, a version, a profile
NAMING = ('direnv', 'nvm', 'aws-vault', 'chamber', 'op')
# first words of a client that change its settings, with more than one word behind
SETTING = ('config', 'features', 'hooks', 'settings')
RUNNER_VALUES = 'np --python --with --from --package --name --spec'
# ours, as it is installed
PACKAGE = 'interlock-hooks'
MAKEFILES = ('GNUmakefile', 'makefile', 'Makefile')
# what other runners read, besides packages
TASK_FILES = (
    *('justfile', 'Justfile', '.justfile', 'Taskfile.yml', 'Taskfile.yaml'),
    *('tox.ini', 'noxfile.py', 'tasks.py', 'Rakefile', 'gulpfile.js', 'Gruntfile.js'),
    *('mise.toml', 'build.xml'),
)
CONTAINERS = ('docker', 'podman', 'nerdctl')
# what stands before a command: in tables of cron, scripts of expect and of ed, words
# of socat and of tmux
START = re.compile(
    r'\s*(?:@\w+\s|(?:[-\d*/,]+\s+){5}|spawn\s+(?:-\w+\s+)*|!|[A-Z]+:|run(?:-shell)?\s)'
    r'(.*)'
)
# `/usr/bin/git`, `nixpkgs#git`, `--command=git`: the name is the last part
PART = re.compile('[/:#=]')
# of programs besides git: they change nothing
LOOKING = frozenset(
    '-h --help --version help version log status st diff show files ls file'.split()
)


def assignments(words: list[str]) -> tuple[list[tuple[str, str]], list[str]]:
    """The variables in front of a command, and the command."""
    found, rest = [], list(words)
    while rest and '=' in rest[0].partition('/')[0]:
        name, _, value = rest.pop(0).partition('=')
        found.append((name, value))
    return found, rest


def unversioned(words: list[str]) -> list[str]:
    """`prettier@3` is prettier, and our package has our program."""
    if not words:
        return []
    name = words[0][:1] + words[0][1:].partition('@')[0]
    return ['interlock' if name == PACKAGE else name, *words[1:]]


def command(shell: Shell, _: str, options: Options) -> str:
    where = ['which'] if options.has('-v -V') else []
    return shell.run([*where, *unversioned(options.operands)])


def env(shell: Shell, own: str, options: Options) -> str:
    inner, rest = shell.child(), options.operands
    bare = rest[:1] == ['-'] or options.has('-i --ignore-environment')
    bare = options.has('-c') if own == 'exec' else bare
    for name in options.values('-u --unset'):
        judge_unset(shell, name, 'env -u')
    for directory in options.values('-C --chdir'):
        inner.enter(directory)
    variables, rest = assignments(rest[rest[:1] == ['-'] :])
    count = len(shell.effects)
    for text in options.values('-S --split-string')[:1]:
        line = ' '.join((f'env {text}', *map(quote, rest)))
        rest = ['eval', line]
    printed = run_with(inner, variables, rest, 'env')
    if bare:
        judge_new_environment(shell, f'{own} {"-c" if own == "exec" else "-i"}', count)
    return printed


def runner(shell: Shell, name: str, options: Options) -> str:
    """Its own subcommands are programs like any other."""
    words = options.operands
    # `uv tool run`, but `uv tool uninstall`
    own = words[:1] == ['tool'] and words[1:2] != ['run']
    if not words or own or words[0] not in RUNNERS[name].split():
        shell.runs(name, options.args)
        if is_committing(name):
            passes_on(shell, name, options.args)
        return ANY
    find_scripts(shell, name)
    rest = parse(words[1:], RUNNER_VALUES, first=True).operands
    if '--' in words:
        rest = words[words.index('--') + 1 :]
    elif name in NAMING:
        rest = rest[1:]
    if rest[:1] == ['run']:
        rest = rest[1:]
    if rest and rest[0].endswith('.py'):
        rest = ['python', *rest]
    return shell.run(unversioned(rest))


def script_runner(shell: Shell, name: str, options: Options) -> str:
    """npm and its kind: programs, and scripts that have a name."""
    words = options.operands
    first = ''.join(words[:1])
    if name == 'bun' and options.has('-e --eval -p --print'):
        shell.runs('node', options.args)
        return interpreter(shell, 'node', options)
    elif first in ('exec', 'x', 'dlx'):
        inner = parse(words[1:], RUNNER_VALUES, first=True)
        for line in (*inner.values('-c --call'), *inner.operands[:1]):
            if ' ' in line:
                return shell.child().text(line)
        return shell.run(unversioned(inner.operands))
    shell.runs(name, options.args)
    if 'script-shell' in ' '.join(words[:3]):
        shell.unknown(f'`{name}` is told another shell for scripts')
    find_scripts(shell, name, *(words if first in ('pkg', 'set-script') else ()))
    script = ''.join(words[1:2]) if first.startswith('run') else first
    path, text = shell.stored_text('package.json')
    if text:
        shell.child().read_stored(path, _named_script(text, script))
    if first in ('config', 'set', 'c') and any(
        word.startswith('commit-hooks') for word in words
    ):
        shell.add(Skips(f'{name} {" ".join(words[:3])}'))
    if is_committing(script):
        passes_on(shell, f'{name} {script}', options.args)
    if name != 'npm' and words and not first.startswith('run'):
        return shell.run(words)
    return ANY


def _named_script(text: str, name: str) -> str:
    """What a package runs by a name, before it and after it."""
    try:
        scripts = loads(text)['scripts']
        found = [scripts.get(f'{when}{name}', '') for when in ('pre', '', 'post')]
    except (ValueError, TypeError, KeyError, AttributeError):
        return ''
    return '\n'.join(each for each in found if isinstance(each, str))


def find_scripts(shell: Shell, name: str, *words: str) -> None:
    """It runs what a file says, which the line itself may have written."""
    stored = [shell.stored_text(file) for file in TASK_FILES]
    new = [
        text
        for path, text in stored
        if text and telling(text) and not shell.shared.scripts.is_committed(path)
    ]
    for text in (*shell.shared.files.values(), *new, *words):
        if found := telling(text):
            shell.unknown(f'what `{name}` runs names {found}')


def make(shell: Shell, name: str, options: Options) -> str:
    inner = shell.child()
    for word in options.values('-C --directory'):
        inner.enter(word)
    inner.runs(name, options.args)
    for word in options.operands:
        # a variable of make is one of the environment of what it runs
        variable, equals, value = word.partition('=')
        if not equals:
            continue
        judge_variable(shell, variable.rstrip('?:+'), value, name)
        if variable == 'SHELL':
            inner.child().text(value)
        commits = any(part in variable.upper() for part in ('GIT', 'COMMIT'))
        if commits and '-n' in value.split():
            shell.add(Skips(f'{name} {shown(word)}'))
    texts = options.values('-E --eval')
    for word in options.values('-f --file --makefile') or MAKEFILES:
        # recipes of a file that the line itself has written
        if word.startswith('/dev/fd/'):
            shell.unknown(f'`{name}` runs what another command prints')
        fed = word in ('-', '/dev/stdin')
        texts.append((inner.stdin if fed else inner.written_text(word)) or '')
        path, text = inner.stored_text(word)
        if text and not texts[-1]:
            inner.child().read_stored(path, _recipes(text, options.operands))
    for line in '\n'.join(texts).split('\n'):
        for part in line.split('$(shell ')[1:]:
            inner.child().text(part.rpartition(')')[0])
        recipe = line if line[:1] == '\t' else line.partition(';')[2]
        inner.child().text(_shell_line(recipe))
    return ANY


def _shell_line(recipe: str) -> str:
    return recipe.lstrip('\t @-+').replace('$$', '$')


def _recipes(text: str, goals: list[str]) -> str:
    """What a makefile runs for some targets, and for what they need."""
    rules: dict[str, list[tuple[list[str], str]]] = {}
    for block in re.split(r'\n(?=[^\s#])', text.replace('\\\n', ' ')):
        head, _, body = block.partition('\n')
        targets, colon, rest = head.partition(':')
        needs, _, first = rest.partition(';')
        if colon and '=' not in head.partition(';')[0]:
            for target in targets.split():
                rules.setdefault(target, []).append((needs.split(), f'{first}\n{body}'))
    default = [name for name in rules if name[:1] != '.'][:1]
    found: list[str] = []
    todo = [goal for goal in goals if '=' not in goal] or default
    while todo:
        for needs, body in rules.pop(todo.pop(0), ()):
            todo = [*needs, *todo]
            found += map(_shell_line, body.split('\n'))
    return '\n'.join(found)


def without_hooks(shell: Shell, name: str, options: Options) -> str:
    """Other programs that commit into a repository of git."""
    verb = ''.join(options.operands[:1])
    if verb not in LOOKING:
        shell.unknown(f'`{name} {verb}` runs no hooks of git')
    return ANY


def ssh(shell: Shell, name: str, options: Options) -> str:
    """Another machine does not concern us, this one does."""
    host, *rest = options.operands or ['']
    for word in options.values('-o'):
        option, _, text = word.partition('=')
        if option.endswith('Command'):
            shell.child().text(text)
    if host.rpartition('@')[2] in ('localhost', '127.0.0.1', '::1'):
        count = len(shell.effects)
        shell.child().text(' '.join(rest))
        judge_new_environment(shell, name, count)
    return ANY


def _is_program(word: str) -> bool:
    from interlock.guard.shell.programs.table import TABLE

    return word in TABLE or word == 'interlock' or word[:1] in '/~.'


def _from_program(words: list[str]) -> list[str]:
    """The words from the first one on that is the name of a program."""
    names = [PART.split(word)[-1] for word in words]
    found = [at for at, name in enumerate(names) if _is_program(name)]
    return [names[found[0]], *words[found[0] + 1 :]] if found else []


def commands_in(words: list[str]) -> str:
    """What a program is told to run elsewhere, in another terminal or at another
    time: its texts, and its words from the first program on."""
    texts = [commands_after_starts(word) or word for word in words if ' ' in word]
    return '\n'.join([*texts, ' '.join(map(quote, _from_program(words)))])


def commands_after_starts(text: str) -> str:
    """The commands in those lines of a text that begin as such a program wants it."""
    found = filter(None, map(START.match, text.replace(ANY, '\n').split('\n')))
    return '\n'.join(each[1].strip('\'"') for each in found)


def container(shell: Shell, name: str, options: Options) -> str:
    """docker run: a command that sees directories of this machine."""
    mounts = _mounts(shell, options) if 'run' in options.args[:2] else {}
    if not mounts:
        return ANY
    inner = shell.child()
    for word in options.values('-w --workdir')[-1:]:
        inner.enter(_outside(word, mounts))
    words = [_outside(word, mounts) for word in options.args]
    # whatever it is, it may write the files that are named to it
    inner.runs(f'{name} run', words)
    # images are often named like what they hold
    inner.run(_from_program([word for word in words if not is_interpreter(word)]))
    return ANY


def _mounts(shell: Shell, options: Options) -> dict[str, str]:
    """Directories of the container, and what they are here."""
    pairs = []
    for value in options.values('-v --volume'):
        origin, _, target = value.partition(':')
        if origin[:1] in ('.', '/') or ANY in origin:
            pairs.append((origin, target.partition(':')[0]))
    for value in options.values('--mount'):
        given = dict(part.partition('=')[::2] for part in value.split(','))
        origin = given.get('source') or given.get('src', '')
        for key in ('target', 'destination', 'dst'):
            pairs.append((origin, given.get(key, '')))
    return {
        target.rstrip('/'): shell.in_directory(origin).cwd
        for origin, target in pairs
        if origin and target
    }


def _outside(text: str, mounts: dict[str, str]) -> str:
    """The text with paths of this machine instead of the container's."""
    for target, origin in mounts.items() if text else ():
        if target and (text == target or f'{target}/' in text):
            text = text.replace(f'{target}/', f'{origin}/')
            text = origin if text == target else text
        text = text.replace(f'cd {target}', f'cd {origin}')
    return text


def hook_manager(shell: Shell, name: str, options: Options) -> str:
    """pre-commit, prek, husky, lefthook: what takes the hooks away."""
    verb = ''.join(options.operands[:1])
    if verb == 'install' and options.has('-f -c --overwrite --force --config'):
        shell.unknown(f'`{name} install` may replace the hooks')
    if verb in ('uninstall', 'uninit') or options.has('--uninstall'):
        shell.add(Skips(f'{name} {verb or "--uninstall"}'))
    elif name == 'simple-git-hooks':
        shell.unknown(f'`{name}` replaces the hooks')
    elif verb in ('add', 'set'):
        shell.each_writes(options.operands[1:2], f'{name} {verb}')
    elif name == 'husky' and verb in ('', 'init', 'install') and not options.flags:
        shell.unknown(f'`{" ".join([name, verb]).strip()}` sets core.hooksPath')
    return ANY


def names_of(program: str, client: str) -> list[str]:
    """A client's program, and what it is called as a package."""
    packages = [name for name, own in clients.PACKAGES if own == client]
    return [program, *(name.rpartition('/')[2] for name in packages)]


def client(shell: Shell, name: str, options: Options) -> str:
    """Another client of agents, or the plugins of this one."""
    valued, plain = next(
        rest
        for program, own, *rest in clients.PROGRAMS
        if name in names_of(program, own)
    )
    if options.has(f'{valued} {plain}'):
        shell.unknown(f'`{name}` is started with other settings')
    judge_settings(shell, shell.exported, name)
    verb = ' '.join(options.operands[:2])
    if options.operands[:1] and options.operands[0] in SETTING and options.operands[2:]:
        shell.unknown(f'`{name} {verb}` changes settings of a client')
    if re.fullmatch('plugins? (disable|uninstall|remove|rm)', verb):
        shell.add(Skips(f'{name} {verb}'))
    return ANY
