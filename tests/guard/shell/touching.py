"""Commands that write and remove files."""

from __future__ import annotations

from interlock.guard.shell.effects import Patches, Removes, Writes
from tests.guard.shell.cases import case


def written(
    how: str, path: str = '/p/task.json', content: bytes | None = None
) -> Writes:
    return Writes(path, how, content)


def gone(how: str, path: str = '/p/task.json') -> Removes:
    return Removes(path, how)


def tree(how: str, path: str) -> Writes:
    return Writes(path, how, recursive=True)


def tree_gone(how: str, path: str = '/p/tasks') -> Removes:
    return Removes(path, how, recursive=True)


PATCH = '--- a/task.json\n+++ b/task.json\n@@\n'
AGENTS_PATCH = '*** Begin Patch\n*** Delete File: task.json\n*** End Patch\n'

CASES = (
    case('redirection', 'ls > task.json', written('>')),
    case('no blanks', 'ls>task.json', written('>')),
    case('appended', 'ls >> task.json', written('>>')),
    case('clobbered', 'ls >| task.json', written('>|')),
    case('both streams', 'ls &> task.json', written('&>')),
    case('both streams, old', 'ls >& task.json', written('>&')),
    case('errors only', 'ls 2> task.json', written('>')),
    case('numbered', 'ls 1> task.json', written('>')),
    case('emptied', '> task.json', written('>', content=b'')),
    case('emptied by colon', ': > task.json', written('>', content=b'')),
    case('for reading too', 'exec 3<> task.json', written('<>')),
    case('of the last command', 'f=task.json && ls > $f', written('>')),
    case(
        'of the last of three',
        'true || f=a && cat <<E > $f\nx\nE',
        written('>', '/p/a', b'x\n'),
    ),
    case(
        'a name that is new', 'rm -rf "$(date +%F)"', tree_gone('rm', '/p/XXXXXXXXXX')
    ),
    case(
        'a date that is none',
        'rm -rf "$(date +tasks)"',
        Removes('/p/*', 'rm', True, True),
    ),
    case('before the command', '> task.json ls', written('>')),
    case('of a loop', 'for i in 1; do ls; done > task.json', written('>')),
    case('of a group', '{ ls; } > task.json', written('>')),
    case('of a subshell', '(ls) > task.json', written('>')),
    case('of a function', 'f() { ls; } > task.json; f', written('>')),
    case('echo', 'echo {} > task.json', written('>', content=b'{}\n')),
    case('echo -n', 'echo -n a > task.json', written('>', content=b'a')),
    case('echo -e', "echo -e 'a\\tb' > task.json", written('>', content=b'a\tb\n')),
    case('echo, added', 'echo a >> task.json', written('>>', content=b'a\n')),
    case('printf', "printf '%s\\n' a b > task.json", written('>', content=b'a\nb\n')),
    case(
        'heredoc',
        'cat > task.json <<\'E\'\n{"a": $b}\nE',
        written('>', content=b'{"a": $b}\n'),
    ),
    case(
        'heredoc, expanded',
        'cat <<E > task.json\n  $TARGET "ü"\nE',
        written('>', content='  task.json "ü"\n'.encode()),
    ),
    case('heredoc, not known', 'cat <<E > task.json\n$(ls)\nE', written('>')),
    case(
        'heredoc with tabs',
        'cat <<-E > task.json\n\ta\n\tE',
        written('>', content=b'a\n'),
    ),
    case('string', 'cat <<< a > task.json', written('>', content=b'a\n')),
    case('only the first command', '{ echo a; ls; } > task.json', written('>')),
    case('tee', 'echo a | tee task.json', written('tee', content=b'a\n')),
    case('tee -a', 'ls | tee -a task.json', written('>>')),
    case('tee heredoc', 'tee task.json <<E\na\nE', written('tee', content=b'a\n')),
    case('cp', 'cp -f a/x task.json', written('cp'), written('cp', '/p/task.json/x')),
    case('cp into', 'cp a/task.json .', written('cp')),
    case('cp -t', 'cp -t . a/task.json', written('cp')),
    case('cp of several', 'cp a b c', written('cp', '/p/c/a'), written('cp', '/p/c/b')),
    case('cp -r', 'cp -r x/. tasks/', tree('cp', '/p/tasks')),
    case('cp, braces', 'cp -T task.json{,.bak}', written('cp', '/p/task.json.bak')),
    case(
        'mv', 'mv -T task.json x', tree('mv', '/p/x'), tree_gone('mv', '/p/task.json')
    ),
    case(
        'mv over it',
        'mv -T /tmp/x task.json',
        tree('mv', '/p/task.json'),
        tree_gone('mv', '/tmp/x'),
    ),
    case('install', 'install -m 644 /tmp/task.json .', written('install')),
    case(
        'ln -s',
        'ln -sfn /tmp/x task.json',
        written('ln'),
        written('ln', '/p/task.json/x'),
    ),
    case('ln, one word', 'ln -s ../task.json', written('ln')),
    case('rsync', 'rsync -a x/ tasks/', tree('rsync', '/p/tasks')),
    case(
        'rsync --delete',
        'rsync -a --delete x/ tasks',
        tree('rsync', '/p/tasks'),
        tree_gone('rsync'),
    ),
    case('dd', 'dd if=/dev/zero of=task.json bs=1 count=1', written('dd')),
    case('truncate', 'truncate -s 0 task.json', written('truncate')),
    case('touch', 'touch -d yesterday task.json', written('touch')),
    case('chmod', 'chmod 600 task.json', written('chmod')),
    case('chmod -w', 'chmod -w task.json', written('chmod')),
    case('chmod -R', 'chmod -R a-w tasks', tree('chmod', '/p/tasks')),
    case('chown', 'chown me:us task.json', written('chown')),
    case('sed -i', "sed -i 's/a/b/' task.json", written('sed -i')),
    case(
        'sed -i with suffix',
        'sed -i.bak s/a/b/ task.json',
        written('sed -i', '/p/task.json.bak'),
        written('sed -i'),
    ),
    case(
        'sed -i with a pattern of names',
        "sed -i'old/*~' s/a/b/ x/task.json",
        written('sed -i', '/p/old/task.json~'),
        written('sed -i', '/p/x/task.json'),
    ),
    case(
        'sed -i twice',
        'sed -i 1d task.json task.json',
        written('sed -i'),
        written('sed -i'),
    ),
    case('sed, as BSD', "sed -i '' s/a/b/ task.json", written('sed -i')),
    case(
        'sed --in-place',
        'sed --in-place=.b s/a/b/ task.json',
        written('sed -i', '/p/task.json.b'),
        written('sed -i'),
    ),
    case('sed, abbreviated', 'sed --in-pl s/a/b/ task.json', written('sed -i')),
    case('sed, grouped', 'sed -ni /a/p task.json', written('sed -i')),
    case('sed -e', 'sed -i -e s/a/b/ -e s/c/d/ task.json', written('sed -i')),
    case('sed, option last', 'sed s/a/b/ task.json -i', written('sed -i')),
    case('perl -pi', "perl -pi -e 's/a/b/' task.json", written('perl -i')),
    case('perl -0pi', "perl -0pi -e 's/a/b/' task.json", written('perl -i')),
    case(
        'perl -i',
        "perl -i.bak -pe 's/a/b/' task.json",
        written('perl -i', '/p/task.json.bak'),
        written('perl -i'),
    ),
    case('awk', "awk -i inplace '{print}' task.json", written('awk -i inplace')),
    case('sponge', 'jq . task.json | sponge task.json', written('sponge')),
    case('sort -o', 'sort -o task.json task.json', written('sort -o')),
    case('patch', 'patch task.json < x', written('patch')),
    case(
        'patch, in the line',
        ('patch -p1 <<E\n--- a/task.json\n+++ b/task.json\n@@\nE'),
        Patches('patch', '/p', PATCH, strip=1),
    ),
    case(
        'patch, reversed',
        'patch -R -d a -i x.patch',
        Patches('patch', '/p/a', file='/p/a/x.patch', reverse=True),
    ),
    case(
        'patch of a file',
        'cd a; patch -p0 < x.patch',
        Patches('patch', '/p/a', file='/p/a/x.patch', strip=0),
    ),
    case(
        'patch tool of agents',
        f"cd a && apply_patch <<'EOF'\n{AGENTS_PATCH}EOF",
        Patches('apply_patch', '/p/a', AGENTS_PATCH),
    ),
    case(
        'patch tool of agents, an argument',
        f"apply_patch '{AGENTS_PATCH}'",
        Patches('apply_patch', '/p', AGENTS_PATCH),
    ),
    case(
        'patch tool of agents, from a file',
        'applypatch < x.patch',
        Patches('applypatch', '/p', file='/p/x.patch'),
    ),
    case(
        'git apply, in the line',
        ('git apply <<E\n--- a/task.json\n+++ b/task.json\n@@\nE'),
        Patches('git apply', '/p', PATCH, strip=1),
    ),
    case(
        'git apply of two files',
        'git apply x.patch /y.patch',
        *(
            Patches('git apply', '/p', file=name, strip=1)
            for name in ('/p/x.patch', '/y.patch')
        ),
    ),
    case('curl -o', 'curl -sSLo task.json https://x/y', written('curl')),
    case('curl -O', 'curl -O https://x/task.json', written('curl')),
    case('wget', 'wget https://x/task.json', written('wget')),
    case('wget -O', 'wget -qO task.json https://x', written('wget')),
    case('tar', 'tar -xf x.tar task.json', tree('tar', '/p/task.json')),
    case('tar, made', 'tar czf task.json x', written('tar')),
    case('ed', 'ed -s task.json <<E\nw\nE', written('ed')),
    case('ex', "ex -sc '%s/a/b/|x' task.json", written('ex')),
    case('yq', "yq -i '.a = 1' task.json", written('yq')),
    case('find -fprint', 'find . -fprint task.json', written('find -fprint')),
    case(
        'git checkout',
        'git checkout -- task.json',
        tree('git checkout', '/p/task.json'),
    ),
    case(
        'git checkout, of a commit',
        'git checkout HEAD~1 -- task.json',
        tree('git checkout', '/p/task.json'),
    ),
    case(
        'git checkout, a file',
        'git checkout task.json',
        tree('git checkout', '/p/task.json'),
    ),
    case('git checkout, all', 'git checkout .', tree('git checkout', '/p')),
    case(
        'git checkout --force',
        'git checkout -f main',
        tree('git checkout --force', '/p'),
    ),
    case('git switch', 'git switch -f x', tree('git switch --force', '/p')),
    case('git reset', 'git reset --hard x', tree('git reset --hard', '/p')),
    case('git stash', 'git stash', tree('git stash', '/p')),
    case(
        'git stash, of a path',
        'git stash -- task.json',
        tree('git stash', '/p/task.json'),
    ),
    case(
        'git stash -a',
        'git stash -a -- tasks',
        tree_gone('git stash --all'),
        tree('git stash', '/p/tasks'),
    ),
    case(
        'git stash, of what was added',
        'git add -f tasks && git stash',
        tree('git stash', '/p'),
        tree_gone('git stash --all', '/p'),
    ),
    case(
        'git restore',
        'git restore -s HEAD~1 task.json',
        tree('git restore', '/p/task.json'),
    ),
    case(
        'git diff --output', 'git diff --output=task.json', written('git diff --output')
    ),
    case('git archive', 'git archive -o task.json HEAD', written('git archive')),
    case(
        'git mv',
        'git mv task.json x',
        tree('git mv', '/p/x'),
        tree('git mv', '/p/x/task.json'),
        tree_gone('git mv', '/p/task.json'),
    ),
    case('git rm', 'git rm -f task.json', gone('git rm')),
    case('git rm --cached', 'git rm --cached task.json', gone('git rm')),
    case('git rm -r', 'git rm -r tasks', tree_gone('git rm')),
    case('git clean', 'git clean -fdx', tree_gone('git clean -x', '/p')),
    case('git clean, of a path', 'git clean -fd tasks', tree_gone('git clean')),
    case(
        'git worktree', 'git worktree remove --force tasks', tree_gone('git worktree')
    ),
    case('rm', 'rm -f task.json', gone('rm')),
    case('rm -rf', 'rm -rf tasks', tree_gone('rm')),
    case('rm -r', 'rm --recursive tasks/', tree_gone('rm')),
    case('unlink', 'unlink task.json', gone('unlink')),
    case('rmdir', 'rmdir tasks', gone('rmdir', '/p/tasks')),
    case('shred', 'shred -u task.json', gone('shred')),
    case('trash', 'trash tasks', tree_gone('trash')),
    case(
        'find -delete',
        'find . -name task.json -delete',
        Removes('/p/**/task.json', 'find -delete', False, True),
    ),
    case(
        'find -exec rm',
        "find t -name '*.json' -exec rm {} +",
        Removes('/p/t/**/*.json', 'rm', False, True),
    ),
    case(
        'find, through xargs',
        "find . -name '*.pyc' | xargs rm -f",
        Removes('/p/**/*.pyc', 'rm', False, True),
    ),
    case(
        'find -print0',
        'find . -name x -print0 | xargs -0 rm',
        Removes('/p/**/x', 'rm', False, True),
    ),
    case(
        'find, read by lines',
        ('find . -name x | while read -r f; do rm "$f"; done'),
        Removes('/p/**/x', 'rm', False, True),
    ),
    case(
        'find, substituted',
        'rm $(find . -name x)',
        Removes('/p/**/x', 'rm', False, True),
    ),
    case(
        'grep -l',
        'grep -rl a src | xargs sed -i s/a/b/',
        Writes('/p/src', 'sed -i'),
        Writes('/p/src/**/**', 'sed -i', None, True),
    ),
    case(
        'rg -l',
        'rg -l a src | xargs sed -i s/a/b/',
        Writes('/p/src', 'sed -i'),
        Writes('/p/src/**/**', 'sed -i', None, True),
    ),
    case('xargs', 'echo task.json | xargs rm', gone('rm')),
    case('xargs -I', 'echo task | xargs -I% rm %.json', gone('rm')),
    case(
        'ls to xargs', 'ls *.json | xargs rm', Removes('/p/*.json', 'rm', False, True)
    ),
    case(
        'glob',
        'rm tasks/*/task.json',
        Removes('/p/tasks/*/task.json', 'rm', False, True),
    ),
    case('star in quotes', "rm 'a*.json'", gone('rm', '/p/a*.json')),
    case('star of both kinds', "rm 'a*'*", Removes('/p/a[*]*', 'rm', False, True)),
    case('question mark', 'rm task.jso?', Removes('/p/task.jso?', 'rm', False, True)),
    case('set', 'rm [a-t]ask.json', Removes('/p/[a-t]ask.json', 'rm', False, True)),
    case('braces', 'rm task.{json,md}', gone('rm'), gone('rm', '/p/task.md')),
    case('range', 'rm t{1..2}', gone('rm', '/p/t1'), gone('rm', '/p/t2')),
    case('dots', 'rm ./a/../task.json', gone('rm')),
    case('cd', 'cd a/b && rm ../task.json', gone('rm', '/p/a/task.json')),
    case('cd, absolute', 'cd /x; rm task.json', gone('rm', '/x/task.json')),
    case('cd home', 'cd; rm task.json', gone('rm', '/home/ü/task.json')),
    case('cd -', 'cd /x; cd -; rm task.json', gone('rm')),
    case('cd in a subshell', '(cd /x; ls); rm task.json', gone('rm')),
    case('pushd', 'pushd /x; rm a; popd; rm b', gone('rm', '/x/a'), gone('rm', '/p/b')),
    case(
        'cd to an unknown directory',
        'cd "$d" && rm task.json',
        Removes('**/task.json', 'rm', False, True),
    ),
    case('env -C', 'env -C /x rm task.json', gone('rm', '/x/task.json')),
    case('git -C', 'git -C /x rm task.json', gone('git rm', '/x/task.json')),
    case('work tree', 'git --work-tree=/x rm a', gone('git rm', '/x/a')),
    case('GIT_DIR', 'GIT_DIR=/x/.git git rm a', gone('git rm', '/p/a')),
    case('tilde', 'rm ~/task.json', gone('rm', '/home/ü/task.json')),
    case('tilde in quotes', 'rm "~/x"', gone('rm', '/p/~/x')),
    case('HOME', 'rm "$HOME/task.json"', gone('rm', '/home/ü/task.json')),
    case('HOME, in braces', 'rm ${HOME}/a', gone('rm', '/home/ü/a')),
    case('PWD', 'rm $PWD/task.json', gone('rm')),
    case('pwd', 'rm "$(pwd)/task.json"', gone('rm')),
    case('variable of the environment', 'rm $TARGET', gone('rm')),
    case('variable of the line', 'f=task.json; rm "$f"', gone('rm')),
    case('variable that grows', 'f=task; f+=.json; rm $f', gone('rm')),
    case(
        'variable with blanks',
        'f="a b"; rm $f "$f"',
        gone('rm', '/p/a'),
        gone('rm', '/p/b'),
        gone('rm', '/p/a b'),
    ),
    case(
        'variable with a star',
        "f='*.json'; rm $f",
        Removes('/p/*.json', 'rm', False, True),
    ),
    case(
        'unknown directory',
        'rm "$d/task.json"',
        Removes('**/task.json', 'rm', False, True),
    ),
    case(
        'unknown part',
        'rm tasks/$t/task.json',
        Removes('/p/tasks/**/task.json', 'rm', False, True),
    ),
    case(
        'either value',
        'if x; then d=a; else d=b; fi; rm $d/x',
        Removes('**/x', 'rm', False, True),
    ),
    case(
        'loop', 'for f in task.json a; do rm "$f"; done', gone('rm'), gone('rm', '/p/a')
    ),
    case(
        'loop over a glob',
        'for f in *.json; do rm "$f"; done',
        Removes('/p/*.json', 'rm', False, True),
    ),
    case('function', 'f() { rm "$1"; }; f task.json', gone('rm')),
    case('function, shifted', 'f() { shift; rm "$@"; }; f a b', gone('rm', '/p/b')),
    case('trimmed', 'f=task.md; rm ${f%.md}.json', gone('rm')),
    case('trimmed in front', 'f=a/task.json; rm ${f##*/}', gone('rm')),
    case('basename', 'rm $(basename a/task.json)', gone('rm')),
    case('dirname', 'rm $(dirname a/b)/c', gone('rm', '/p/a/c')),
    case('escaped blank', 'rm a\\ b', gone('rm', '/p/a b')),
    case('minus', 'rm -- -n', gone('rm', '/p/-n')),
    case('busybox', 'busybox rm task.json', gone('rm')),
    case(
        'printed to xargs',
        "printf '%s\\0' a b | xargs -0 rm",
        gone('rm', '/p/a'),
        gone('rm', '/p/b'),
    ),
    case('awk, printed', 'awk \'{print > "task.json"}\' x', written('awk')),
    case('sed w', "sed -n 'w task.json' x", written('sed w')),
    case('sed w, of a line', "sed '/a/w task.json' x", written('sed w')),
    case('sed s w', "sed -n 's/a/b/gw task.json' x", written('sed w')),
    case('script', 'script -c ls task.json', written('script')),
    case('git bundle', 'git bundle create task.json HEAD', written('git bundle')),
    case(
        'git format-patch',
        'git format-patch -o tasks HEAD~1',
        tree('git format-patch', '/p/tasks'),
    ),
    case(
        'pathspec, nowhere',
        "git checkout HEAD~1 -- ':/a'",
        Writes('**/a', 'git checkout', None, True, True),
    ),
    case('pathspec, excluding', "git checkout x -- ':!a'", tree('git checkout', '/p')),
    case(
        'pathspec, excluding too',
        "git checkout x -- b ':(exclude)a'",
        tree('git checkout', '/p/b'),
    ),
)
