"""Lossless edits of a handoff: its fields, and the sections below them."""

from __future__ import annotations

from interlock.documents import frontmatter, section_edit, yaml
from interlock.documents.frontmatter_edit import scalar, set_field, set_scalars
from interlock.documents.text import decode, plain
from interlock.model import quick_re as re
from interlock.model.errors import Refusal
from interlock.model.fixes import did_you_mean, restore_handoff
from interlock.model.quick_typing import Mapping, Sequence
from interlock.model.state import State
from interlock.operations.progress_text import Words, filled
from interlock.workflow.language.patterns import expand
from interlock.workflow.language.spec import HandoffSpec
from interlock.workflow.reading.records import (
    Placed,
    Records,
    is_null,
    is_quoted_number,
)

NULL = 'null'
BULLETS = '-*+ \t'
OPEN = '- [ ] '
PASSED = '- [x] '
PLACEHOLDER_RE = re.compile(r'\{(\w+)\}')
OPENING, CLOSING = '---\n', '\n---\n'
GAP_RE = re.compile(r'\n{3,}')


def handoff_spec(at: Records) -> HandoffSpec:
    if not at.kind.handoff.file:
        raise Refusal(
            f'the workflow does not name a handoff for {at.kind.name}s',
            'interlock config explain items.handoff',
        )
    return at.kind.handoff


def refuse_unreadable(placed: Placed, called: str) -> None:
    """Refuse a handoff whose fields cannot be read."""
    if placed.handoff.fields is None:
        problem = placed.handoff.problem
        why = (
            f'{placed.path}:{problem.line}: the frontmatter {problem.message}'
            if problem
            else f'{placed.path} has no frontmatter'
        )
        raise Refusal(why, *restore_handoff(called).hint)


def nodes(text: str) -> Mapping[str, yaml.Node]:
    front = frontmatter.parse(text)
    return front.fields.items if front else {}


def _says(node: yaml.Node, value: str) -> bool:
    if is_null(node):
        return value == NULL
    return isinstance(node, yaml.Scalar) and node.text == value


class HandoffText:
    """The text of a handoff; every byte that is not edited stays."""

    def __init__(self, text: str, spec: HandoffSpec, item: str) -> None:
        self.text = text
        self.spec = spec
        self.item = item

    @classmethod
    def read(cls, at: Records, path: str) -> HandoffText:
        blob = at.snapshot.blob(path)
        assert blob is not None, 'it has been read'
        return cls(decode(blob), handoff_spec(at), at.item)

    @property
    def values(self) -> dict[str, str]:
        """The fields that are single values, as they are written."""
        return {
            key: node.text
            for key, node in nodes(self.text).items()
            if isinstance(node, yaml.Scalar)
        }

    def _order(self) -> list[str]:
        """The fields in the order in which they are written."""
        spec, roles = self.spec, ('item', 'stage', 'phase', 'status', 'updated')
        return [
            *(spec.keys[role] for role in roles if role in spec.keys),
            *(field.name for field in spec.fields),
            *filter(None, (spec.evidence, spec.keys.get('checksums'))),
        ]

    def set_values(self, wanted: Mapping[str, str]) -> None:
        """Change values; a new field goes to its place in the order of fields."""
        known, found = self._order(), nodes(self.text)
        written, changes = {*found}, []
        for key, value in wanted.items():
            # the field may have an older name
            aliases = self.spec.aliases.items()
            older = [alias for alias, to in aliases if to == key and alias in found]
            name = key if key in found or not older else older[0]
            if (
                name in found
                and _says(found[name], value)
                and not (
                    key == self.spec.keys['stage'] and is_quoted_number(found[name])
                )
            ):
                continue
            before = known[: known.index(key)] if key in known else []
            after = [each for each in before if each in written][-1:]
            changes.append((name, value, *after))
            written.add(name)
        self.text = set_scalars(self.text, changes)

    def set_yaml(self, key: str, value: str, after: str = '') -> None:
        self.text = set_field(self.text, (key,), value, after)

    def set_below(self, key: str, values: Mapping[str, str]) -> None:
        """Change values, given as YAML, of a field that is a mapping."""
        for name, value in values.items():
            self.text = set_field(self.text, (key, name), value)

    def lines(self, role: str) -> list[str]:
        """The lines of a section, [] if the workflow has no section for the role."""
        title = self.spec.sections.get(role)
        return section_edit.body(self.text, title) if title else []

    def set_lines(self, role: str, lines: Sequence[str]) -> None:
        title = self.spec.sections.get(role)
        if title:
            self.text = section_edit.replace(self.text, title, lines)

    def set_line(self, role: str, old: str, new: str) -> None:
        title = self.spec.sections[role]
        self.text = section_edit.set_line(self.text, title, old, new)

    def add_line(self, role: str, line: str) -> None:
        title = self.spec.sections.get(role)
        if title:
            self.text = section_edit.append(self.text, title, line)

    def name_state(self, name: str) -> None:
        """Name the current state in its heading."""
        title = self.spec.sections.get('current')
        if title:
            self.text = section_edit.retitle(self.text, title, f'{title}: {name}')

    def add_completed(self, about: str, said: str, anew: bool = False) -> None:
        """Add a line to the completed section, unless it has one about the same.

        `anew`: add it unless exactly this line is there.
        """
        line = f'- **{about}:** {said}'
        for each in self.lines('completed'):
            bare = plain(each.lstrip(BULLETS))
            if each.strip() == line or (not anew and bare.startswith(f'{about}:')):
                return
        self.add_line('completed', line)

    def fill(self) -> None:
        """Fill empty sections with the texts that the workflow has for them."""
        written = self.values.items()
        known = {key: text for key, text in written if text not in {NULL, ''}}
        known['item'] = self.item
        for role, lines in self.spec.fills.items():
            said = [*filter(None, (filled(line, known) for line in lines))]
            title = self.spec.sections.get(role, '')
            if (
                said
                and title
                and section_edit.exists(self.text, title)
                and not self.lines(role)
            ):
                self.set_lines(role, said)

    def tick_all(self, about: str, passed: bool) -> None:
        """Tick the items of the checklist about a state, or clear them."""
        old, new = (OPEN, PASSED) if passed else (PASSED, OPEN)
        for each in self.lines('tests'):
            if each.lstrip().startswith(f'{old}{about}:'):
                self.set_line('tests', each, each.replace(old, new, 1))

    def _tick(self, test: str) -> None:
        for each in self.lines('tests'):
            if each.strip() == f'{PASSED}{test}':
                return
            elif each.strip() == f'{OPEN}{test}':
                self.set_line('tests', each, each.replace(OPEN, PASSED, 1))
                return
        self.add_line('tests', f'{PASSED}{test}')

    def _add_artifact(self, given: str) -> None:
        name, _, path = given.partition('=')
        path = path or expand(self.spec.artifacts.get(name, ''), self.item)
        name, path = name.strip(), path.strip()
        if not name or not path:
            raise Refusal(
                f'the path of `{given}` is not known'
                f'{did_you_mean(name, list(self.spec.artifacts))}',
                'give it as NAME=PATH',
            )
        if self.lines('artifacts') == [*self.spec.fills.get('artifacts', ())]:
            # only the filler text, which says that there are none yet
            self.set_lines('artifacts', [])
        for each in self.lines('artifacts'):
            if plain(each.lstrip(BULLETS)).startswith(f'{name}:'):
                self.set_line('artifacts', each, f'- {name}: {path}')
                return
        self.add_line('artifacts', f'- {name}: {path}')

    def add_words(self, words: Words) -> None:
        """Add what was built, what was tested and what to remember."""
        sections = self.spec.sections
        for given in words.artifacts if 'artifacts' in sections else ():
            self._add_artifact(given)
        for test in words.tests if 'tests' in sections else ():
            self._tick(test)
        for each in words.context:
            if f'- {each}' not in self.lines('context'):
                self.add_line('context', f'- {each}')


def new_handoff(at: Records, state: State) -> HandoffText:
    """The template; unknown fields are null, and unknown sections empty."""
    # imported here: most commands edit an existing handoff
    import frontmatter as writer

    spec = handoff_spec(at)
    if not spec.template:
        raise Refusal(
            f'the workflow has no template of a handoff for {at.kind.name}s',
            'name one in the workflow as handoff: template',
        )
    known = {'item': at.item, 'state': at.kind.label(state)}
    front, _, body = spec.template.removeprefix(OPENING).partition(CLOSING)
    fields = PLACEHOLDER_RE.sub(lambda it: scalar(known.get(it[1], NULL)), front)
    body = PLACEHOLDER_RE.sub(lambda it: known.get(it[1], ''), body)
    post = writer.Post(GAP_RE.sub('\n\n', body).strip('\n'))
    # not as arguments: a field may have any name
    post.metadata = yaml.value(yaml.parse(fields))
    text = writer.dumps(post, sort_keys=False)
    return HandoffText(f'{text}\n', spec, at.item)
