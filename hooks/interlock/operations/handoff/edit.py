"""The text of a handoff with other fields and sections."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from interlock.documents import frontmatter, section_edit, yaml
from interlock.documents.frontmatter_edit import scalar, set_field
from interlock.documents.text import plain
from interlock.model.errors import Refusal
from interlock.model.suggest import did_you_mean
from interlock.operations.progress_text import Words
from interlock.workflow.language.patterns import expand
from interlock.workflow.language.spec import HandoffSpec
from interlock.workflow.reading.records import is_null, is_quoted_number

BULLETS = '-*+ \t'
FIELD_RE = re.compile(r'\{([^{}]*)\}')
OPEN = '- [ ] '
PASSED = '- [x] '


def order(spec: HandoffSpec) -> list[str]:
    """The fields of a handoff in the order in which they are written."""
    roles = ('item', 'stage', 'phase', 'status', 'updated')
    return [
        *(spec.keys[role] for role in roles if role in spec.keys),
        *(field.name for field in spec.fields),
        *filter(None, (spec.evidence, spec.keys.get('checksums'))),
    ]


def nodes(text: str) -> Mapping[str, yaml.Node]:
    front = frontmatter.parse(text)
    return front.fields.items if front else {}


def values(text: str) -> dict[str, str]:
    """The fields that are single values, as they are written."""
    return {
        key: node.text
        for key, node in nodes(text).items()
        if isinstance(node, yaml.Scalar)
    }


def _says(node: yaml.Node, value: str) -> bool:
    if is_null(node):
        return value == 'null'
    return isinstance(node, yaml.Scalar) and node.text == value


def _name(key: str, spec: HandoffSpec, found: Mapping[str, yaml.Node]) -> str:
    """The name under which a field stands, which may be an older one."""
    older = [
        alias
        for alias, target in spec.aliases.items()
        if target == key and alias in found
    ]
    return key if key in found or not older else older[0]


def set_values(text: str, spec: HandoffSpec, wanted: Mapping[str, str]) -> str:
    """Other values; a new field goes behind the one it comes after."""
    known = order(spec)
    for key, value in wanted.items():
        found = nodes(text)
        name = _name(key, spec, found)
        if (
            name in found
            and _says(found[name], value)
            and not (key == spec.keys['stage'] and is_quoted_number(found[name]))
        ):
            continue
        before = known[: known.index(key)] if key in known else []
        after = [each for each in before if each in found]
        text = set_field(text, (name,), scalar(value), after[-1] if after else '')
    return text


def add_completed(
    text: str, spec: HandoffSpec, about: str, said: str, anew: bool
) -> str:
    """One more line of what is completed, unless something is said of it.

    `anew`: unless exactly this is said.
    """
    title = spec.sections.get('completed')
    if title is None:
        return text
    line = f'- **{about}:** {said}'
    for each in section_edit.body(text, title):
        bare = plain(each.lstrip(BULLETS))
        if each.strip() == line or (not anew and bare.startswith(f'{about}:')):
            return text
    return section_edit.append(text, title, line)


def set_lines(text: str, spec: HandoffSpec, role: str, lines: Sequence[str]) -> str:
    title = spec.sections.get(role)
    if title is None or section_edit.body(text, title) == list(lines):
        return text
    return section_edit.replace(text, title, lines)


def fill(text: str, spec: HandoffSpec, item: str, fields: Mapping[str, str]) -> str:
    """Sections that are there and say nothing, with what is known."""
    known = {**fields, 'item': item}
    for role, lines in spec.fills.items():
        title = spec.sections.get(role, '')
        said = [
            FIELD_RE.sub(lambda match: known[match[1]], line)
            for line in lines
            if all(known.get(name) for name in FIELD_RE.findall(line))
        ]
        if (
            said
            and title
            and section_edit.exists(text, title)
            and (not section_edit.body(text, title))
        ):
            text = section_edit.replace(text, title, said)
    return text


def pass_all(text: str, spec: HandoffSpec, about: str, passed: bool) -> str:
    """The items of the checklist about a state, ticked or not."""
    title = spec.sections.get('tests', '')
    old, new = (OPEN, PASSED) if passed else (PASSED, OPEN)
    for each in section_edit.body(text, title) if title else ():
        head = f'{old}{about}:'
        if each.lstrip().startswith(head):
            line = each.replace(old, new, 1)
            text = section_edit.set_line(text, title, each, line)
    return text


def _artifact(given: str, spec: HandoffSpec, item: str) -> tuple[str, str]:
    name, _, path = given.partition('=')
    path = path or expand(spec.artifacts.get(name, ''), item)
    if not name.strip() or not path.strip():
        raise Refusal(
            f'where `{given}` is found is not known'
            f'{did_you_mean(name, list(spec.artifacts))}',
            'give it as NAME=PATH',
        )
    return name.strip(), path.strip()


def _add_artifact(text: str, title: str, name: str, path: str) -> str:
    line = f'- {name}: {path}'
    for each in section_edit.body(text, title):
        if plain(each.lstrip(BULLETS)).startswith(f'{name}:'):
            return section_edit.set_line(text, title, each, line)
    return section_edit.append(text, title, line)


def _pass_test(text: str, title: str, test: str) -> str:
    for each in section_edit.body(text, title):
        if each.strip() == f'{PASSED}{test}':
            return text
        elif each.strip() == f'{OPEN}{test}':
            indent = each[: len(each) - len(each.lstrip())]
            new = f'{indent}{PASSED}{test}'
            return section_edit.set_line(text, title, each, new)
    return section_edit.append(text, title, f'{PASSED}{test}')


def add_words(text: str, spec: HandoffSpec, item: str, words: Words) -> str:
    """What was built, what was tested, and what is to be remembered."""
    titles = spec.sections
    if 'artifacts' in titles:
        for given in words.artifacts:
            name, path = _artifact(given, spec, item)
            if section_edit.body(text, titles['artifacts']) == [
                *spec.fills.get('artifacts', ())
            ]:
                # that there are none yet
                text = section_edit.replace(text, titles['artifacts'], [])
            text = _add_artifact(text, titles['artifacts'], name, path)
    if 'tests' in titles:
        for test in words.tests:
            text = _pass_test(text, titles['tests'], test)
    if 'context' in titles:
        for each in words.context:
            line = f'- {each}'
            if line not in section_edit.body(text, titles['context']):
                text = section_edit.append(text, titles['context'], line)
    return text
