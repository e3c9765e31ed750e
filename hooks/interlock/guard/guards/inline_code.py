"""The protected files that code of other languages in a command names.

The code is not parsed. The user is asked about code that names such a file,
unless every call in it is known to read. Only languages that write calls with
parentheses allow this test.
"""

from __future__ import annotations

import os

from interlock.guard.shell.programs.interpreters import family
from interlock.model import quick_re as re
from interlock.model.quick_tools import fnmatchcase
from interlock.model.quick_typing import Iterable

PARENTHESES = frozenset(('python', 'pypy', 'ipython', 'node', 'nodejs'))
CALL = re.compile(r'([A-Za-z_]\w*)\s*\(')
# `open(x)`, `open(x, 'r')`, `open(x, encoding='…')`: no other mode
OPEN = re.compile(
    r"""\bopen\s*\((?:[^(),]|\([^()]*\))*"""
    r"""(?:,\s*(?:mode\s*=\s*)?['"]r[bt]?['"])?"""
    r"""(?:,\s*(?:encoding|errors)\s*=\s*['"][\w-]+['"])*\s*\)"""
)
# `Path(x).open()`
METHOD = re.compile(r"""\.open\s*\((?!\s*(?:['"]r[bt]?['"]\s*)?\))""")
ANY_OPEN = re.compile(r'\bopen\s*\(')
DEFINED = re.compile(r'\b(?:def|function)\s+(\w+)')
READING = frozenset(
    """print open len sorted set list dict tuple str int float bool bytes range
    enumerate zip map filter sum min max any all abs round repr isinstance type
    next iter reversed exit if for while and or not in return assert elif lambda
    else switch catch require import from with format ord chr hash id vars dir
    hasattr raise read readline readlines readFileSync readFile read_text
    read_bytes split splitlines strip lstrip rstrip join startswith endswith
    lower upper title count index find replace encode decode get items keys
    values append extend sort partition rpartition toString trim slice includes
    match matchAll test indexOf toLowerCase forEach reduce some every entries
    concat startsWith endsWith push log error stringify parse removesuffix
    removeprefix update add setdefault isdigit load loads dumps safe_load
    safe_load_all reader DictReader Counter defaultdict most_common findall
    finditer search fullmatch compile group groups sub sha256 sha1 md5 hexdigest
    digest exists isfile isdir is_file is_dir listdir glob rglob iglob walk
    getsize stat Path basename dirname abspath relative_to pprint existsSync
    readdirSync statSync fromisoformat now today strftime isoformat strptime""".split()
)
ATTRIBUTES = frozenset(
    """path stdin stdout stderr argv buffer length stem name parent suffix parts
    environ env datetime date version version_info sep st_size st_mtime year
    metadata content I M S IGNORECASE MULTILINE DOTALL decoder""".split()
)
STRING = re.compile(r"""(?<![fF])(?:'[^'\n]*'|"[^"\n]*")""")
ATTRIBUTE = re.compile(r'\.\s*([A-Za-z_]\w*)')
IMPORTED = re.compile(r'\bfrom\s+[\w.]+\s+import\s+([^\n;]+)')
WORD = re.compile(r'\w+')
# replaces a file, not text: `os.replace(a, b)`, `path.replace(b)`
MOVED = re.compile(r'\bos\s*\.\s*replace|\.replace\s*\([^,()]*\)')
# writes to the terminal, not to a file
PRINTED = re.compile(r'\b(?:stdout|stderr)(?:\.buffer)?\.write\s*\(')
# removes or replaces a whole directory
TREES = tuple(
    """rmtree rmSync rmdirSync rm_rf rm_r remove_tree move rename copytree cpSync
    cp_r removedirs system spawn subprocess exec""".split()
)
SPACE = re.compile(r"""[\s'"`()\[\],;=<>|&]+""")
# `{name}`, `${name}`, `$name`, `%s`
HOLE = re.compile(r'\$?\{[^{}]*\}|\$\w+|%[sd]')

# `name + 'x'`, and then `'x' + 'y'`
VALUE = re.compile(r"""[A-Za-z_][\w.]*(?:\([^()]*\)|\[[^]]*\])?\s*\+\s*(['"])""")
ADDED = re.compile(r"""['"]\s*\+\s*['"]""")
# `join('x', 'y')`, `Path('x') / 'y'`
JOINED = re.compile(r"""['"]\)?\s*[,/]\s*['"]""")
# `Path('x').rglob('*.md')`
BELOW = re.compile(
    r"""Path\(\s*['"]([^'"\n]+)['"]\s*\)\.r?glob\(\s*['"]([^'"\n]+)['"]"""
)
# lists a directory, and the suffixes of the names that the code looks for
LISTING = ('listdir', 'iterdir', 'scandir', 'walk', 'readdir', 'children')
SUFFIX = re.compile(r"""['"]\*?(\.\w{1,10})['"]""")
QUOTED = re.compile(r"""['"]([^'"\n]+)['"]""")


def only_reads(program: str, code: str) -> bool:
    if family(program) not in PARENTHESES:
        return False
    elif len(OPEN.findall(code)) != len(ANY_OPEN.findall(code)) or (
        METHOD.search(code) or MOVED.search(code)
    ):
        return False
    code = PRINTED.sub('print(', code)
    bare = STRING.sub("''", code)
    used = {*CALL.findall(code)}
    for names in IMPORTED.findall(bare):
        used.update(WORD.findall(names))
    known = READING | set(DEFINED.findall(code))
    attributes = set(ATTRIBUTE.findall(bare)) - ATTRIBUTES
    return used <= known and attributes <= known


def _listed(code: str, directory: str, path: str) -> bool:
    """Whether code that lists a directory may reach a path."""
    if not any(word in code for word in LISTING):
        return False
    elif not path.endswith(tuple(SUFFIX.findall(code))):
        return False
    words = QUOTED.findall(code)
    places = [os.path.normpath(os.path.join(directory, word)) for word in words]
    folders = list(filter(os.path.isdir, places))
    return path.startswith(tuple(folder + os.sep for folder in folders or [directory]))


def _tokens(code: str) -> set[str]:
    """Every word that could be a file name, with its placeholders as stars."""
    code = BELOW.sub(r'"\1/\2"', code)
    joined = ADDED.sub('', VALUE.sub(r'\1*', code))
    found = (joined, JOINED.sub('/', joined))
    return {
        word.removeprefix('./').removeprefix('~/').rstrip(':.')
        for text in found
        for word in SPACE.split(HOLE.sub('*', text))
        if '.' in word.strip('.') or '/' in word.strip('/')
    }


def _means(token: str, directory: str, path: str) -> bool:
    """Whether a word of code may mean a path: all of it, or its end."""
    parts, wanted = token.split('/'), path.split('/')
    if any(sign in parts[-1] for sign in '*?[') or token.startswith('/'):
        whole = os.path.normpath(os.path.join(directory, token))
        return fnmatchcase(path, whole.replace('**/', '*'))
    parts = [part for part in parts if part not in ('..', '.', '**')]
    return len(parts) <= len(wanted) and all(
        fnmatchcase(one, other)
        for one, other in zip(reversed(wanted), reversed(parts), strict=False)
    )


def named(code: str, directory: str, paths: Iterable[str]) -> list[str]:
    """The paths that a piece of code may name."""
    tokens = _tokens(code)
    words = SPACE.split(code) if any(word in code for word in TREES) else []
    folders = tuple(
        os.path.normpath(os.path.join(directory, word)) + os.sep
        for word in filter(None, words)
    )
    return [
        path
        for path in paths
        if path.startswith(folders)
        or any(_means(token, directory, path) for token in tokens)
        or _listed(code, directory, path)
    ]
