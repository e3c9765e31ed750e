"""Programs that run another program in ways that the table cannot describe."""

from __future__ import annotations

from interlock.guard.shell.effects import Skips
from interlock.guard.shell.hook_skipping import (
    evasion_in,
    is_committing,
    judge_new_environment,
    judge_settings,
    judge_skipping_options,
    judge_unset,
    judge_variable,
)
from interlock.guard.shell.options import Options, parse
from interlock.guard.shell.programs.interpreters import interpreter, is_interpreter
from interlock.guard.shell.state import Shell
from interlock.guard.shell.walk import run_with
from interlock.guard.shell.words import ANY, quote, shown
from interlock.model import clients
from interlock.model import quick_re as re
from interlock.model.quick_json import loads

# their output is for `eval`, and only prepares the shell
SETTING_UP = ('hook', 'init', 'activate')
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
# here a name comes before the command: of a directory, a version or a profile
NAMING = ('direnv', 'nvm', 'aws-vault', 'chamber', 'op')
# the program of each client, also by the name of its package, as npx starts it ->
# the client, and its options that may stop hooks from running: those with a value,
# then those without one
CLIENTS = {
    name.rpartition('/')[2]: (own, valued, plain)
    for program, own, valued, plain in clients.PROGRAMS
    for name in (program, *(name for name, of in clients.PACKAGES if of == own))
}
# first words that change a client's settings, if more than one word follows
SETTING = ('config', 'features', 'hooks', 'settings')
RUNNER_VALUES = 'np --python --with --from --package --name --spec'
# the name of our installed package
PACKAGE = 'interlock-hooks'
MAKEFILES = ('GNUmakefile', 'makefile', 'Makefile')
# files that other task runners read, besides package files
TASK_FILES = (
    *('justfile', 'Justfile', '.justfile', 'Taskfile.yml', 'Taskfile.yaml'),
    *('tox.ini', 'noxfile.py', 'tasks.py', 'Rakefile', 'gulpfile.js', 'Gruntfile.js'),
    *('mise.toml', 'build.xml'),
)
CONTAINERS = ('docker', 'podman', 'nerdctl')
# the key, as `screen -X stuff` takes it
ENTER = '^M'
# text before a command: in crontabs, in scripts for expect and ed, and in
# arguments of socat and tmux
START = re.compile(
    r'\s*(?:@\w+\s|(?:[-\d*/,]+\s+){5}|spawn\s+(?:-\w+\s+)*|!|[A-Z]+:|run(?:-shell)?\s)'
    r'(.*)'
)
# `/usr/bin/git`, `nixpkgs#git`, `--command=git`: the name is the last part
PART = re.compile('[/:#=]')
# words with which programs other than git change nothing
LOOKING = frozenset(
    '-h --help --version help version log status st diff show files ls file'.split()
)


def assignments(words: list[str]) -> tuple[list[tuple[str, str]], list[str]]:
    """The variables before a command, and the command."""
    found, rest = [], list(words)
    while rest and '=' in rest[0].partition('/')[0]:
        name, _, value = rest.pop(0).partition('=')
        found.append((name, value))
    return found, rest


def unversioned(words: list[str]) -> list[str]:
    """Drop the version (`prettier@3` is prettier); our package has our program."""
    if not words:
        return []
    name = words[0][:1] + words[0][1:].partition('@')[0]
    return ['interlock' if name == PACKAGE else name, *words[1:]]


def command(shell: Shell, _: str, options: Options) -> str:
    where = ['which'] if options.has('-v -V') else []
    # not a function of that name
    functions, shell.functions = shell.functions, {}
    printed = shell.run([*where, *unversioned(options.operands)])
    shell.functions = {**functions, **shell.functions}
    return printed


def env(shell: Shell, own: str, options: Options) -> str:
    inner, rest = shell.child(), options.operands
    bare = rest[:1] == ['-'] or options.has('-i --ignore-environment')
    bare = options.has('-c') if own == 'exec' else bare
    for name in options.values('-u --unset'):
        judge_unset(shell, name, 'env -u')
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
    """Run the command after `uv run` and the like; other subcommands are programs."""
    words = options.operands
    # `uv tool run` runs a command, `uv tool uninstall` does not
    own = words[:1] == ['tool'] and words[1:2] != ['run']
    if not words or own or words[0] not in RUNNERS[name].split():
        shell.runs(name, options.args)
        if is_committing(name):
            judge_skipping_options(shell, name, options.args)
        return '' if words[:1] and words[0] in SETTING_UP else ANY
    judge_task_files(shell, name)
    rest = parse(words[1:], RUNNER_VALUES, first=True).operands
    if '--' in words:
        rest = words[words.index('--') + 1 :]
    elif name in NAMING:
        rest = rest[1:]
    if rest[:1] == ['run']:
        rest = rest[1:]
    if rest and rest[0].endswith('.py'):
        rest = ['python', *rest]
    elif len(rest) == 1 and ' ' in rest[0]:
        # some of them hand it to a shell
        return shell.text(rest[0])
    return shell.run(unversioned(rest))


def key_agent(shell: Shell, _: str, options: Options) -> str:
    """Without a command, it prints variables for `eval`."""
    return shell.run(options.operands)


def script_runner(shell: Shell, name: str, options: Options) -> str:
    """npm and similar: they run programs, and named scripts."""
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
        shell.unknown(f'`{name}` runs scripts with another shell')
    judge_task_files(shell, name, *(words if first in ('pkg', 'set-script') else ()))
    called = words[1:] if first.startswith('run') else words
    script = ''.join(called[:1])
    path, text = shell.stored_text('package.json')
    found = _named_script(text, script) if text else ''
    if found:
        shell.child().read_stored(path, found)
    if first in ('config', 'set', 'c') and any(
        word.startswith('commit-hooks') for word in words
    ):
        shell.add(Skips(f'{name} {" ".join(words[:3])}'))
    if is_committing(script):
        judge_skipping_options(shell, f'{name} {script}', options.args)
    # without a script of that name, they run a program
    if name != 'npm' and called and (called == words or not found):
        return shell.run(called)
    return ANY


def _named_script(text: str, name: str) -> str:
    """The commands of a script in a package file, with its pre and post scripts."""
    try:
        scripts = loads(text)['scripts']
        found = [scripts.get(f'{when}{name}', '') for when in ('pre', '', 'post')]
    except (ValueError, TypeError, KeyError, AttributeError):
        return ''
    return '\n'.join(each for each in found if isinstance(each, str))


def judge_task_files(shell: Shell, name: str, *words: str) -> None:
    """Judge a program that runs a file, which the command line may have written."""
    stored = [shell.stored_text(file) for file in TASK_FILES]
    new = [
        text
        for path, text in stored
        if text and evasion_in(text) and not shell.shared.scripts.is_committed(path)
    ]
    for text in (*shell.shared.files.values(), *new, *words):
        if found := evasion_in(text):
            shell.unknown(f'a script that `{name}` runs names {found}')


def make(shell: Shell, name: str, options: Options) -> str:
    shell.runs(name, options.args)
    for word in options.operands:
        # a variable of make is in the environment of its recipes
        variable, equals, value = word.partition('=')
        if not equals:
            continue
        judge_variable(shell, variable.rstrip('?:+'), value, name)
        if variable == 'SHELL':
            shell.child().text(value)
        commits = any(part in variable.upper() for part in ('GIT', 'COMMIT'))
        if commits and '-n' in value.split():
            shell.add(Skips(f'{name} {shown(word)}'))
    texts = options.values('-E --eval')
    for word in options.values('-f --file --makefile') or MAKEFILES:
        # recipes of a file that the command line itself wrote
        if word.startswith('/dev/fd/'):
            shell.unknown(f'`{name}` runs what another command prints')
        fed = word in ('-', '/dev/stdin')
        texts.append((shell.stdin if fed else shell.written_text(word)) or '')
        path, text = shell.stored_text(word)
        if text and not texts[-1]:
            shell.child().read_stored(path, _recipes(text, options.operands))
    for line in '\n'.join(texts).split('\n'):
        for part in line.split('$(shell ')[1:]:
            shell.child().text(part.rpartition(')')[0])
        recipe = line if line[:1] == '\t' else line.partition(';')[2]
        shell.child().text(_shell_line(recipe))
    return ANY


def _shell_line(recipe: str) -> str:
    return recipe.lstrip('\t @-+').replace('$$', '$')


def _recipes(text: str, goals: list[str]) -> str:
    """The commands that a makefile runs for some targets and their prerequisites."""
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
    """Other programs that commit into a git repository."""
    verb = ''.join(options.operands[:1])
    if verb and verb not in LOOKING:
        shell.unknown(f'`{name} {verb}` does not run the hooks of git')
    return ANY


def ssh(shell: Shell, name: str, options: Options) -> str:
    """Run a command if it runs on this machine; other machines do not concern us."""
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
    """The words from the first program name on."""
    names = [PART.split(word)[-1] for word in words]
    found = [at for at, name in enumerate(names) if _is_program(name)]
    return [names[found[0]], *words[found[0] + 1 :]] if found else []


def commands_in(words: list[str]) -> str:
    """The commands that a program runs elsewhere, in another terminal or at another
    time: its texts, and its words from the first program name on."""
    words = [word.removesuffix(ENTER) for word in words]
    texts = [commands_after_starts(word) or word for word in words if ' ' in word]
    return '\n'.join([*texts, ' '.join(map(quote, _from_program(words)))])


def commands_after_starts(text: str) -> str:
    """The commands in those lines of a text that begin as such a program requires."""
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
    # in any case it may write the files that it is given
    inner.runs(f'{name} run', words)
    # images are often named after the program in them
    inner.run(_from_program([word for word in words if not is_interpreter(word)]))
    return ANY


def _mounts(shell: Shell, options: Options) -> dict[str, str]:
    """Directories of the container -> the directories of this machine."""
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
    """The text with paths of this machine in place of the container's paths."""
    for target, origin in mounts.items() if text else ():
        if target and (text == target or f'{target}/' in text):
            text = text.replace(f'{target}/', f'{origin}/')
            text = origin if text == target else text
        text = text.replace(f'cd {target}', f'cd {origin}')
    return text


def hook_manager(shell: Shell, name: str, options: Options) -> str:
    """pre-commit, prek, husky, lefthook: judge calls that remove the hooks."""
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


def client(shell: Shell, name: str, options: Options) -> str:
    """Another client of agents, or the plugins of this client."""
    _, valued, plain = CLIENTS[name]
    if options.has(f'{valued} {plain}'):
        shell.unknown(f'`{name}` is started with other settings')
    judge_settings(shell, shell.exported, name)
    verb = ' '.join(options.operands[:2])
    first, second, *more = [*options.operands, '', '']
    if first in SETTING and (any(more) or second.startswith('disable')):
        shell.unknown(f'`{name} {verb}` changes settings of a client')
    if re.fullmatch('(plugin|extension)s? (disable|uninstall|remove|rm)', verb):
        shell.add(Skips(f'{name} {verb}'))
    return ANY
