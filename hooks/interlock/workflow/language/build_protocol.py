from __future__ import annotations

from typing import Any

from interlock.workflow.language.protocol import (
    ConditionSpec,
    ErrorSpec,
    FilesSpec,
    ImplementationSpec,
    MainSpec,
    NumbersSpec,
    PlanSpec,
    PromptsSpec,
    ProtocolSpec,
    Roots,
    StatusesSpec,
    TodoSpec,
)

Data = dict[str, Any]


def _lists(data: Data) -> dict[str, tuple[str, ...]]:
    return {key: tuple(values) for key, values in data.items()}


def _main(data: Data) -> MainSpec:
    return MainSpec(
        data['name'],
        data['task'],
        data['state'],
        data['key'],
        tuple(data['operations']),
    )


def _statuses(data: Data) -> StatusesSpec:
    return StatusesSpec(
        data['done'],
        data['error'],
        tuple(data.get('working', ())),
        tuple(data.get('waiting', ())),
    )


def _plan(data: Data) -> PlanSpec:
    return PlanSpec(
        sections=tuple(data.get('sections', ())),
        report_section=data.get('report_section', ''),
        words=data.get('plan_words', ''),
        headings=_lists(data.get('headings', {})),
        forbidden=tuple(data.get('forbidden', ())),
        vague=tuple(data.get('vague', ())),
        clear=tuple(data.get('clear', ())),
        summary_fields=tuple(data.get('summary_fields', ())),
        summary_headings=tuple(data.get('summary_headings', ())),
    )


def _words(data: Data) -> TodoSpec:
    states = data['todo_states']
    return TodoSpec(
        states['ready'],
        states['blocked'],
        states['working'],
        tuple(data.get('todo_done', ())),
    )


def _condition(data: Data) -> ConditionSpec:
    return ConditionSpec(
        data.get('origin', ''), data.get('cause', ''), data.get('recovery', '')
    )


def _implementation(data: Data) -> ImplementationSpec:
    return ImplementationSpec(
        tuple(data.get('suffixes', ())),
        tuple(data.get('files', ())),
        tuple(data.get('folders', ())),
    )


def build_protocol(data: Data) -> ProtocolSpec:
    return ProtocolSpec(
        files=FilesSpec(**data['files']),
        older=_lists(data.get('older', {})),
        todo=data['todo'],
        changelog=data.get('changelog', ''),
        branch=data['branch'],
        agent_branch=data['agent_branch'],
        older_branches=tuple(data.get('older_branches', ())),
        keys=data['keys'],
        aliases=data.get('aliases', {}),
        main=_main(data['main']),
        risks=tuple(data.get('risks', ())),
        skips=_lists(data.get('skips', {})),
        build_free=tuple(data.get('build_free', ())),
        scopes=data.get('scopes', {}),
        checkpoint=data.get('checkpoint', ''),
        statuses=_statuses(data['statuses']),
        decisions=data.get('decisions', {}),
        review_line=data.get('review_line', ''),
        nothing_left=tuple(data.get('nothing_left', ())),
        synonyms=data.get('synonyms', {}),
        flags=_lists(data.get('flags', {})),
        plan=_plan(data),
        words=_words(data),
        trail_sections=tuple(data.get('trail_sections', ())),
        numbers=NumbersSpec(**data['numbers']),
        implementation=_implementation(data.get('implementation', {})),
        builds=tuple(data.get('builds', ())),
        build_success=data.get('build_success', ''),
        errors=tuple(
            ErrorSpec(
                each['name'],
                tuple(each['words']),
                each['advice'],
                each.get('returns', False),
            )
            for each in data.get('errors', ())
        ),
        conditions={
            name: _condition(texts)
            for name, texts in data.get('conditions', {}).items()
        },
        prompts=PromptsSpec(**_lists(data.get('prompts', {}))),
    )


def build_roots(data: Any) -> tuple[Roots, ...]:
    lines = data if isinstance(data, list) else [data]
    return tuple(Roots(line['main'], line['tasks']) for line in lines)
