"""Programs that only read: a file that is named to them stays as it is."""
from __future__ import annotations

READERS = frozenset((
    'cat', 'bat', 'batcat', 'ls', 'eza', 'exa', 'tree', 'grep', 'egrep',
    'fgrep', 'rg', 'ag', 'ack', 'head', 'tail', 'wc', 'diff', 'colordiff',
    'delta', 'cmp', 'comm', 'jq', 'json.tool', 'less', 'more', 'stat',
    'file', 'test', '[', '[[', 'cd', 'echo', 'printf', 'sha1sum',
    'sha256sum', 'sha512sum', 'shasum', 'md5sum', 'md5', 'cksum', 'b2sum',
    'which', 'whereis', 'type', 'readlink', 'realpath', 'basename',
    'dirname', 'du', 'df', 'od', 'hexdump', 'strings', 'nl', 'tac', 'rev',
    'cut', 'tr', 'paste', 'column', 'fold', 'fmt', 'join', 'uniq', 'seq',
    'date', 'man', 'true', 'false', 'pygmentize', 'glow', 'mdcat', 'lsof',
    'ps', 'pgrep', 'namei', 'getfacl', 'lsattr', 'base64', 'zcat',
    'yamllint', 'shellcheck', 'mypy', 'pylint', 'flake8', 'pytest',
    'check-jsonschema', 'actionlint', 'tokei', 'cloc',
    'scc', 'open', 'xdg-open', 'code', 'gh', 'glab', 'say', 'notify-send',
    'split', 'csplit', 'export', 'printenv', 'mkdir', 'sleep', 'kill',
    'cspell', 'aspell', 'hunspell', 'vale', 'alex', 'write-good',
    'proselint', 'lychee',
    'markdown-link-check', 'mdl', 'mlr', 'xsv', 'csvlook', 'gron', 'fzf',
    'ctags', 'lp', 'lpr', 'pbcopy', 'xclip', 'wl-copy', 'enscript', 'pr',
    'expand', 'unexpand', 'sum', 'look', 'subl', 'idea', 'charm', 'gedit',
    'diffstat', 'wdiff', 'vimdiff', 'meld', 'difft', 'sloccount',
    'ruff-lsp', 'commitlint', 'tsc', 'zgrep',
    'inotifywait', 'fswatch', 'mdless', 'frogmouth', 'xmllint',
    'toml-test', 'ajv', 'spectral', 'semgrep', 'bandit', 'gitleaks',
    'trufflehog', 'detect-secrets', 'sonar-scanner', 'ls-lint',
))
