from __future__ import annotations

from interlock.checks.compare import (
    Case,
    Concerned,
    as_twin,
    broken_agreements,
    judge_items,
    no_longer_files,
    record_twins,
)
from interlock.documents import yaml
from interlock.documents.text import is_date, shown
from interlock.model.change import TYPE_CHANGED, Change
from interlock.model.finding import ERROR, INFO, WARNING, Finding, Fix
from interlock.model.fixes import (
    edit,
    make_handoff,
    nearest,
    ours,
    restore,
    restore_handoff,
    unstage,
)
from interlock.model.quick_typing import Iterator
from interlock.model.state import State
from interlock.rules.new_finding import Location
from interlock.workflow.language.spec import BEFORE, STAGE, FieldSpec, HandoffSpec, Kind
from interlock.workflow.reading import plan_phases
from interlock.workflow.reading.fix_command import rebuild
from interlock.workflow.reading.gates import was_unreadable
from interlock.workflow.reading.handoff_fields import follows, wrong_fields
from interlock.workflow.reading.item_paths import handoff_of
from interlock.workflow.reading.records import (
    STAGE_RE,
    Placed,
    Records,
    is_null,
    is_quoted_number,
    records,
    scalar,
    scalars,
)
from interlock.workflow.reading.transitions import ends_stage


class FieldRules:
    """Finds problems in the fields of one handoff."""

    def __init__(self, placed: Placed, at: Records) -> None:
        self.placed = placed
        self.at = at
        self.state = placed.state
        self.spec = at.kind.handoff
        self.scalars = scalars(placed, at.kind)

    def _finding(
        self,
        code: str,
        key: str,
        message: str,
        node: yaml.Node | None = None,
        severity: str = '',
        fix: Fix | None = None,
    ) -> Finding:
        line = self.placed.handoff.line(key)
        return Location(self.at.item, self.placed.path, line).finding(
            code,
            message,
            key=key,
            found=node.text if isinstance(node, yaml.Scalar) else '',
            severity=severity,
            fix=fix or rebuild(self.at),
        )

    def name(self) -> Iterator[Finding]:
        name, at = self.scalars.get('item'), self.at
        if name is not None and name.text != at.item:
            key = self.spec.keys['item']
            yield Location(at.item, self.placed.path, name.line).finding(
                'HND004',
                f'`{key}: {name.text}` is not the item of this directory',
                expected=at.item,
                found=name.text,
                fix=Fix(
                    'write the name of the directory',
                    ours('handoff', 'migrate', at.called),
                ),
            )

    def required(self) -> Iterator[Finding]:
        for role in ('item', 'stage', 'phase', 'updated'):
            key = self.spec.keys.get(role)
            node = self.placed.handoff.nodes.get(key) if key else None
            if not key or (role == 'phase' and is_null(node)):
                continue
            elif is_null(node):
                yield self._finding('HND003', key, f'`{key}` is missing')
            elif not isinstance(node, yaml.Scalar):
                yield self._finding('HND003', key, f'`{key}` is not a single value')
        yield from self._stage()
        updated = self.scalars.get('updated')
        if updated is not None and not is_date(updated.text):
            key = self.spec.keys['updated']
            message = f'`{key}: {shown(updated.text)}` is not a date (YYYY-MM-DD)'
            yield self._finding('HND003', key, message, updated)
        yield from self._status()

    def _stage(self) -> Iterator[Finding]:
        stage, kind = self.scalars.get('stage'), self.at.kind
        if stage is None:
            return
        key, text, known = (
            self.spec.keys['stage'],
            stage.text,
            kind.by_stage(stage.text),
        )
        if known is None:
            hint = f'; YAML reads it as {kind.label(self.state)}' if self.state else ''
            migrate = ours('handoff', 'migrate', self.at.called)
            yield self._finding(
                'HND003',
                key,
                f'`{key}: {shown(text)}` is not a stage of the workflow{hint}',
                stage,
                fix=Fix('write stage and phase apart', migrate) if self.state else None,
            )
            return
        elif is_quoted_number(stage):
            message = f'`{key}` is the text "{text}", not the number {text}'
            yield self._finding('HND003', key, message, stage)
        phase = self.scalars.get('phase')
        if phase is None:
            return
        key, match = self.spec.keys['phase'], STAGE_RE.match(phase.text)
        if not known.phased:
            name, said = kind.label(State(known.name)), shown(phase.text)
            message = f'{name} has no phases, and `{key}` is {said}'
            yield self._finding('HND003', key, message, phase)
        elif match is None or match[1] != text:
            said = f'`{key}: {shown(phase.text)}`'
            message = f'{said} is not a phase {text}.N of stage {text}'
            yield self._finding('HND003', key, message, phase)

    def _status(self) -> Iterator[Finding]:
        spec, state, kind = self.spec, self.state, self.at.kind
        key = spec.keys.get('status')
        if key is None or not spec.statuses:
            return
        node = self.scalars.get('status')
        is_required = (
            state is not None
            and spec.status_from != ''
            and kind.position(state.name) >= kind.position(spec.status_from)
        )
        if node is None:
            if is_required:
                yield self._finding('HND003', key, f'`{key}` is missing')
        elif node.text not in spec.statuses:
            known = ', '.join(spec.statuses)
            message = f'`{key}: {shown(node.text)}` is not one of {known}'
            severity = ERROR if is_required else INFO
            yield self._finding('HND003', key, message, node, severity)
        elif state and state.name not in spec.status_in.get(node.text, (state.name,)):
            states = ', '.join(spec.status_in[node.text])
            message = f'`{node.text}` belongs to {states}, not to {state.name}'
            fix = _set(self.at, key, spec.writes.get('done', spec.statuses[0]))
            yield self._finding('HND010', key, message, node, fix=fix)

    def optional(self) -> Iterator[Finding]:
        for field, wrong in wrong_fields(self.placed, self.at):
            node = self.placed.handoff.nodes.get(field.name)
            shows = f': {shown(node.text)}' if isinstance(node, yaml.Scalar) else ''
            message = f'`{field.name}{shows}` {wrong}'
            value = _suggested(field, self.at)
            line = self.placed.handoff.line(field.name)
            fix = (
                _set(self.at, field.name, value)
                if value
                else edit(self.placed.path, line)
            )
            yield self._finding('HND010', field.name, message, node, fix=fix)
        yield from self._unplanned()
        for alias, key in self.spec.aliases.items():
            node = self.placed.handoff.nodes.get(alias)
            if node is not None:
                message = f'`{alias}` is an older name of `{key}`'
                fix = edit(self.placed.path, self.placed.handoff.line(alias))
                yield self._finding('HND010', alias, message, node, INFO, fix)

    def _unplanned(self) -> Iterator[Finding]:
        """Find a phase that the plan does not list, if it lists any."""
        spec, at = self.spec, self.at
        keys = [spec.keys.get('phase'), spec.phases.field if spec.phases else '']
        read = [(key, self.placed.handoff.nodes.get(key)) for key in keys if key]
        written = [
            (key, node, state)
            for key, node in read
            if isinstance(node, yaml.Scalar)
            and (state := plan_phases.parse(node.text, at.kind)) is not None
        ]
        plan = plan_phases.read(at) if written else None
        for key, node, state in written if plan and plan.phases else ():
            assert plan is not None
            if state not in [each.state for each in plan.phases]:
                message = f'`{key}: {shown(node.text)}` is not a phase of {plan.path}'
                fix = self._phase_fix(key, plan.path)
                yield self._finding('HND010', key, message, node, fix=fix)

    def _phase_fix(self, key: str, plan: str) -> Fix:
        """The next phase follows from the plan; a past phase must be added to it."""
        for field in self.spec.fields:
            value = _suggested(field, self.at) if field.name == key else ''
            if value:
                return _set(self.at, key, value)
        return edit(plan, 1, 'add the phase to the plan')


def _set(at: Records, key: str, value: str) -> Fix:
    return Fix(
        f'write `{key}: {value}`, or another value that fits',
        ours('handoff', 'update', at.called, '--field', f'{key}={value}'),
    )


def _written(at: Records, name: str) -> yaml.Node | None:
    return at.current.handoff.nodes.get(name) if at.current else None


def _next_step(field: FieldSpec, at: Records, spec: HandoffSpec) -> str | None:
    """The next action or phase for the state of the work; None for other fields."""
    state = at.handoff_state
    phase = spec.phases.field if spec.phases else ''
    if field.name not in {spec.action, phase} or state is None:
        return None
    # needed only for the fix of a field
    from interlock.workflow.reading import next_state

    if at.is_open:
        return next_state.NONE
    coming = next_state.after(at, state, at.handoff_values)
    return coming.action if field.name == spec.action else coming.phase


def _number(field: FieldSpec, at: Records, spec: HandoffSpec) -> str:
    """The nearest number that is allowed and agrees with other fields."""
    value = yaml.value(_written(at, field.name))
    low = field.minimum if field.minimum is not None else 0.0
    for other in spec.fields:
        if (
            other.exactly_when
            and other.exactly_when[0] == field.name
            and (yaml.value(_written(at, other.name)) is True)
        ):
            low = max(low, other.exactly_when[1])
    if isinstance(value, (int, float)) and field.maximum is not None:
        return str(min(max(float(value), low), field.maximum))
    return str(low)


def _suggested(field: FieldSpec, at: Records) -> str:
    """A value for the fix of a field, '' if only a person can know it."""
    spec = at.kind.handoff
    coming = _next_step(field, at, spec)
    if coming is not None:
        return coming
    if field.exactly_when is not None:
        must = follows(field, _written(at, field.exactly_when[0]))
        return '' if must is None else str(must).lower()
    elif field.type == 'number':
        return _number(field, at, spec)
    node = _written(at, field.name)
    text = node.text if isinstance(node, yaml.Scalar) else ''
    return nearest(text, field.values, 0.0)


def _is_early(placed: Placed, at: Records) -> bool:
    """Whether a handoff has the old format without stages, for ideation only."""
    if placed.state is not None:
        return False
    elif placed.handoff.problem is not None:
        return False
    elif placed.handoff.fields is None:
        return placed is not at.handoff and at.role in {'', BEFORE}
    stage = scalar(placed, at.kind, 'stage')
    return stage is not None and stage.kind == 'str' and bool(stage.text)


def _of_early(at: Records) -> Fix:
    """The fix for such a handoff: before the first stage it needs none."""
    if at.role in {'', BEFORE}:
        return Fix('see what comes next', ours('resume', at.called))
    return rebuild(at)


def _content(placed: Placed, at: Records) -> Iterator[Finding]:
    path, handoff, fields = placed.path, placed.handoff, FieldRules(placed, at)
    if handoff.problem is not None:
        yield Location(at.item, path, handoff.problem.line).finding(
            'HND002',
            f'the frontmatter {handoff.problem.message}',
            found=handoff.problem.message,
            fix=restore_handoff(at.called),
        )
    elif _is_early(placed, at):
        stage = scalar(placed, at.kind, 'stage')
        word = stage.text if stage else 'none'
        message = f'the handoff has the old format, without a stage (`{word}`)'
        yield Location(at.item, path).finding(
            'HND008', message, found=word, fix=_of_early(at)
        )
        yield from fields.name()
    elif handoff.fields is None:
        yield Location(at.item, path).finding(
            'HND001',
            'the handoff has no frontmatter between two `---` lines',
            fix=restore_handoff(at.called),
        )
    else:
        yield from fields.name()
        yield from fields.required()
        yield from fields.optional()
        yield from _sections(placed, at)


def _sections(placed: Placed, at: Records) -> Iterator[Finding]:
    titles = [section.title.lower() for section in placed.handoff.sections]
    for name in at.kind.handoff.expected_sections:
        start = name.lower()
        # a title may continue: `Current State: Stage 3 complete`
        if not any([title.startswith(start) for title in titles]):
            yield Location(at.item, placed.path).finding(
                'HND006', f'the section `{name}` is missing', expected=name
            )


def _of_item(at: Records) -> Iterator[Finding]:
    if at.handoff or not (at.older and _is_early(at.older, at)):
        yield from broken_agreements(at, 'HND007')
    yield from broken_agreements(at, 'HND005', 'HND009')
    if at.current is not None and (at.handoff or at.role != 'done'):
        yield from _content(at.current, at)


def _lost(before: Records, after: Records) -> Iterator[Finding]:
    if after.current is not None or not after.registered:
        return
    old, new = before.state, after.state
    was_at_work = before.role == STAGE
    if before.current is not None:
        if new and after.role == STAGE and (was_at_work or before.handoff_state):
            yield Location(after.item, after.handoff_place).finding(
                'HND011',
                f'the handoff of {after.item} is gone, and the item is at '
                f'{after.kind.label(new)}',
                key='gone',
                expected='a handoff',
                fix=restore_handoff(after.called),
            )
    elif (
        old
        and new
        and was_at_work
        and not was_unreadable(before)
        and ends_stage(old, new, after.kind)
    ):
        yield Location(after.item, after.handoff_place).finding(
            'HND011',
            f'{after.kind.label(old)} ends, and there is no handoff',
            key='ends',
            expected='a handoff',
            found=str(old),
            fix=make_handoff(after.called),
        )


def _lacking(items: Concerned) -> Iterator[Finding]:
    """Find stages without a handoff, each reported once."""
    refused = set()
    for before, after in items.moved:
        for found in _lost(before, after):
            refused.add(found.item)
            yield found
    for found in judge_items(items, lambda at: broken_agreements(at, 'HND011')):
        if found.item not in refused:
            yield found._replace(severity=WARNING)


def _replaced(change: Change, kind: Kind) -> Iterator[Finding]:
    """Find handoffs that are files no more, or are so on some systems only."""
    touched = [path for path in change.touched if handoff_of(path, kind)]
    for path, why in no_longer_files(change, touched):
        item = handoff_of(path, kind)
        current = records(change.after, kind, item).current
        # otherwise HND001 or HND002 reports what the link holds
        if current is not None and current.handoff.fields is not None:
            yield Location(item, path).finding(
                'HND002', f'it {why}', found=TYPE_CHANGED, fix=restore(path)
            )
    for item, twin, real in record_twins(change, kind, kind.handoff.places):
        yield Location(item, twin).finding(
            'HND007',
            as_twin(twin, real, 'handoff'),
            key=real,
            found=twin,
            severity=ERROR,
            fix=unstage(twin),
        )


def check(case: Case) -> Iterator[Finding]:
    for items in case.items:
        if items.kind.handoff.file:
            yield from judge_items(items, _of_item)
            yield from _lacking(items)
            yield from _replaced(case.change, items.kind)
