"""The report of an agent: both forms are accepted, and nothing else."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.model.errors import Refusal
from interlock.model.schemas import schema_text
from interlock.workflow.reading.agent_report import SCHEMA, AgentReport, read
from tests.profiles import some


def success(**outputs: Any) -> dict[str, Any]:
    return {
        'agent': 'dsp-agent',
        'status': 'success',
        'outputs': {
            'stage_completed': 3,
            'phase_completed': '3.2',
            'files_modified': ['Source/Größe.cpp'],
            'state_files_updated': ['PLUGINS.md'],
            **outputs,
        },
        'issues': [],
        'ready_for_next_stage': True,
    }


def failure(**outputs: Any) -> dict[str, Any]:
    return {
        'agent': 'dsp-agent',
        'status': 'failure',
        'outputs': {
            'error_type': 'state_update_failure',
            'error_message': 'nicht erlaubt',
            'failed_operation': 'write_continue_here',
            'implementation_status': 'complete',
            'state_status': 'not_updated',
            **outputs,
        },
        'issues': ['by hand'],
        'ready_for_next_stage': False,
    }


def parsed(report: object) -> AgentReport:
    return read(json.dumps(report).encode())


def without(report: dict[str, Any], key: str) -> dict[str, Any]:
    """The report without a key, of its own or as `outputs.KEY`."""
    where, _, name = key.rpartition('.')
    del (report[where] if where else report)[name]
    return report


def test_the_form_with_stateupdated() -> None:
    report = {**success(), 'stateUpdated': True, 'stateUpdateError': None}
    assert parsed(report) == AgentReport(
        agent='dsp-agent',
        succeeded=True,
        stage='3',
        phase='3.2',
        updated=True,
        error='',
        written=True,
        failed='',
        complete=True,
        files=('Source/Größe.cpp',),
        ready=True,
        issues=(),
        completed='',
        steps=(),
        description='',
    )


@pytest.mark.parametrize(
    ('written', 'updated'),
    [
        pytest.param(['PLUGINS.md'], True, id='paths'),
        pytest.param(True, True, id='yes'),
        pytest.param(False, False, id='no'),
        pytest.param([], False, id='no paths'),
    ],
)
def test_without_stateupdated_the_state_files_decide(
    written: object, updated: bool
) -> None:
    report = parsed(success(state_files_updated=written))
    assert (report.updated, report.written) == (updated, updated)
    # and where it is there it is believed
    said = {**success(state_files_updated=written), 'stateUpdated': False}
    assert parsed(said).updated is False


def test_the_form_of_a_failure() -> None:
    assert parsed(failure()) == AgentReport(
        agent='dsp-agent',
        succeeded=False,
        stage='',
        phase='',
        updated=False,
        error='nicht erlaubt',
        written=False,
        failed='write_continue_here',
        complete=True,
        files=(),
        ready=False,
        issues=('by hand',),
        completed='',
        steps=(),
        description='',
    )
    assert parsed(failure(implementation_status='partial')).complete is False


def test_what_is_written_for_the_agent_may_be_given() -> None:
    report = parsed(
        {
            **success(),
            'completed': 'Moteur',
            'nextSteps': ['Écran', 'Essai'],
            'description': 'Ça joue',
        }
    )
    assert report.completed == 'Moteur'
    assert report.steps == ('Écran', 'Essai')
    assert report.description == 'Ça joue'


@pytest.mark.parametrize(
    'report',
    [
        pytest.param(without(success(), 'issues'), id='no issues'),
        pytest.param(success(build='ok'), id='outputs say more'),
        pytest.param(success(phase_completed=None), id='no phase'),
        pytest.param(
            without(success(), 'outputs.phase_completed'), id='phase left out'
        ),
        pytest.param(success(stage_completed='UX'), id='a stage in words'),
        pytest.param({**success(), 'stateUpdateError': 'voll'}, id='an error'),
    ],
)
def test_what_is_a_report(report: dict[str, Any]) -> None:
    assert parsed(report).agent == 'dsp-agent'


@pytest.mark.parametrize(
    ('report', 'sentence'),
    [
        *(
            pytest.param(
                without(success(), key), f'the key `{key}` is missing', id=f'no {key}'
            )
            for key in ('agent', 'status', 'outputs', 'ready_for_next_stage')
        ),
        *(
            pytest.param(
                without(failure(), f'outputs.{key}'),
                f'outputs: the key `{key}` is missing',
                id=f'a failure without {key}',
            )
            for key in (
                'error_type',
                'error_message',
                'failed_operation',
                'implementation_status',
                'state_status',
            )
        ),
        pytest.param(
            without(success(), 'outputs.stage_completed'),
            'outputs: the key `stage_completed` is missing',
            id='a success without its stage',
        ),
        pytest.param(
            {**success(), 'status': 'sucess'},
            'status: `sucess` is not one of `success`, `failure`; did you mean `success`?',
            id='status',
        ),
        pytest.param(
            {**success(), 'stateupdated': True},
            'unknown key `stateupdated`; did you mean `stateUpdated`?',
            id='a key that is nearly right',
        ),
        pytest.param(
            {**success(), 'stateUpdated': 'yes'}, 'stateUpdated: ', id='stateUpdated'
        ),
        pytest.param(
            {**success(), 'ready_for_next_stage': 1},
            'ready_for_next_stage: ',
            id='ready',
        ),
        pytest.param({**success(), 'agent': ''}, 'agent: ', id='no name'),
        pytest.param(
            success(phase_completed=3.2),
            'outputs.phase_completed: ',
            id='a phase as a number',
        ),
        pytest.param(
            success(phase_completed='3'),
            'outputs.phase_completed: ',
            id='a phase that is none',
        ),
        pytest.param(
            success(stage_completed=-1),
            'outputs.stage_completed: ',
            id='a negative stage',
        ),
        pytest.param(
            success(stage_completed=True),
            'outputs.stage_completed: ',
            id='a stage that is true',
        ),
        pytest.param(
            success(files_modified='x.cpp'),
            'outputs.files_modified: ',
            id='files no list',
        ),
        pytest.param(
            success(files_modified=['../x.cpp']),
            'outputs.files_modified.0: `../x.cpp` must stay inside the repository',
            id='a file elsewhere',
        ),
        pytest.param(
            success(files_modified=['/etc/passwd']),
            'outputs.files_modified.0: ',
            id='an absolute path',
        ),
        pytest.param(
            success(state_files_updated='PLUGINS.md'),
            'outputs.state_files_updated: ',
            id='state files no list',
        ),
        pytest.param(
            {**success(), 'nextSteps': 'Écran'}, 'nextSteps: ', id='steps no list'
        ),
        pytest.param(
            {**success(), 'completed': 'a\nb'}, 'completed: ', id='several lines'
        ),
        pytest.param({**success(), 'description': ' '}, 'description: ', id='blank'),
        pytest.param({**success(), 'issues': [1]}, 'issues.0: ', id='issues'),
        pytest.param([], "[] is not of type 'object'", id='no object'),
        pytest.param(None, "None is not of type 'object'", id='null'),
    ],
)
def test_what_is_not_a_report(report: object, sentence: str) -> None:
    with pytest.raises(Refusal) as caught:
        parsed(report)
    assert caught.value.message.startswith('the report is invalid: ')
    assert sentence in caught.value.message
    assert '\n' not in caught.value.message


def test_every_violation_is_said() -> None:
    with pytest.raises(Refusal) as caught:
        parsed({'status': 'maybe', 'outputs': {}})
    said = caught.value.message.partition(': ')[2].split('; ')
    assert len(said) == 4


def test_half_a_character_is_refused() -> None:
    data = json.dumps({**success(), 'completed': '\ud800'}).encode()
    with pytest.raises(Refusal, match='text that is not Unicode'):
        read(data)


def test_the_schema_is_one() -> None:
    from jsonschema import Draft202012Validator

    Draft202012Validator.check_schema(json.loads(schema_text(SCHEMA)))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda below: (
        st.lists(below)
        | st.dictionaries(
            st.sampled_from(['agent', 'status', 'outputs']) | st.text(), below
        )
    ),
    max_leaves=10,
)


@settings(max_examples=some(200), deadline=None)
@given(
    JSON
    | st.fixed_dictionaries(
        {
            'agent': st.text(),
            'status': st.sampled_from(['success', 'failure']),
            'outputs': JSON,
            'ready_for_next_stage': st.booleans(),
        }
    )
)
def test_any_json_is_a_report_or_refused(data: object) -> None:
    try:
        assert isinstance(parsed(data), AgentReport)
    except Refusal as e:
        assert e.message.startswith('the report is ')


@settings(max_examples=some(200), deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_a_report_or_refused(data: bytes) -> None:
    with pytest.raises(Refusal):
        read(data)
