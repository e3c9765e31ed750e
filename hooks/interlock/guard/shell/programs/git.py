"""Calls of git: what they change, what they print, and whether they skip hooks."""

from __future__ import annotations

from interlock.guard.shell.effects import Git, SetsPath, Skips
from interlock.guard.shell.everyday_git import ELSEWHERE
from interlock.guard.shell.hook_skipping import (
    NO_VERIFY,
    SHORT,
    is_no_verify,
    judge_started,
)
from interlock.guard.shell.options import Options
from interlock.guard.shell.path_patterns import resolve
from interlock.guard.shell.programs.program import Program, act
from interlock.guard.shell.state import Shell
from interlock.guard.shell.words import ANY, SOME, active, is_plain, quote, shown
from interlock.model import quick_re as re
from interlock.model.quick_typing import NamedTuple

# where Python looks for modules, as hooks are written in Python
MODULES = 'PYTHONPATH'
# variables that decide where git finds its configuration, and what its hooks run
SURROUNDINGS = (
    'HOME XDG_CONFIG_HOME XDG_CACHE_HOME PATH BASH_ENV LD_PRELOAD LD_AUDIT '
    'DYLD_INSERT_LIBRARIES '
    f'PYTHONHOME PYTHONUSERBASE {MODULES}'
).split()
# subcommands with --no-verify, and those for which -n means --no-verify
VERIFYING = ('commit', 'merge', 'pull', 'push', 'rebase', 'am')
SHORT_NO_VERIFY = ('commit', 'am')
PUSHING = ('push', 'send-pack')
READING = frozenset(
    'status log diff show rev-parse rev-list ls-files ls-tree ls-remote cat-file blame '
    'annotate grep describe shortlog whatchanged name-rev merge-base for-each-ref '
    'show-ref show-branch var version help count-objects fsck check-ignore check-attr '
    'check-mailmap check-ref-format diff-tree diff-index diff-files range-diff cherry '
    'bugreport archive format-patch merge-tree patch-id request-pull verify-commit '
    'verify-tag verify-pack column stripspace difftool send-email hook clone '
    'interpret-trailers get-tar-commit-id diagnose --version --help bundle credential '
    'mailinfo mailsplit show-index instaweb gitk tig'.split()
)
# subcommand -> the first words with which it only reads; '' stands for no word
READING_VERBS = {
    'stash': ('list', 'show'),
    'worktree': ('list',),
    'remote': ('', 'show', 'get-url'),
    'reflog': ('', 'show', 'list', 'exists'),
    'notes': ('', 'list', 'show', 'get-ref'),
    'submodule': ('', 'status', 'summary'),
    'bisect': ('log', 'view', 'visualize'),
    'sparse-checkout': ('list', 'check-rules'),
    'lfs': ('', 'ls-files', 'status', 'env', 'version', 'locks'),
    'rerere': ('status', 'diff'),
    'commit-graph': ('verify',),
    'multi-pack-index': ('verify',),
}
# subcommand -> options with which it changes something; options with which it
# lists; how many operands it may have if it only reads
CHANGING = {
    'branch': (
        '-d -D -m -M -c -C -f -u --delete --move --copy --force --set-upstream-to '
        '--unset-upstream --edit-description',
        '-l -a -r --list --all --remotes',
        0,
    ),
    'tag': ('-d --delete', '-l -n -v --list --verify --contains', 0),
    'symbolic-ref': ('-d --delete', '', 1),
}
# subcommands that `_writes` handles one by one
ASKED = ('push', 'fetch', 'config', 'apply', 'hash-object')
COMMITTING = frozenset(
    'commit merge rebase cherry-pick revert am pull commit-tree fast-import citool '
    'filter-branch filter-repo'.split()
)
# subcommands that change something, and start no hook of ours
UNHOOKED = frozenset(
    'add checkout switch restore reset rm mv clean init gc update-index'.split()
)
# subcommands that commit or push, and never start hooks
STARTING_NONE = frozenset(
    'commit-tree fast-import filter-branch filter-repo send-pack http-push '
    'receive-pack'.split()
)
# subcommands that create commits without hooks, and the first words that do so
HOOKLESS = {
    'lfs': ('migrate',),
    'subtree': ('add', 'merge'),
    **dict.fromkeys(('revise', 'absorb', 'quiltimport', 'bfg', 'imerge', 'stg'), ('',)),
}
# other subcommands of git itself
OTHERS = frozenset((*UNHOOKED, *STARTING_NONE, *HOOKLESS, 'replace'))
# every line of their output is one word, and not an option
NAMING = frozenset(
    'rev-parse branch describe symbolic-ref merge-base rev-list log config name-rev '
    'remote write-tree hash-object stash commit-tree tag show'.split()
)
# suffixes of configuration keys whose value is a command
PROGRAMS = tuple(
    'editor pager command cmd .fsmonitor .clean .smudge .process .textconv .driver '
    '.askpass .helper .program .uploadpack .receivepack .external .difffilter '
    '.gitproxy .packobjectshook .smtpserver .update'.split()
)
TEMPLATE = 'git init takes hooks from a template'
ONLY_SHOWS = '--check --stat --numstat --summary'
# a command in place of a URL
TRANSPORT = 'ext::'
# makes the server accept a push that it would refuse
BREAKGLASS = 'interlock.breakglass'


class ConfigChange(NamedTuple):
    verb: str
    key: str
    value: str = ''


def git(shell: Shell, _: str, options: Options) -> str:
    inner = shell.child()
    # `git config` changes the aliases for later commands
    inner.git_aliases = shell.git_aliases
    for name in ELSEWHERE:
        if name in shell.variables:
            _elsewhere(inner, name, shell.variables[name])
    for name, value in options.flags:
        _option(inner, name, value)
    if not options.operands:
        return ''
    return _subcommand(inner, options.operands[0], options.operands[1:])


def _option(shell: Shell, name: str, value: str) -> None:
    if name == '-C':
        shell.enter(value)
    elif name in ('--git-dir', '--work-tree'):
        _elsewhere(shell, name, value)
    elif name == '--exec-path' and value:
        shell.add(Skips('git --exec-path'))
    elif name in ('-c', '--config-env'):
        key, _, text = value.partition('=')
        if key.lower() == 'core.worktree':
            _elsewhere(shell, '--work-tree', text if name == '-c' else ANY)
        if _skips_hooks(key, text):
            shell.add(Skips(f'git {name} {shown(key)}'))
        elif not is_plain(key):
            shell.unknown(f'git {name} sets `{shown(key)}`')
        elif key.lower().startswith('alias.'):
            text = text if name == '-c' else shell.value(text) or ANY
            shell.git_aliases = {**shell.git_aliases, key[6:]: text}
        _judge_program(shell, key, text)


def _elsewhere(shell: Shell, name: str, value: str) -> None:
    """Note that git works on another repository, or on other files.

    If only one of the two is given, git takes the other one from the current
    directory. So both places are judged.
    """
    place = shell.in_directory(value or '.')
    if name.lower().endswith('dir'):
        head, mark, inside = f'{place.cwd}/'.rpartition('/.git/')
        # that of the records of locks has no files around it
        is_around = mark and not inside.startswith('interlock/')
        place.cwd = head or '/' if is_around else place.cwd
    else:
        shell.git_files = place.cwd
    shell.git_places = (*shell.git_places, place.directory)


def _subcommand(shell: Shell, name: str, args: list[str]) -> str:
    if not is_plain(name):
        shell.unknown(f'the git command is `{shown(name)}`')
        return ANY
    from interlock.guard.shell.programs.table import TABLE

    # git ignores an alias that is called like one of its commands
    text = '' if is_own(name) else _alias_text(shell, name)
    if text:
        return _alias(shell, name, text, args)
    row = TABLE.get(f'git-{name}', Program())
    options = row.parse(args)
    changes = _writes(name, options)
    commits = changes and _commits(name, args)
    words = tuple(map(shown, args))
    for directory in (shell.directory, *shell.git_places):
        shell.add(Git(directory, name, words, changes, commits))
    if shell.git_files:
        shell = shell.in_directory(shell.git_files)
    if changes or name == 'push':
        _surroundings(shell, name)
    _judge_hooks(shell, name, options)
    if name == 'config':
        _judge_config(shell, options)
    act(shell, row, f'git {name}', options)
    return _printed(shell, name, options)


def _alias_text(shell: Shell, name: str) -> str:
    if name in shell.git_aliases:
        return shell.git_aliases[name]
    return shell.shared.scripts.git_alias(shell.cwd, name)


def _alias(shell: Shell, name: str, text: str, args: list[str]) -> str:
    inner = shell.child()
    # an alias does not call itself
    inner.git_aliases[name] = ''
    line = text[1:] if text.startswith('!') else f'git {text}'
    return inner.text(' '.join([line, *map(quote, args)]))


def _surroundings(shell: Shell, name: str) -> None:
    """Judge changed variables that steer git's configuration, or what hooks run."""
    for variable in SURROUNDINGS:
        now = shell.variables.get(variable)
        before = shell.shared.environ.get(variable, '')
        if now is None or now == before:
            continue
        # if the old value is unknown, ANY stands for it
        old = before or ANY
        if variable == 'PATH' and old in now and now != ANY:
            added = now.rpartition(old)[0]
            paths = [resolve(shell.cwd, word) for word in added.split(':') if word]
            known = tuple(each.path for each in paths if each and not each.glob)
            if known:
                shell.add(SetsPath(known, f'PATH={shown(added)}… git {name}'))
        elif variable != MODULES or not _is_own(shell, now.replace(old, '')):
            shell.unknown(f'`git {name}` runs with another {variable}')


def _is_own(shell: Shell, text: str) -> bool:
    """Whether all directories lie in the project."""
    found = [resolve(shell.cwd, word) for word in text.split(':') if word]
    top = shell.shared.top or shell.cwd
    return all(each and f'{each.path}/'.startswith(f'{top}/') for each in found)


def _skips_hooks(key: str, value: str) -> bool:
    """Whether a key decides where the hooks are, includes another configuration
    file, or sets the breakglass option for every push."""
    key = key.lower()
    return (
        key in ('core.hookspath', 'include.path')
        or key.startswith('includeif.')
        or (key == 'push.pushoption' and _is_breakglass(value))
    )


def _judge_config(shell: Shell, options: Options) -> None:
    found = _config_change(options)
    if found is None:
        return
    verb, key, value = found
    section = verb.endswith('-section') and key.lower() == 'core'
    if section or _skips_hooks(key, value):
        shell.add(Skips(f'git config {key}'))
    elif verb in ('-e', '--edit', 'edit'):
        shell.unknown('git config opens an editor')
    elif not is_plain(key):
        shell.unknown(f'git config changes `{shown(key)}`')
    elif key.lower().startswith('alias.'):
        shell.git_aliases[key[6:]] = value
        line = value[1:] if value[:1] == '!' else f'git {value}'
        if any(isinstance(each, Skips) for each in shell.dry_read(line)):
            shell.add(Skips(f'git config {key}'))
    _judge_program(shell, key, value)


def _judge_program(shell: Shell, key: str, value: str) -> None:
    """Judge a program that git will run as if it ran now."""
    key = key.lower()
    if key == 'init.templatedir':
        shell.unknown(TEMPLATE)
    elif key.endswith(PROGRAMS) or key.startswith('pager.'):
        judge_started(shell, value)


def _writes(name: str, options: Options) -> bool:
    operands = options.operands
    if options.args[:1] in (['-h'], ['--help']) or name in READING:
        return False
    if name in CHANGING:
        changing, listing, most = CHANGING[name]
        many = len(operands) > most and not options.has(listing)
        return options.has(changing) or many
    if name in READING_VERBS:
        return ''.join(operands[:1]) not in READING_VERBS[name]
    if name == 'push':
        # a push changes another repository, but a path may name this one
        return bool(operands) and operands[0][:1] in ('.', '/')
    if name == 'fetch':
        # a fetch changes only its own branches, unless a refspec says otherwise
        return any(':' in word for word in operands[1:])
    if name == 'config':
        return _config_change(options) is not None
    if name == 'hash-object':
        return options.has('-w')
    return name != 'apply' or not options.has(ONLY_SHOWS)


def _config_change(options: Options) -> ConfigChange | None:
    """What `git config` changes; None if it only reads."""
    words = [*options.operands, '', '', '']
    flags = {name for name, _ in options.flags}
    if words[0] in ('get', 'list') or flags & {
        *'-l --list --get --get-all --get-regexp --get-urlmatch --get-color '
        '--get-colorbool'.split()
    }:
        return None
    for flag in (
        '--unset --unset-all --add --replace-all --remove-section --rename-section -e '
        '--edit'.split()
    ):
        if flag in flags:
            return ConfigChange(flag, words[0], words[1])
    if words[0] in ('set', 'unset', 'remove-section', 'rename-section', 'edit'):
        return ConfigChange(words[0], words[1], words[2])
    if len(options.operands) > 1:
        return ConfigChange('', words[0], words[1])
    return None


def is_own(name: str) -> bool:
    """Whether a name is a command of git itself, not an alias."""
    from interlock.guard.shell.programs.table import TABLE

    return is_known(name) or name in OTHERS or f'git-{name}' in TABLE


def is_known(name: str) -> bool:
    """Whether one of the tables of this module says what a command of git does."""
    return any(
        name in names for names in (READING, READING_VERBS, CHANGING, ASKED, COMMITTING)
    )


def _commits(name: str, args: list[str]) -> bool:
    if '--abort' in args or '--quit' in args:
        return False
    if name == 'commit':
        return '--dry-run' not in args
    return name in COMMITTING and '--ff-only' not in args


def _is_breakglass(value: str) -> bool:
    return value.strip().lower().startswith(BREAKGLASS)


def _judge_hooks(shell: Shell, name: str, options: Options) -> None:
    """Judge calls that skip the hooks, and commands that git is told to run."""
    for value in options.values('-o --push-option') if name in PUSHING else ():
        if _is_breakglass(value):
            shell.add(Skips(f'git push -o {shown(value)}'))
        elif value.startswith(ANY):
            shell.unknown(f'the push has the option `{shown(value)}`')
    if name == 'push' and options.has('--mirror'):
        # records of locks too
        shell.unknown(
            '`git push --mirror` deletes more than it tells the hooks, so name each branch'
        )
    if name in VERIFYING:
        _no_verify(shell, name, options)
    elif not is_known(name) and any(
        is_no_verify(word) or (word == '-n' and f'git-{name}' in SHORT)
        for word in options.args
    ):
        # it may be an alias of the user
        shell.add(Skips(f'git {name} {NO_VERIFY}'))
    _plumbing(shell, name, options)


def _no_verify(shell: Shell, name: str, options: Options) -> None:
    for flag, _ in options.flags:
        if is_no_verify(flag) or (flag == '-n' and name in SHORT_NO_VERIFY):
            shell.add(Skips(f'git {name} {flag}'))
        elif ANY in flag:
            shell.unknown(f'an option of `git {name}` is `{shown(flag)}`')
    # a word that may turn out to be an option, such as --no-verify
    for word in options.operands[: len(options.operands) - options.behind]:
        if word.startswith(ANY):
            shell.unknown(f'a word of `git {name}` is `{shown(word)}`')


def _plumbing(shell: Shell, name: str, options: Options) -> None:
    """Judge commands that move a branch, here or on a remote, unseen by hooks."""
    operands = options.operands
    for word in operands:
        if word.startswith(TRANSPORT):
            # a `%` escapes a blank inside a word
            words = re.split('(?<!%) ', word.removeprefix(TRANSPORT))
            shell.child().run([each.replace('% ', ' ') for each in words])
    if name in STARTING_NONE:
        shell.add(Skips(f'git {name}'))
    elif name == 'hash-object' and 'commit' in options.values('-t --type'):
        shell.add(Skips(f'git {name} -t commit'))
    elif ''.join(operands[:1]) in HOOKLESS.get(name, ()) or HOOKLESS.get(name) == ('',):
        shell.unknown(f'`git {name}` makes commits without hooks')
    elif name == 'replace' and operands and not options.has('-l --list -d'):
        # hooks would judge another commit than the real one
        shell.add(Skips('git replace'))
    elif name == 'init' and any(
        flag.startswith('--templ') for flag, _ in options.flags
    ):
        shell.unknown(TEMPLATE)
    elif name == 'init' and options.has('--separate-git-dir'):
        shell.unknown('git init moves the directory of git, with its hooks')
    elif name == 'update-ref':
        if options.has('--stdin'):
            shell.add(Skips('git update-ref --stdin'))
        moved = any(
            word == 'HEAD' or word.startswith('refs/heads/') or ANY in word
            for word in [word for word in operands if word][:1]
        )
        if moved and not options.has('-d'):
            shell.add(Skips('git update-ref'))
    elif name == 'symbolic-ref' and any(
        word.startswith('refs/heads/') for word in operands[:-1]
    ):
        # a branch that becomes another one; with HEAD it only switches
        shell.add(Skips('git symbolic-ref'))


def _printed(shell: Shell, name: str, options: Options) -> str:
    args = options.args
    if name == 'rev-parse' and args == ['--show-toplevel']:
        return shell.top
    if name == 'rev-parse' and any(
        word.endswith(('-dir', '--git-path')) for word in args
    ):
        # the path may consist of several names
        return ANY
    if name == 'ls-files':
        return _names(shell, options.operands)
    if name in ('diff', 'show', 'diff-tree') and '--name-only' in args:
        return _names(shell, options.paths)
    if name == 'grep' and options.has('-l --files-with-matches --name-only'):
        return _names(shell, options.operands[not options.has('-e -f') :])
    return SOME if name in NAMING else ANY


def _names(shell: Shell, words: list[str]) -> str:
    """The names that git prints, as far as these words limit them."""
    found = []
    for word in words:
        folder, slash, base = word.rpartition('/')
        start = f'{shell.cwd}/{folder}{slash}'
        if word[:1] == ':' or any(sign in folder for sign in '*?['):
            return ANY
        if any(sign in base for sign in '*?['):
            found.append(f'{start}{ANY}/{active(base)}')
        else:
            found.extend((start + base, f'{start}{base}/{ANY}'))
    return '\n'.join(found) or ANY
