"""The pages for readers: their links, their pictures, the site."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
from docs import images, site

TOP = Path(__file__).parent.parent
LINK_RE = re.compile(r'(?<!\\)\]\(([^)\s]+)\)')
CODE_RE = re.compile(r'^```.*?^```$|`[^`\n]*`', re.DOTALL | re.MULTILINE)
HEADING_RE = re.compile(r'^#+ (.+)$', re.MULTILINE)
PAGES = [TOP / 'README.md', *sorted((TOP / 'docs').rglob('*.md'))]


def anchors(text: str) -> set[str]:
    return {
        re.sub(r'[^\w\- ]', '', heading.lower()).strip().replace(' ', '-')
        for heading in HEADING_RE.findall(text)
    }


def broken(page: Path) -> Iterator[str]:
    text = CODE_RE.sub('', page.read_text('UTF-8'))
    for link in LINK_RE.findall(text):
        if re.match('[a-z]+:', link):
            continue
        name, _, anchor = link.partition('#')
        target = (page.parent / name).resolve() if name else page
        if not target.exists() or (
            anchor and anchor not in anchors(target.read_text('UTF-8'))
        ):
            yield f'{page.relative_to(TOP)}: {link}'


def test_every_link_leads_somewhere() -> None:
    assert [each for page in PAGES for each in broken(page)] == []
    assert sum(len(LINK_RE.findall(page.read_text('UTF-8'))) for page in PAGES) > 200


@pytest.mark.slow
def test_the_pictures_show_what_is_printed() -> None:
    for name, text in images.files().items():
        ElementTree.fromstring(text)
        assert text == (images.FOLDER / name).read_text('UTF-8'), 'next: make docs'


def test_pages_that_are_not_written_yet_are_left_out(tmp_path: Path) -> None:
    (tmp_path / 'faq.md').touch()
    assert site.navigation(tmp_path)[0] == {
        'Begin': [{'Questions and answers': 'faq.md'}]
    }


@pytest.mark.slow
def test_the_site_builds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site, 'OUT', tmp_path)
    assert site.main() == 0
    index = (tmp_path / 'html' / 'index.html').read_text('UTF-8')
    assert 'Ten minutes' in index
    assert '"site.css"' in index and (tmp_path / 'html' / 'site.css').is_file()
