"""One table of programs: how each of them treats its words."""

from __future__ import annotations

from interlock.guard.shell.programs import (
    builtins,
    files,
    git,
    git_files,
    interpreters,
    printing,
    wrappers,
)
from interlock.guard.shell.programs.files import COPYING
from interlock.guard.shell.programs.program import (
    AFTER_FIRST,
    AFTER_SECOND,
    ALL,
    FIRST,
    LAST,
    SECOND,
    Program,
)
from interlock.guard.shell.words import ANY, FRESH, SOME
from interlock.model.quick_typing import Any


def _formatter(values: str = '', when: str = '', **fields: Any) -> Program:
    """A program that rewrites the files it is given; the result is not computed."""
    row = Program(values, when=when, written=ALL, patterns=True)._replace(**fields)
    return row._replace(unless=f'{CHECKING} {row.unless}', prints=ANY)


def _values(options: str) -> str:
    """Options as a row lists them: letters without a dash come first."""
    words = options.split()
    letters = ''.join(word[1:] for word in words if not word.startswith('--'))
    return ' '.join([letters, *(word for word in words if word.startswith('--'))])


# options with which formatters only print
CHECKING = (
    '--check --dry-run --diff --preview --info --help --version --list-different '
    '--list-files --stdout'
)
MARKDOWN = '.md .markdown'
TEXTS = f'{MARKDOWN} .json .yaml .yml'
MERGING = '--message --file --strategy --strategy-option --cleanup --into-name'
LISTING = '--contains --no-contains --merged --sort --points-at --format'
PRINTING = 'oxX --output --exclude --diff-filter --format'
# options that name a file or a directory for a report
REPORTS = (
    '-o -O -f --out --output --output-file --outfile --outFile --outDir --report '
    '--report-path --html-report --xml-report --junit-xml --junitxml --html --log-file '
    '--basetemp --user-data-dir --dir -D'
)
# options of curl that name a file, besides the file for the answer
TRACES = (
    '-D -c --dump-header --cookie-jar --trace --trace-ascii --stderr --etag-save '
    '--libcurl --hsts --alt-svc'
)
LOGS = '-o -a --output-file --append-output --save-cookies --rejected-log'

# several names may share a row
# fmt: off
ROWS = {
    # removing
    'rm grm srm': Program(removed=ALL, recursive='-r -R --recursive'),
    'rimraf trash trash-put': Program(removed=ALL, recursive=True),
    'rmdir unlink': Program(removed=ALL),
    'shred': Program('ns --iterations --size', 'u', removed=ALL),
    'gio': Program(verbs={'trash': '', 'remove': ''}, removed=AFTER_FIRST, recursive=True),
    'rename prename file-rename': Program('e',
        unless='-n --dry-run --no-act --nono', script='-e', removed=ALL),
    'mmv': Program('m', unless='-n', removed=FIRST, written=SECOND, patterns=True),
    'zip': Program('btnxi', written=FIRST, removed=AFTER_FIRST, removing='-m --move', recursive=True),
    # copying
    'cp gcp': Program(COPYING,
        copies=True, recursive='-r -R -a --recursive --archive', links='-l -s --link --symbolic-link'),
    'ln link': Program(COPYING, copies=True, links=True),
    'install ginstall': Program(f'mog{COPYING}', unless='-d --directory', copies=True),
    'mv gmv': Program(COPYING, moves=True),
    'git-mv': Program(unless='-n --dry-run', moves=True),
    'unzip': Program('dxP', unless='-l -t -v -Z -p -z --help', unpacks='file', directory='-d'),
    'cpio pax': Program('DFIOCHE --directory --file',
        when='-i --extract -r', unless='-t', unpacks='stream', directory='-D --directory', prints=ANY),
    '7z 7za': Program(attached='o', verbs={'x': '', 'e': ''}, unpacks='stream', directory='-o'),
    # writing
    'sponge': Program(written=ALL),
    'dd': Program(outputs='of='),
    'touch': Program('drt --date --reference --time', written=ALL, keeps='-c --no-create'),
    'truncate': Program('sr --size --reference', written=ALL),
    'yq': Program(when='-i --inplace --in-place', written=LAST, prints=ANY),
    'xxd': Program('lcgso', written=SECOND, prints=ANY),
    'uniq': Program('fsw', written=SECOND, prints=None),
    'json.tool': Program('--indent', written=SECOND, prints=ANY),
    'sort': Program('okStT --output --key --field-separator --compress-program',
        outputs='-o --output', helpers='--compress-program', how=' -o', prints=None),
    'shuf': Program('noe --output', outputs='-o --output', prints=ANY),
    'uuencode': Program('o', outputs='-o', prints=ANY),
    'iconv': Program('fto --from-code --to-code --output', outputs='-o --output', prints=ANY),
    'pandoc': Program('oftVH --output --from --to --variable --metadata --template --css',
        outputs='-o --output', prints=ANY),
    'pg_dump pg_dumpall mysqldump mariadb-dump': Program('fhpUrdntF --file --result-file --host --port '
        '--username --dbname', outputs='-f -r --file --result-file'),
    # programs that read, and write a report where they are told to
    'tree xmllint pygmentize ctags less pylint flake8 mypy pytest lychee semgrep bandit gitleaks spectral '
    'ajv vale cloc scc inotifywait enscript xsv base64 tsc gh glab code': Program(
        _values(REPORTS), outputs=REPORTS, unpacks='outputs', prints=ANY),
    'mlr': Program(when='-I', written=LAST, prints=ANY),
    'aspell': Program(when='-c --check', written=LAST),
    'git-cliff': Program('oprtc --output --prepend --tag --config', outputs='-o --output -p --prepend'),
    'git-merge-file': Program('L --marker-size --diff-algorithm', unless='-p --stdout', written=FIRST),
    'git-grep': Program('efmABC --open-files-in-pager', 'O', helpers='-O --open-files-in-pager'),
    'git-send-email': Program('--smtp-server --sendmail-cmd', helpers='--smtp-server --sendmail-cmd'),
    'git-bundle': Program(verbs={'create': ''}, written=SECOND),
    'git-fast-export': Program('--export-marks', outputs='--export-marks'),
    'git-credential-store': Program('--file', outputs='--file'),
    'git-archive': Program('o --output', outputs='-o --output'),
    'git-format-patch': Program('o --output-directory --output',
        outputs='-o --output-directory --output', recursive=True),
    # formatters and fixers of documents
    'prettier': _formatter('--config --parser --plugin --ignore-path --log-level --loglevel --tab-width '
        '--print-width --prose-wrap --end-of-line --trailing-comma', '--write -w', below=TEXTS),
    'prettierd': _formatter('', '--write'),
    'markdownlint markdownlint-cli markdownlint-cli2': _formatter('cirsp --config --ignore --rules '
        '--ignore-path --configPointer', '--fix -f', below=MARKDOWN),
    'rumdl': _formatter(verbs={'fmt': '', 'check': '--fix'}, written=AFTER_FIRST, below=MARKDOWN),
    'mdformat': _formatter('--wrap --end-of-line', below=MARKDOWN),
    'remark': _formatter('ueris --use --rc-path --ext --setting', '-o --output', below=MARKDOWN),
    'textlint': _formatter('cfo --rule --plugin --config --format --preset', '--fix', below=MARKDOWN),
    'doctoc': _formatter('--title --maxlevel', below=MARKDOWN),
    'markdown-toc': _formatter('', '-i'),
    'mdtoc': _formatter('', '-i --inplace'),
    'embedme': _formatter(below=MARKDOWN),
    'dprint': _formatter('cL --config --plugins', verbs={'fmt': ''}, written=AFTER_FIRST, below=TEXTS),
    'biome': _formatter('--config-path --max-diagnostics',
        '--write --apply --fix --apply-unsafe', written=AFTER_FIRST, below='.json'),
    'taplo': _formatter(verbs={'fmt': '', 'format': ''}, written=AFTER_FIRST, below='.toml'),
    'dos2unix unix2dos mac2unix unix2mac fromdos todos d2u u2d': _formatter(unless='-i --info'),
    'sd': _formatter('n --max-replacements', unless='-p', written=AFTER_SECOND),
    'rpl': _formatter('x', unless='-s --simulate', written=AFTER_SECOND, below='*'),
    'codespell': _formatter('ISDLx --ignore-words --skip --ignore-words-list --dictionary',
        '-w --write-changes', below='*'),
    'typos': _formatter('--config', '-w --write-changes', below='*'),
    'misspell': _formatter('io', '-w'),
    'recode': _formatter(written=AFTER_FIRST),
    'tidy': _formatter('o', '-m -modify'),
    'xmlstarlet': _formatter('uvsntdx', '-L --inplace', written=AFTER_FIRST),
    'sops': _formatter('', '-i --in-place'),
    'emacs nano micro hx kak pico': _formatter('lf --eval --load --funcall'),
    'fallocate': _formatter('lo --length --offset'),
    # formatters and fixers of code
    'eslint': _formatter('co --config --ext --format', '--fix', code=True),
    'stylelint oxlint': _formatter('c --config', '--fix', code=True),
    'black': _formatter('ltWC --line-length --target-version --config --exclude --include --extend-exclude '
        '--workers', code=True),
    'isort': _formatter('lsp --profile --settings-path --skip', code=True),
    'ruff': _formatter('--config --select --ignore --target-version --output-format --extend-select '
        '--line-length',
        verbs={'format': '', 'check': '--fix --fix-only --unsafe-fixes'}, written=AFTER_FIRST, code=True),
    'yapf autopep8 autoflake cmake-format': _formatter('l --style --config',
        '-i --in-place --inplace', code=True),
    'clang-format': _formatter('--style --assume-filename', '-i', code=True),
    'rustfmt': _formatter('--config', code=True),
    'gofmt': _formatter('r', '-w', code=True),
    'goimports gofumpt': _formatter('', '-w', code=True),
    'shfmt': _formatter('i', '-w --write', code=True),
    'pyupgrade stylua': _formatter(code=True),
    # wrappers of another command
    'builtin nohup setsid unbuffer chronic coproc noglob nocorrect dumb-init tini spawn busybox toybox '
    'winpty rlwrap prlimit fakeroot eatmydata firejail corepack pnpx catchsegv setpriv '
    'setarch linux32 linux64': Program(wraps=0),
    'proot': Program('bmqrwikv', wraps=0),
    'arch': Program('e --arch', 'd', wraps=0, prints=SOME),
    'exec': Program('a', wraps=0, by=wrappers.env),
    'compgen complete': Program('ACFGPSWXo', texts='-C'),
    'split': Program('abnCltd --filter', helpers='--filter'),
    'fzf sk': Program('dnqf --preview --query --filter --delimiter --nth', helpers='--preview'),
    'time gtime': Program('fo --format --output', outputs='-o --output', wraps=0),
    'timeout gtimeout': Program('ks --kill-after --signal', wraps=1),
    'nice': Program('n --adjustment', wraps=0),
    'ionice': Program('cnpPu --class --classdata', wraps=0),
    'stdbuf': Program('ioe --input --output --error', wraps=0),
    'chrt': Program('TPD', wraps=1),
    'taskset': Program(wraps=1),
    'strace': Program('aeEIoOpPsSuX', outputs='-o', wraps=0),
    'ltrace': Program('aeFlnopsuxX', outputs='-o', wraps=0),
    'caffeinate': Program('tw', wraps=0),
    'xvfb-run': Program('aefnspw', wraps=0),
    'npx': Program('pc --package --call', wraps=0, texts='-c --call'),
    'bunx': Program('--package', wraps=0),
    'uvx': Program('p --from --with --python', wraps=0),
    'unshare': Program('SGRw --root --wd --setuid --setgid', wraps=0),
    'nsenter': Program('tSGr --target --setuid --setgid', wraps=0),
    'chroot': Program('--userspec --groups', wraps=1),
    'proxychains env-cmd': Program('f', wraps=0),
    'faketime': Program('f', wraps=1),
    'dotenv': Program('ef', wraps=0),
    'flock': Program('wEc --timeout --wait --command', wraps=1, texts='-c --command'),
    'script': Program('cEIBmOT --command --echo --log-in --log-out --log-io',
        written=FIRST, wraps=1, texts='-c --command'),
    'su runuser': Program('csgu --command --shell --group --user', first=True, runs='words',
        texts='-c --command', drops=''),
    'systemd-run': Program('upEM --unit --property --setenv --uid --slice --description', wraps=0, drops=''),
    'sudo doas': Program('ughpCDRTUrt --user --group --host --prompt --chdir --role --type --chroot '
        '--close-from --command-timeout',
        wraps=0, directory='-D --chdir', assigns=True, drops='-E --preserve-env'),
    # printing
    'whoami id hostname uname nproc wc seq md5sum sha256sum sha1sum tput expr': Program(prints=SOME),
    'uuidgen': Program(prints=FRESH),
    # their output is for `eval`, and only prepares the shell
    'dircolors starship zoxide': Program(silent=True),
    'ssh-agent': Program('aEOPt', wraps=0, by=wrappers.key_agent),
    'head tail tac': Program(prints=None),
    # programs with a function for files
    'scp': Program('cFiJlPSoDX', helpers='-S', by=files.rsync),
    'rsync': Program('efBMTs --exclude --include --rsh --filter --files-from --exclude-from --include-from '
        '--log-file --password-file --chmod --chown --backup-dir --suffix --temp-dir --rsync-path',
        outputs='--log-file', helpers='-e --rsh --rsync-path', by=files.rsync),
    'rclone': Program('--config --exclude --include --filter --transfers --checkers --log-file --backup-dir',
        outputs='--log-file', by=files.rclone),
    'tar gtar bsdtar': Program(files.TAR, helpers=files.TAR_RUNS, by=files.tar),
    'zipfile tarfile': Program(by=files.zip_module),
    ' '.join(files.PACKED): Program('S --suffix', by=files.compress),
    'curl': Program('AbcdDeEFHKmMoPQrtTuUwxXyYzC --output --header --data --request --user --output-dir '
        f'--retry --max-time --config {TRACES[6:]}', outputs=TRACES, directory='--output-dir', by=files.download),
    'wget': Program(f'OPoaietTwQUl --output-document --directory-prefix {LOGS[6:]}',
        outputs=LOGS, directory='-P --directory-prefix', by=files.download),
    # databases, and other programs with a command language
    'sqlite3 sqlite duckdb': Program('cf', written=FIRST, by=files.orders),
    'psql pgcli mysql mycli mariadb litecli usql lftp ftp gnuplot': Program(
        'cefhopULdD --command --file --execute --output --log-file --tee',
        outputs='-o -L --output --log-file --tee', by=files.orders),
    'tee': Program(by=files.tee),
    'chmod chown chgrp chattr setfacl': Program(by=files.chmod),
    'sed gsed': Program('efl --expression --file --line-length',
        'i', when='-i -I --in-place', script='-e -f --expression --file', written=ALL,
        how=' -i', edits=files.sed_edit, backups='-i -I --in-place', by=files.sed_script),
    'awk gawk mawk nawk': Program('fFvieEl --file --assign --include --source', by=files.awk),
    'mount bindfs sshfs mergerfs unionfs': Program('otL --types --options', unless='--help --version',
        removed=LAST, recursive=True),
    'patch': Program('pioBdDFgrVYz --strip --input --output --directory --fuzz',
        directory='-d --directory', by=files.patch),
    'apply_patch applypatch': Program(by=files.agents_patch),
    'ex vi vim nvim': Program('cSuTtwW --cmd', by=files.editor),
    # programs with a function for their output
    'echo': Program(by=printing.echo, silent=True),
    'printf': Program(by=printing.printf, silent=True),
    'cat': Program(by=printing.cat),
    'ls realpath readlink which': Program(by=printing.names),
    'type': Program(by=printing.names, silent=True),
    'man': Program('P --pager', helpers='-P --pager', prints=ANY),
    'basename dirname': Program('s --suffix', by=printing.names),
    'mktemp': Program('p --tmpdir --suffix', by=printing.mktemp),
    'date': Program(by=printing.date),
    'find gfind': Program(by=printing.find),
    'fd fdfind': Program(by=printing.fd),
    'grep egrep fgrep rg': Program('efmABCd --regexp --file --include --exclude --exclude-dir --pre',
        by=printing.grep),
    # the shell itself
    ': true false test [ [[ exit return break continue wait let shopt ulimit umask getopts jobs bg '
    'fg disown kill sleep unalias history logout times dirs caller bind': Program(silent=True),
    'cd chdir pushd': Program(by=builtins.cd, silent=True),
    'popd': Program(by=builtins.popd, silent=True),
    'pwd': Program(by=builtins.pwd, silent=True),
    'export declare typeset local readonly': Program(by=builtins.declare, silent=True),
    'unset unsetenv': Program(by=builtins.unset, silent=True),
    'alias': Program(by=builtins.alias, silent=True),
    'hash': Program('p', by=builtins.remember, silent=True),
    'enable': Program('f', by=builtins.enable, silent=True),
    'eval': Program(by=builtins.evaluate, silent=True),
    'trap': Program(by=builtins.trap, silent=True),
    'read': Program('adinNptu', by=builtins.read, silent=True),
    'mapfile readarray': Program('dnOsuCc', helpers='-C', by=builtins.mapfile, silent=True),
    'let': Program(by=builtins.let, silent=True),
    'getopts': Program(by=builtins.getopts, silent=True),
    'shift': Program(by=builtins.shift, silent=True),
    'set': Program(by=builtins.set_options, silent=True),
    'source .': Program(by=builtins.source, silent=True),
    # programs that run code
    ' '.join(interpreters.SHELLS): Program(by=interpreters.run_shell),
    ' '.join(interpreters.CODE): Program(by=interpreters.interpreter),
    'perl ruby': Program('eEFIMmx',
        'iC', when='-i', script='-e -E', written=ALL, how=' -i', backups='-i',
        by=interpreters.interpreter),
    'python pypy': Program(by=interpreters.python),
    'xargs': Program('InPLsdEa --max-args --max-procs --max-lines --max-chars --delimiter --arg-file '
        '--replace', 'i', first=True, by=interpreters.xargs),
    'parallel': Program('jNIaCSPn --jobs --arg-file', first=True, by=interpreters.parallel),
    # programs that run another program
    'command': Program(wraps=0, by=wrappers.command),
    'watch': Program('nd --interval', first=True, runs='words'),
    'env cross-env cross-env-shell': Program('uCS --unset --chdir --split-string',
        wraps=0, directory='-C --chdir', by=wrappers.env),
    ' '.join(wrappers.RUNNERS): Program(wrappers.RUNNER_VALUES, wraps=0, by=wrappers.runner),
    'npm pnpm yarn bun': Program(wrappers.RUNNER_VALUES, wraps=0, by=wrappers.script_runner),
    'make gmake': Program('CfIoWjlOE --directory --file --makefile --eval',
        directory='-C --directory', by=wrappers.make, silent=True),
    'tmux': Program('cfLSTt', first=True, runs='words',
        hides='load-buffer loadb paste-buffer pasteb source-file source'),
    'screen': Program('cehpsStTX', first=True, runs='words'),
    'socat': Program(outputs='OPEN: open: GOPEN: gopen: CREATE: create: CREAT: creat:', first=True, runs='words', ends=','),
    'nix nix-shell': Program('pAE --packages --attr --expr', first=True, runs='words'),
    'expect': Program(first=True, runs='lines'),
    'ed': Program(written=ALL, runs='lines'),
    'jj sl got gix dulwich': Program('R --repository', by=wrappers.without_hooks),
    'at batch': Program('fqtc', runs='input', drops=''),
    'crontab': Program('u', runs='lines', drops=''),
    'ssh': Program('BbcDEeFIiJLlmOopQRSWw', wraps=0, by=wrappers.ssh),
    ' '.join(wrappers.CONTAINERS): Program('vw --volume --workdir --mount', by=wrappers.container),
    # hook managers, and clients
    'pre-commit prek husky lefthook overcommit captainhook hk simple-git-hooks': Program('cCt --config --cd --color', by=wrappers.hook_manager),
    **{name: Program(_values(valued), by=wrappers.client) for name, (_, valued, _) in wrappers.CLIENTS.items()},
    'git hub': Program('Cc --git-dir --work-tree --namespace --config-env --super-prefix --attr-source '
        '--list-cmds', first=True, by=git.git, silent=True),
    # subcommands of git; the first six list all options of their manual pages
    'git-commit': Program('mFCct --message --file --reuse-message --reedit-message --template --author '
        '--date --fixup --squash --cleanup --trailer --pathspec-from-file', 'uS'),
    'git-merge': Program(f'mFsX {MERGING}', 'S'),
    'git-pull': Program(f'sXo {MERGING} --upload-pack --depth --deepen --shallow-since --shallow-exclude '
        '--refmap --server-option --negotiation-tip', 'Srj'),
    'git-push': Program('o --push-option --repo --receive-pack --exec --recurse-submodules'),
    'git-rebase': Program('xsXC --exec --strategy --strategy-option --onto --empty --whitespace', 'Sr',
        texts='-x --exec'),
    'git-am': Program('Cp --directory --exclude --include --patch-format --whitespace --quoted-cr --empty '
        '--resolvemsg', 'S'),
    'git-apply': Program('pC --exclude --include --directory --whitespace',
        directory='--directory', by=git_files.apply),
    'git-branch': Program(f'u {LISTING} --no-merged --set-upstream-to'),
    'git-checkout': Program('bB --orphan --conflict --pathspec-from-file', 't', by=git_files.checkout),
    'git-checkout-index': Program('--prefix --stage', by=git_files.checkout_index),
    'git-clean': Program('e --exclude', by=git_files.clean),
    'git-stash': Program('m --message --pathspec-from-file', by=git_files.stash),
    'git-switch': Program('cC --create --force-create --orphan --conflict', by=git_files.switch),
    'git-config': Program('f --file --blob --type --default --value --comment --url'),
    'git-hash-object': Program('t --type'),
    'git-init': Program('b --separate-git-dir --template --initial-branch'),
    'git-read-tree': Program('--prefix --index-output --exclude', by=git_files.read_tree),
    'git-reset': Program('U --pathspec-from-file --unified', by=git_files.reset),
    'git-restore': Program('s --source --conflict --pathspec-from-file', by=git_files.restore),
    'git-rm': Program('--pathspec-from-file', by=git_files.rm),
    'git-send-pack': Program('o --push-option'),
    'git-symbolic-ref': Program('m'),
    'git-tag': Program(f'mFu {LISTING} --message --file --local-user', 'n'),
    'git-update-index': Program('--cacheinfo --chmod --index-version', by=git_files.update_index),
    'git-update-ref': Program('m'),
    'git-difftool': Program('xt --extcmd --tool', texts='-x --extcmd'),
    'git-for-each-repo': Program('--config', by=git_files.each_repository),
    'git-bisect': Program(verbs={'run': ''}, wraps=1),
    'git-submodule': Program(first=True, verbs={'foreach': ''}, runs='words'),
    'git-diff git-log git-show git-shortlog git-whatchanged git-reflog git-diff-tree git-diff-index '
    'git-diff-files git-range-diff': Program(PRINTING, outputs='--output', how=' --output'),
    'git-ls-files': Program(PRINTING),
    'git-worktree': Program(verbs={'remove': '', 'move': ''}, removed=SECOND, recursive=True),
}
# fmt: on
TABLE = {name: row for names, row in ROWS.items() for name in names.split()}

# programs that do not change the files they are given
READERS = frozenset(
    'cat bat batcat ls eza exa grep egrep fgrep rg ag ack head tail wc diff '
    'colordiff delta cmp comm jq more stat file test [ [[ cd echo printf '
    'sha1sum sha256sum sha512sum shasum md5sum md5 cksum b2sum which whereis type '
    'readlink realpath basename dirname du df od hexdump strings nl tac rev cut tr paste '
    'column fold fmt join uniq seq date man true false glow mdcat lsof ps '
    'pgrep namei getfacl lsattr zcat yamllint shellcheck '
    'check-jsonschema actionlint tokei open xdg-open say '
    'notify-send csplit export printenv mkdir sleep kill cspell hunspell '
    'alex write-good proselint markdown-link-check mdl csvlook gron '
    'lp lpr pbcopy xclip wl-copy pr expand unexpand sum look subl '
    'idea charm gedit diffstat wdiff vimdiff meld difft sloccount ruff-lsp commitlint '
    'zgrep fswatch mdless frogmouth toml-test '
    'trufflehog detect-secrets sonar-scanner ls-lint'.split()
)
