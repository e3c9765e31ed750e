"""The fields of a handoff: HND003 for required ones, HND010 for others."""

from __future__ import annotations

from interlock.documents import yaml
from interlock.documents.text import is_date, shown
from interlock.model.finding import ERROR, INFO, Finding, Fix
from interlock.model.fixes import edit, nearest, ours
from interlock.model.quick_typing import Iterator
from interlock.model.state import State
from interlock.rules.new_finding import Location
from interlock.workflow.language.spec import FieldSpec, HandoffSpec
from interlock.workflow.reading import next_state, plan_phases
from interlock.workflow.reading.fix_command import rebuild
from interlock.workflow.reading.handoff_fields import (
    contradiction,
    follows,
    none_of,
    wrong_value,
)
from interlock.workflow.reading.plan_phases import is_planned
from interlock.workflow.reading.records import (
    STAGE_RE,
    Placed,
    Records,
    handoff_state,
    is_null,
    is_quoted_number,
    scalar,
)


class FieldRules:
    """What is wrong with the fields of one handoff."""

    def __init__(self, placed: Placed, at: Records) -> None:
        self.placed = placed
        self.at = at
        self.state = handoff_state(placed)
        assert at.kind.handoff is not None, 'it has handoffs'
        self.spec = at.kind.handoff

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

    def _scalar(self, role: str) -> yaml.Scalar | None:
        node = scalar(self.placed, self.at.kind, role)
        return None if is_null(node) else node

    def required(self) -> Iterator[Finding]:
        for role in ('item', 'stage', 'phase', 'updated'):
            key = self.spec.keys.get(role)
            node = self.placed.handoff.get(key) if key else None
            if not key or (role == 'phase' and is_null(node)):
                continue
            elif is_null(node):
                yield self._finding('HND003', key, f'`{key}` is missing')
            elif not isinstance(node, yaml.Scalar):
                yield self._finding('HND003', key, f'`{key}` is not a single value')
        yield from self._stage()
        updated = self._scalar('updated')
        if updated is not None and not is_date(updated.text):
            key = self.spec.keys['updated']
            message = f'`{key}: {shown(updated.text)}` is not a date (YYYY-MM-DD)'
            yield self._finding('HND003', key, message, updated)
        yield from self._status()

    def _stage(self) -> Iterator[Finding]:
        stage, kind = self._scalar('stage'), self.at.kind
        if stage is None:
            return
        key, text, known = (
            self.spec.keys['stage'],
            stage.text,
            kind.by_stage(stage.text),
        )
        if known is None:
            hint = f'; YAML reads it as {kind.label(self.state)}' if self.state else ''
            migrate = ours('handoff', 'migrate', self.at.item)
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
        phase = self._scalar('phase')
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
        node = self._scalar('status')
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
        for field in self.spec.fields:
            wrong = self._wrong(field)
            if wrong:
                node = self.placed.handoff.get(field.name)
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
            node = self.placed.handoff.get(alias)
            if node is not None:
                message = f'`{alias}` is an older name of `{key}`'
                fix = edit(self.placed.path, self.placed.handoff.line(alias))
                yield self._finding('HND010', alias, message, node, INFO, fix)

    def _wrong(self, field: FieldSpec) -> str:
        node = self.placed.handoff.get(field.name)
        if is_null(node):
            if field.planned and is_planned(self.at):
                return 'has no value, although there is a plan'
            elif node is not None and field.values and 'null' not in field.values:
                return none_of(field)
            return ''
        elif not isinstance(node, yaml.Scalar):
            return 'is not a single value'
        other = field.exactly_when[0] if field.exactly_when else ''
        return wrong_value(field, node) or contradiction(
            field, node, self.placed.handoff.get(other)
        )

    def _unplanned(self) -> Iterator[Finding]:
        """A phase that is not in the plan, where the plan names any."""
        spec, at = self.spec, self.at
        keys = [spec.keys.get('phase'), spec.phases.field if spec.phases else '']
        read = [(key, self.placed.handoff.get(key)) for key in keys if key]
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
        """The next phase follows from the plan; a past one belongs into it."""
        for field in self.spec.fields:
            value = _suggested(field, self.at) if field.name == key else ''
            if value:
                return _set(self.at, key, value)
        return edit(plan, 1, 'add the phase to the plan')


def _set(at: Records, key: str, value: str) -> Fix:
    return Fix(
        f'write `{key}: {value}`, or another value that fits',
        ours('handoff', 'update', at.item, '--field', f'{key}={value}'),
    )


def _written(at: Records, name: str) -> yaml.Node | None:
    return at.current.handoff.get(name) if at.current else None


def _next_step(field: FieldSpec, at: Records, spec: HandoffSpec) -> str | None:
    """The next action or phase, by the state of the work; None for other fields."""
    state = at.handoff_state
    phase = spec.phases.field if spec.phases else ''
    if field.name not in {spec.action, phase} or state is None:
        return None
    elif at.is_open:
        return next_state.NONE
    coming = next_state.after(at, state, at.handoff_values)
    return coming.action if field.name == spec.action else coming.phase


def _number(field: FieldSpec, at: Records, spec: HandoffSpec) -> str:
    """The nearest number that is allowed and that other fields agree with."""
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
    """A value for the fix of a field, '' if only a person can know one."""
    spec = at.kind.handoff
    assert spec is not None, 'it has this field'
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
