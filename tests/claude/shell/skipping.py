"""Commands that leave out hooks."""
from __future__ import annotations

from interlock.claude.shell.effects import Skips
from interlock.claude.shell.effects import Writes
from tests.claude.shell.cases import case

N = Skips('git commit -n')
NO_VERIFY = Skips('git commit --no-verify')
CONFIG = Skips('git config core.hooksPath')
SKIP = Skips('SKIP=interlock')

CASES = (
    case('long', 'git commit --no-verify -m x', NO_VERIFY),
    case('behind the message', 'git commit -m x --no-verify', NO_VERIFY),
    case('abbreviated', 'git commit --no-veri -m x', Skips(
        'git commit --no-veri',
    )),
    case('ambiguous', 'git commit --no-v', Skips('git commit --no-v')),
    case('short', 'git commit -n -m x', N),
    case('grouped', 'git commit -anm x', N),
    case('grouped, before the message', 'git commit -nm x', N),
    case('grouped, with quiet', 'git commit -qan', N),
    case('message in the word', 'git commit -mx -n', N),
    case('long message option', 'git commit --message x -n', N),
    case('abbreviated message option', 'git commit --mess x -n', N),
    case('option with =', 'git commit --message=x -n', N),
    case('signing takes no word', 'git commit -S -n', N),
    case('untracked takes no word', 'git commit -u -n', N),
    case('merge', 'git merge --no-verify b', Skips('git merge --no-verify')),
    case('push', 'git push --no-verify', Skips('git push --no-verify')),
    case('push, shorter', 'git push origin --no-verif', Skips(
        'git push --no-verif',
    )),
    case('rebase', 'git rebase --no-verify main', Skips(
        'git rebase --no-verify',
    )),
    case('pull', 'git pull --no-verify', Skips('git pull --no-verify')),
    case('am', 'git am --no-verify x', Skips('git am --no-verify')),
    case('am, short', 'git am -n x', Skips('git am -n')),
    case('in a directory', 'git -C sub commit -n', N),
    case('config before', 'git -c user.name=x commit -n', N),
    case('no pager', 'git --no-pager commit --no-verify', NO_VERIFY),
    case('absolute', '/usr/bin/git commit -n', N),
    case('exec path', '/usr/lib/git-core/git-commit -n', N),
    case('backslash', '\\git commit -n', N),
    case('quotes in the name', 'g"i"t commit -n', N),
    case('quotes in the option', "git commit --no-veri'fy'", NO_VERIFY),
    case('ansi quotes', "git commit $'\\x2dn'", N),
    case('ansi name', "$'\\147it' commit -n", N),
    case('translated', 'git commit $"-n"', N),
    case('braces', 'git commit {-n,-m} x', N),
    case('over lines', 'git commit \\\n  --no-verify', NO_VERIFY),
    case('inside a word', 'git commit --no-\\\nverify', NO_VERIFY),
    case('after and', 'make && git commit -n', N),
    case('after or', 'false || git commit -n', N),
    case('after semicolon', 'true; git commit -n', N),
    case('next line', 'git add .\ngit commit -n', N),
    case('background', 'git commit -n &', N),
    case('pipeline', 'git commit -n | cat', N),
    case('subshell', '(git commit -n)', N),
    case('group', '{ git commit -n; }', N),
    case('negated', '! git commit -n', N),
    case('condition', 'if git commit -n; then :; fi', N),
    case('branch', 'if x; then git commit -n; else y; fi', N),
    case('otherwise', 'if x; then y; else git commit -n; fi', N),
    case('elif', 'if x; then y; elif z; then git commit -n; fi', N),
    case('case', 'case x in y) git commit -n;; esac', N),
    case('while', 'while true; do git commit -n; done', N),
    case('until', 'until git commit -n; do sleep 1; done', N),
    case('for', 'for i in 1; do git commit -n; done', N),
    case('substitution', 'echo "$(git commit -n)"', N),
    case('backquotes', 'echo `git commit -n`', N),
    case('nested backquotes', 'echo `echo \\`git commit -n\\``', N),
    case('in an assignment', 'x=$(git commit -n)', N),
    case('in a test', '[ -n "$(git commit -n)" ]', N),
    case('in a double test', '[[ $(git commit -n) ]]', N),
    case('in arithmetic', 'echo $((1 + $(git commit -n)))', N),
    case('in a default', 'echo "${x:-$(git commit -n)}"', N),
    case('process substitution', 'cat <(git commit -n)', N),
    case('bash -c', 'bash -c "git commit -n"', N),
    case('bash -lc', "bash -lc 'git commit -n'", N),
    case('bash -euo', "bash -euo pipefail -c 'git commit -n'", N),
    case('sh in sh', 'sh -c "sh -c \'git commit -n\'"', N),
    case('argument of sh -c', 'sh -c \'git commit "$1"\' sh -n', N),
    case('eval', "eval 'git commit -n'", N),
    case('eval of words', 'eval git commit -n', N),
    case('env', 'env A=b git commit -n', N),
    case('env -S', "env -S 'git commit -n'", N),
    case('command', 'command git commit -n', N),
    case('exec', 'exec git commit -n', N),
    case('builtin', 'builtin command git commit -n', N),
    case('nohup', 'nohup git commit -n &', N),
    case('time', 'time -p git commit -n', N),
    case('timeout', 'timeout -k 5 10s git commit -n', N),
    case('nice', 'nice -n 5 git commit -n', N),
    case('ionice', 'ionice -c 3 git commit -n', N),
    case('stdbuf', 'stdbuf -oL git commit -n', N),
    case('setsid', 'setsid -w git commit -n', N),
    case('several wrappers', 'nohup env A=b nice git commit -n', N),
    case('flock', 'flock /tmp/l git commit -n', N),
    case('flock -c', "flock /tmp/l -c 'git commit -n'", N),
    case('watch', 'watch -n 1 git commit -n', N),
    case('xargs', 'echo x | xargs git commit -n -m', N),
    case('xargs, the option fed', 'echo -n | xargs git commit'),
    case('xargs, the option given', 'echo " -n" | xargs git commit', N),
    case('xargs -I', "echo -n x | xargs -I{} sh -c 'git commit -n'", N),
    case('find -exec', 'find . -name x -exec git commit -n \\;', N),
    case('parallel', 'parallel git commit -n -m ::: x', N),
    case('fed to sh', 'echo "git commit -n" | sh', N),
    case('printed to sh', "printf 'git %s -n' commit | bash", N),
    case('fed by tee', "echo 'git commit -n' | tee /dev/null | sh", N),
    case('heredoc to sh', 'sh <<EOF\ngit commit -n\nEOF', N),
    case('heredoc to bash -s', "bash -s <<'EOF'\ngit commit -n\nEOF", N),
    case('heredoc through cat', 'cat <<EOF | sh\ngit commit -n\nEOF', N),
    case('two heredocs', 'cat <<A; sh <<B\ngit push\nA\ngit commit -n\nB', N),
    case('string to sh', 'sh <<< "git commit -n"', N),
    case('string behind a redirection', 'sh 2>&1 <<< "git commit -n"', N),
    case('behind a heredoc', "cat <<'E'; git commit -n\nx\nE", N),
    case('option behind a heredoc', 'git commit -F - <<E -n\nx\nE', N),
    case('option behind a file', 'git commit 2>/dev/null -n', N),
    case('function', 'f() { git commit "$@"; }; f -n', N),
    case('function keyword', 'function f { git commit -n; }; f', N),
    case('alias', "alias c='git commit'; c -n", N),
    case('alias of git', 'alias g=git\ng commit -n', N),
    case('variable', 'x=-n; git commit $x', N),
    case('variable of words', 'x="-a -n"; git commit $x', N),
    case('variable in the name', 'g=git; $g commit -n', N),
    case('command in a variable', 'x="git commit -n"; $x', N),
    case('array', 'x=(-n -m y); git commit "${x[@]}"', N),
    case('array that grows', 'x=(-m y); x+=(-n); git commit "${x[@]}"', N),
    case('parameters', 'set -- -n; git commit "$@"', N),
    case('default value', 'git commit ${x:--n}', N),
    case('indirect', 'y=-n; x=y; git commit ${!x}', N),
    case('loop over options', 'for o in -q -n; do git commit $o; done', N),
    case('printed option', 'git commit $(echo -q -n)', N),
    case('trap', "trap 'git commit -n' EXIT", N),
    case('git alias', 'git -c alias.c="commit -n" c', N),
    case('git alias for the shell', "git -c alias.c='!git commit -n' c", N),
    case('git alias set before', 'git config alias.c commit; git c -n', N),
    case('git alias of an alias', (
        'git -c alias.a=commit -c alias.b="a -n" b'
    ), N),
    case('script, run by sh', (
        "printf 'git commit -n' > /tmp/x; sh /tmp/x"
    ), Writes('/tmp/x', '>', b'git commit -n'), N),
    case('script, run by itself', (
        "cat > x <<'E'\n#!/bin/sh\ngit commit $1\nE\nchmod +x x && ./x -n"
    ), Writes('/p/x', '>', b'#!/bin/sh\ngit commit $1\n'), Writes(
        '/p/x', 'chmod',
    ), N),
    case('script, sourced', 'echo git commit -n | tee x; . ./x', Writes(
        '/p/x', 'tee', b'git commit -n\n',
    ), N),
    case('rebase --exec', "git rebase -x 'git commit -n' main", N),
    case('bisect run', 'git bisect run git commit -n', N),
    case('submodule', "git submodule foreach 'git commit -n'", N),
    case('npx', 'npx -y husky uninstall', Skips('husky uninstall')),
    case('hooks path', 'git -c core.hooksPath=/dev/null commit', Skips(
        'git -c core.hooksPath',
    )),
    case('hooks path, in capitals', 'git -c CORE.HOOKSPATH= commit', Skips(
        'git -c CORE.HOOKSPATH',
    )),
    case('include', 'git -c include.path=/tmp/x commit', Skips(
        'git -c include.path',
    )),
    case('config-env', 'git --config-env=core.hooksPath=X commit', Skips(
        'git --config-env core.hooksPath',
    )),
    case('config-env, apart', 'git --config-env core.hooksPath=X gc', Skips(
        'git --config-env core.hooksPath',
    )),
    case('config', 'git config core.hooksPath /tmp', CONFIG),
    case('config --global', 'git config --global core.hooksPath x', CONFIG),
    case('config --unset', 'git config --unset core.hooksPath', CONFIG),
    case('config -f', 'git config -f .git/config core.hooksPath x', CONFIG),
    case('config --add', 'git config --add core.hooksPath x', CONFIG),
    case('config set', 'git config set core.hooksPath x', CONFIG),
    case('config unset', 'git config unset core.hooksPath', CONFIG),
    case('config section', 'git config --remove-section core', Skips(
        'git config core',
    )),
    case('count', (
        'GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.hooksPath '
        'GIT_CONFIG_VALUE_0=/tmp git commit'
    ), *(Skips(f'GIT_CONFIG_{each}') for each in (
        'COUNT=1', 'KEY_0=core.hooksPath', 'VALUE_0=/tmp',
    ))),
    case('parameters of git', 'GIT_CONFIG_PARAMETERS=x git commit', Skips(
        'GIT_CONFIG_PARAMETERS=x',
    )),
    case('global file', 'GIT_CONFIG_GLOBAL=/dev/null git commit', Skips(
        'GIT_CONFIG_GLOBAL=/dev/null',
    )),
    case('system file', 'export GIT_CONFIG_SYSTEM=x', Skips(
        'GIT_CONFIG_SYSTEM=x',
    )),
    case('no system', 'env GIT_CONFIG_NOSYSTEM=1 git commit', Skips(
        'GIT_CONFIG_NOSYSTEM=1',
    )),
    case('SKIP', 'SKIP=interlock git commit', Skips('SKIP=interlock')),
    case('SKIP by env', 'env SKIP=a,interlock git commit', Skips(
        'SKIP=a,interlock',
    )),
    case('SKIP exported', 'export SKIP=interlock; git commit', SKIP),
    case('SKIP declared', 'declare -x SKIP=interlock; git commit', SKIP),
    case('SKIP exported later', 'SKIP=interlock; export SKIP', SKIP),
    case('SKIP, all exported', 'set -a; SKIP=interlock; git commit', SKIP),
    case('SKIP for a shell', "SKIP=interlock sh -c 'git commit'", SKIP),
    case('SKIP for a push', 'SKIP=interlock git push', SKIP),
    case('SKIP of nobody knows what', 'SKIP=$x git commit', Skips('SKIP=**')),
    case('SKIP of one of ours', 'SKIP=interlock-locks git commit', Skips(
        'SKIP=interlock-locks',
    )),
    case('PREK_SKIP', 'PREK_SKIP=interlock git commit', Skips(
        'PREK_SKIP=interlock',
    )),
    case('PREK_SKIP of a project', 'PREK_SKIP=./ git commit', Skips(
        'PREK_SKIP=./',
    )),
    case('HUSKY', 'HUSKY=0 git commit', Skips('HUSKY=0')),
    case('HUSKY_SKIP_HOOKS', 'HUSKY_SKIP_HOOKS=1 git commit', Skips(
        'HUSKY_SKIP_HOOKS=1',
    )),
    case('LEFTHOOK', 'LEFTHOOK=0 git commit', Skips('LEFTHOOK=0')),
    case('LEFTHOOK=false', 'LEFTHOOK=false git push', Skips('LEFTHOOK=false')),
    case('LEFTHOOK_EXCLUDE', 'LEFTHOOK_EXCLUDE=a git commit', Skips(
        'LEFTHOOK_EXCLUDE=a',
    )),
    case('no config', 'PRE_COMMIT_ALLOW_NO_CONFIG=1 git commit', Skips(
        'PRE_COMMIT_ALLOW_NO_CONFIG=1',
    )),
    case('pre-commit uninstall', 'pre-commit uninstall', Skips(
        'pre-commit uninstall',
    )),
    case('of one type', 'pre-commit uninstall -t pre-push', Skips(
        'pre-commit uninstall',
    )),
    case('as a module', 'python3 -m pre_commit uninstall', Skips(
        'pre-commit uninstall',
    )),
    case('by uv', 'uv run pre-commit uninstall', Skips(
        'pre-commit uninstall',
    )),
    case('by uvx', 'uvx prek uninstall', Skips('prek uninstall')),
    case('lefthook', 'lefthook uninstall', Skips('lefthook uninstall')),
    case('update-ref', 'git update-ref refs/heads/main abc', Skips(
        'git update-ref',
    )),
    case('update-ref of HEAD', 'git update-ref -m x HEAD abc', Skips(
        'git update-ref',
    )),
    case('commit-tree', 'git commit-tree -m x $(git write-tree)', Skips(
        'git commit-tree',
    )),
    case('fast-import', 'git fast-import < x', Skips('git fast-import')),
    case('filter-branch', "git filter-branch --tree-filter 'true'", Skips(
        'git filter-branch',
    )),
    case('script', 'script -qc "git commit -n" /dev/null', N),
    case('script -qec', "script -qec 'git commit -n' /dev/null", N),
    case('script, as BSD', 'script -q /dev/null git commit -n', N),
    case('tmux', "tmux new-session -d -s x 'git commit -n'", N),
    case('tmux new', 'tmux new -d git commit -n', N),
    case('tmux, typed', "tmux send-keys -t x 'git commit -n' Enter", N),
    case('screen', 'screen -dm git commit -n', N),
    case('screen, named', "screen -dmS x sh -c 'git commit -n'", N),
    case('csh', "csh -c 'git commit -n'", N),
    case('tcsh', "tcsh -c 'git commit -n'", N),
    case('pwsh', "pwsh -c 'git commit -n'", N),
    case('pwsh -Command', "pwsh -NoProfile -Command 'git commit -n'", N),
    case('nix-shell', "nix-shell -p git --run 'git commit -n'", N),
    case('nix', 'nix develop -c git commit -n', N),
    case('unshare', 'unshare -r git commit -n', N),
    case('nsenter', 'nsenter -t 1 -m git commit -n', N),
    case('chroot', 'chroot / git commit -n', N),
    case('awk, system', "awk 'BEGIN { system(\"git commit -n\") }'", N),
    case('awk, piped', "awk 'BEGIN { print | \"git commit -n\" }'", N),
    case('vim', "vim -es -c ':!git commit -n' -c q", N),
    case('exec path, told', 'git --exec-path=/tmp commit', Skips(
        'git --exec-path',
    )),
    case('exec path, as a variable', 'GIT_EXEC_PATH=/tmp git commit', Skips(
        'GIT_EXEC_PATH=/tmp',
    )),
    case('plugin', 'claude plugin disable interlock', Skips(
        'claude plugin disable',
    )),
    case('alias that skips', "git config alias.x '!git commit -n'", Skips(
        'git config alias.x',
    )),
    case('alias with an option', "git config alias.x 'commit -n'", Skips(
        'git config alias.x',
    )),
)
