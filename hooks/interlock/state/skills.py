"""What a SKILL.md forbids and requires, and where skills are found.

Only list items count, under a heading or a label of that name or in such a tag.
"""

from __future__ import annotations

import glob
import os

from interlock.files.atomic_files import read
from interlock.model import clients
from interlock.model import quick_re as re
from interlock.model.quick_typing import Iterator, Mapping

FILE = 'SKILL.md'
NAME_RE = re.compile(r'[\w][\w. -]*')
MAX_SIZE = 1024 * 1024
# below the directory of plugins: a plugin, or a market, a plugin, a version
DEPTHS = ('*', '*/*', '*/*/*', '*/*/*/*')

FORBIDDEN = 'forbidden'
REQUIRED = 'required'
MAX_ITEMS = 50
MAX_ITEM = 300

# `## Forbidden actions`, `**REQUIRED:**`, `FORBIDDEN:`, `<FORBIDDEN>`
HEADING_RE = re.compile(r'(#{1,6})\s+(.*?)\s*#*')
LABEL_RE = re.compile(r'\*{0,2}(forbidden|required)\b[^:]*:\*{0,2}', re.I)
TAG_RE = re.compile(r'<(/?)(forbidden|required)\b[^>]*>', re.I)
ITEM_RE = re.compile(r'\s*(?:[-*+]|\d+[.)])\s+(.*\S)\s*')
FENCE_RE = re.compile(r'\s*(```|~~~)')


def _topic(heading: str) -> str:
    word = heading.strip(' *_:').partition(' ')[0].lower().strip(':*')
    return word if word in (FORBIDDEN, REQUIRED) else ''


def _unfenced(text: str) -> Iterator[str]:
    fenced = False
    for line in text.splitlines():
        if FENCE_RE.match(line):
            fenced = not fenced
        elif not fenced:
            yield line


def instructions(text: str) -> dict[str, list[str]]:
    """`{forbidden: […], required: […]}`, each in the order of the file."""
    found: dict[str, list[str]] = {FORBIDDEN: [], REQUIRED: []}
    # the list that the next items belong to, '' for none
    topic, tagged = '', False
    for line in _unfenced(text):
        item = ITEM_RE.fullmatch(line)
        if tag := TAG_RE.fullmatch(line.strip()):
            tagged = not tag[1]
            topic = tag[2].lower() if tagged else ''
        elif not tagged and (heading := HEADING_RE.fullmatch(line)):
            topic = _topic(heading[2])
        elif not tagged and (label := LABEL_RE.fullmatch(line.strip())):
            topic = label[1].lower()
        elif item and topic:
            if len(found[topic]) < MAX_ITEMS:
                found[topic].append(item[1][:MAX_ITEM])
        elif line.strip() and not line.startswith((' ', '\t')) and not tagged:
            # a paragraph ends a list that began with a label
            topic = ''
    return found


def _folders(project: str, environ: Mapping[str, str], plugin: str) -> Iterator[str]:
    """Directories of skills, the nearest first."""
    homes = [
        (folder, environ.get(variable) or os.path.join(os.path.expanduser('~'), folder))
        for _, variable, folder, _ in clients.USERS
    ]
    if not plugin:
        yield from (os.path.join(project, folder, 'skills') for folder, _ in homes)
        yield from (os.path.join(home, 'skills') for _, home in homes)
    for root in filter(None, map(environ.get, clients.PLUGINS)):
        yield os.path.join(root, 'skills')
    for depth in DEPTHS:
        for _, home in homes:
            plugins = glob.escape(os.path.join(home, 'plugins'))
            for found in sorted(glob.glob(f'{plugins}/{depth}/skills')):
                if not plugin or plugin in found.split(os.sep):
                    yield found


def skill_instructions(
    name: str, project: str, environ: Mapping[str, str]
) -> dict[str, list[str]] | None:
    """What a skill (`skill` or `plugin:skill`) forbids and requires.

    None if there is no such skill.
    """
    plugin, _, skill = name.rpartition(':')
    # the name becomes part of a path
    if not NAME_RE.fullmatch(skill) or (plugin and not NAME_RE.fullmatch(plugin)):
        return None
    for folder in _folders(project, environ, plugin):
        data = read(os.path.join(folder, skill, FILE))
        if data is not None:
            return instructions(data[:MAX_SIZE].decode(errors='replace'))
    return None
