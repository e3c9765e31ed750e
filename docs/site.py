"""Builds the documentation as a site, with those pages that there are."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import yaml
from mkdocs.__main__ import cli

TOP = Path(__file__).parent.parent
OUT = TOP / '.site'
# section -> title and page, in the order of reading
NAVIGATION: dict[str, tuple[tuple[str, str], ...]] = {
    'Begin': (
        ('Home', 'index.md'),
        ('A whole item and a whole task', 'walkthrough.md'),
        ('Questions and answers', 'faq.md'),
        ('Glossary', 'glossary.md'),
        ('What others do', 'comparison.md'),
    ),
    'Wire it': (
        ('Hooks of git', 'hooks.md'),
        ('Claude Code', 'claude-code.md'),
        ('Coding agents', 'agents.md'),
        ('CI and servers', 'ci.md'),
        ('Many machines', 'fleet.md'),
    ),
    'Reference': (
        ('The workflow file', 'workflow-file.md'),
        ('Configuration', 'configuration.md'),
        ('Commands', 'commands.md'),
        ('Rules', 'rules.md'),
        ('Formats', 'formats/README.md'),
        ('Tasks', 'tasks.md'),
        ('Saved state and handoff documents', 'saved-state.md'),
        ('Performance', 'performance.md'),
        ('Security model', 'security.md'),
    ),
}


def navigation(folder: Path) -> list[dict[str, list[dict[str, str]]]]:
    """A page that is missing is left out."""
    return [
        {section: [{title: page} for title, page in pages if (folder / page).is_file()]}
        for section, pages in NAVIGATION.items()
    ]


def home() -> str:
    """The README is the first page; its links start from `docs/`."""
    text = (TOP / 'README.md').read_text('UTF-8')
    return text.replace('](docs/', '](').replace('](SECURITY.md)', '](security.md)')


def main(args: Sequence[str] = ()) -> int:
    OUT.mkdir(exist_ok=True)
    source = OUT / 'pages'
    _copy(TOP / 'docs', source)
    (source / 'index.md').write_text(home(), encoding='UTF-8')
    config = {
        'site_name': 'Interlock',
        'docs_dir': str(source),
        'site_dir': str(OUT / 'html'),
        'theme': 'readthedocs',
        'extra_css': ['site.css'],
        'nav': navigation(source),
        'plugins': ['search'],
        # files of the repository that are not pages
        'validation': {
            'links': {'not_found': 'ignore', 'unrecognized_links': 'ignore'}
        },
        'not_in_nav': '/rules/*\n/formats/*\n/examples/*',
    }
    file = OUT / 'mkdocs.yml'
    file.write_text(yaml.safe_dump(config, sort_keys=False), encoding='UTF-8')
    cli.main(['build', '--strict', '--quiet', '-f', str(file)], standalone_mode=False)
    return 0


def _copy(source: Path, target: Path) -> None:
    for path in source.rglob('*'):
        if path.suffix in {'.md', '.svg', '.png', '.yaml', '.css'}:
            place = target / path.relative_to(source)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(path.read_bytes())


if __name__ == '__main__':
    raise SystemExit(main(sys.argv[1:]))
