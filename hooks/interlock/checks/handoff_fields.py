"""The fields of a handoff: HND003 for required ones, HND010 for others."""

from __future__ import annotations

from collections.abc import Iterator

from interlock.checks.field_suggestion import fitting
from interlock.documents import yaml
from interlock.documents.text import is_date, shown
from interlock.model.finding import ERROR, INFO, Finding, Fix
from interlock.model.fixes import edit, ours
from interlock.model.state import State
from interlock.rules.new_finding import finding
from interlock.workflow.language.spec import FieldSpec
from interlock.workflow.reading import plan_phases
from interlock.workflow.reading.fix_command import rebuild
from interlock.workflow.reading.handoff_fields import (
    contradiction,
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
from interlock.workflow.reading.status_words import label


def _say(
    code: str,
    placed: Placed,
    at: Records,
    key: str,
    message: str,
    node: yaml.Node | None = None,
    severity: str = '',
    fix: Fix | None = None,
) -> Finding:
    line = placed.handoff.line(key)
    found = node.text if isinstance(node, yaml.Scalar) else ''
    return finding(
        code,
        at.item,
        placed.path,
        line,
        message,
        key=key,
        found=found,
        severity=severity,
        fix=fix or rebuild(at),
    )


def _set(at: Records, key: str, value: str) -> Fix:
    return Fix(
        f'write `{key}: {value}`, or another value that fits',
        ours('handoff', 'update', at.item, '--field', f'{key}={value}'),
    )


def required(placed: Placed, at: Records) -> Iterator[Finding]:
    spec = at.kind.handoff
    assert spec is not None
    for role in ('item', 'stage', 'phase', 'updated'):
        key = spec.keys.get(role)
        node = placed.handoff.get(key) if key else None
        if not key or (role == 'phase' and is_null(node)):
            continue
        elif is_null(node):
            yield _say('HND003', placed, at, key, f'`{key}` is missing')
        elif not isinstance(node, yaml.Scalar):
            message = f'`{key}` is no single value'
            yield _say('HND003', placed, at, key, message)
    yield from _stage(placed, at)
    yield from _updated(placed, at)
    yield from _status(placed, at)


def _stage(placed: Placed, at: Records) -> Iterator[Finding]:
    spec = at.kind.handoff
    assert spec is not None
    stage = scalar(placed, at.kind, 'stage')
    if stage is None or is_null(stage):
        return
    key = spec.keys['stage']
    if at.kind.by_stage(stage.text) is None:
        state = handoff_state(placed)
        hint = f'; it is read as {label(state, at.kind)}' if state else ''
        yield _say(
            'HND003',
            placed,
            at,
            key,
            f'`{key}: {shown(stage.text)}` is not a stage of the workflow{hint}',
            stage,
            fix=Fix('write stage and phase apart', ours('handoff', 'migrate', at.item))
            if state
            else None,
        )
        return
    elif is_quoted_number(stage):
        yield _say(
            'HND003',
            placed,
            at,
            key,
            f'`{key}` is the text "{stage.text}", not the number {stage.text}',
            stage,
        )
    phase = scalar(placed, at.kind, 'phase')
    if phase is not None and not is_null(phase):
        match = STAGE_RE.match(phase.text)
        phased = at.kind.by_stage(stage.text)
        if phased and not phased.phased:
            key = spec.keys['phase']
            yield _say(
                'HND003',
                placed,
                at,
                key,
                f'{label(State(phased.name), at.kind)} has no phases, and '
                f'`{key}` is {shown(phase.text)}',
                phase,
            )
        elif match is None or match[1] != stage.text:
            key = spec.keys['phase']
            yield _say(
                'HND003',
                placed,
                at,
                key,
                f'`{key}: {shown(phase.text)}` is not a phase '
                f'{stage.text}.N of stage {stage.text}',
                phase,
            )


def _updated(placed: Placed, at: Records) -> Iterator[Finding]:
    spec = at.kind.handoff
    assert spec is not None
    node = scalar(placed, at.kind, 'updated')
    if node is not None and not is_null(node) and not is_date(node.text):
        key = spec.keys['updated']
        yield _say(
            'HND003',
            placed,
            at,
            key,
            f'`{key}: {shown(node.text)}` is no date (YYYY-MM-DD)',
            node,
        )


def _status(placed: Placed, at: Records) -> Iterator[Finding]:
    spec = at.kind.handoff
    assert spec is not None
    key = spec.keys.get('status')
    if key is None or not spec.statuses:
        return
    node = scalar(placed, at.kind, 'status')
    state = handoff_state(placed)
    late = (
        state is not None
        and spec.status_from != ''
        and (at.kind.position(state.name) >= at.kind.position(spec.status_from))
    )
    if node is None or is_null(node):
        if late:
            yield _say('HND003', placed, at, key, f'`{key}` is missing')
    elif node.text not in spec.statuses:
        yield _say(
            'HND003',
            placed,
            at,
            key,
            f'`{key}: {shown(node.text)}` is none of {", ".join(spec.statuses)}',
            node,
            ERROR if late else INFO,
        )
    elif state and state.name not in spec.status_in.get(node.text, (state.name,)):
        states = ', '.join(spec.status_in[node.text])
        yield _say(
            'HND010',
            placed,
            at,
            key,
            f'`{node.text}` belongs to {states}, not to {state.name}',
            node,
            fix=_set(at, key, spec.writes.get('done', spec.statuses[0])),
        )


def _field(field: FieldSpec, placed: Placed, at: Records) -> str:
    node = placed.handoff.get(field.name)
    if is_null(node):
        if field.planned and is_planned(at):
            return 'has no value although the plan stands'
        elif node is not None and field.values and ('null' not in field.values):
            return none_of(field)
        return ''
    elif not isinstance(node, yaml.Scalar):
        return 'is no single value'
    other = field.exactly_when[0] if field.exactly_when else ''
    return wrong_value(field, node) or contradiction(
        field, node, placed.handoff.get(other)
    )


def _of_field(field: FieldSpec, placed: Placed, at: Records) -> Fix:
    value = fitting(field, at)
    if value:
        return _set(at, field.name, value)
    return edit(placed.path, placed.handoff.line(field.name))


def _of_phase(key: str, at: Records, plan: str) -> Fix:
    """What comes follows from the plan; what was done belongs into it."""
    spec = at.kind.handoff
    for field in spec.fields if spec else ():
        if field.name == key and fitting(field, at):
            return _set(at, key, fitting(field, at))
    return edit(plan, 1, 'add the phase to the plan')


def _planned(placed: Placed, at: Records) -> Iterator[Finding]:
    """A phase is one of the plan, where the plan names any."""
    spec = at.kind.handoff
    assert spec is not None
    keys = [spec.keys.get('phase'), spec.phases.field if spec.phases else '']
    read = [(key, placed.handoff.get(key)) for key in keys if key]
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
            yield _say(
                'HND010',
                placed,
                at,
                key,
                f'`{key}: {shown(node.text)}` is not a phase of {plan.path}',
                node,
                fix=_of_phase(key, at, plan.path),
            )


def optional(placed: Placed, at: Records) -> Iterator[Finding]:
    spec = at.kind.handoff
    assert spec is not None
    for field in spec.fields:
        wrong = _field(field, placed, at)
        if wrong:
            node = placed.handoff.get(field.name)
            shows = f': {shown(node.text)}' if isinstance(node, yaml.Scalar) else ''
            yield _say(
                'HND010',
                placed,
                at,
                field.name,
                f'`{field.name}{shows}` {wrong}',
                node,
                fix=_of_field(field, placed, at),
            )
    yield from _planned(placed, at)
    for alias, key in spec.aliases.items():
        node = placed.handoff.get(alias)
        if node is not None:
            yield _say(
                'HND010',
                placed,
                at,
                alias,
                f'`{alias}` is an older name of `{key}`',
                node,
                INFO,
                edit(placed.path, placed.handoff.line(alias)),
            )
