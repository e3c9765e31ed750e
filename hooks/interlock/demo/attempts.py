"""Good and bad commits, each with the rule that must refuse it."""

from __future__ import annotations

from interlock.demo import project_files
from interlock.model.quick_typing import Mapping, NamedTuple

Files = Mapping[str, 'str | None']

START = {'Alpha': 'Ideated', 'Bravo': 'Stage 2', 'Charlie': 'Working'}
BRIEF = 'plugins/Bravo/.ideas/creative-brief.md'
AMENDED = '# Another brief\n'
CODE = 'plugins/Bravo/Source/Main.cpp'


class Attempt(NamedTuple):
    what: str
    files: Files
    message: str
    # the code that refuses it, '' for a commit that must be accepted
    refused_by: str


def _registry(changed: Mapping[str, str], rows: Mapping[str, str] | None = None) -> str:
    return project_files.registry({**START, **changed}, rows)


def handoff_of(
    stage: str, sums: Mapping[str, str] | None = None, next_action: str = 'null'
) -> str:
    return project_files.handoff('Bravo', stage, sums=sums, next_action=next_action)


def _stages() -> list[Attempt]:
    handoff = project_files.handoff_path('Bravo')
    third = {
        'PLUGINS.md': _registry({'Bravo': 'Stage 3'}),
        handoff: handoff_of('3'),
        CODE: '// the audio engine\n',
    }
    return [
        Attempt(
            'a row that was forgotten when its entry changed',
            {'PLUGINS.md': _registry({'Alpha': 'Stage 0'}, START)},
            'chore(Alpha): Stage 0 planned',
            'REG001',
        ),
        Attempt(
            'a skipped stage',
            {
                **third,
                'PLUGINS.md': _registry({'Bravo': 'Stage 4'}),
                handoff: handoff_of('4'),
            },
            'feat(Bravo): Stage 4 - interface',
            'STG001',
        ),
        Attempt(
            'a registry that moves on without the handoff',
            {'PLUGINS.md': _registry({'Bravo': 'Stage 3'})},
            'chore(Bravo): Stage 3 in the registry',
            'COM001',
        ),
        Attempt(
            'a stage commit that leaves the state files behind',
            {CODE: '// the audio engine\n'},
            'feat(Bravo): Stage 3 - audio engine',
            'COM002',
        ),
        Attempt(
            'a subject that is one stage ahead of the handoff',
            {
                **third,
                'PLUGINS.md': _registry({'Bravo': 'Stage 2'}) + '\n',
                handoff: handoff_of('2', next_action='invoke_dsp_agent'),
            },
            'feat(Bravo): Stage 3 - audio engine',
            'COM004',
        ),
        Attempt(
            'the stage done properly: code, handoff and registry in one',
            third,
            'feat(Bravo): Stage 3 - audio engine',
            '',
        ),
    ]


def _contracts() -> list[Attempt]:
    handoff = project_files.handoff_path('Bravo')
    sums = {
        **project_files.checksums('Bravo'),
        'creative_brief': project_files.checksum(AMENDED),
    }
    return [
        Attempt(
            'a sealed contract that is quietly rewritten',
            {BRIEF: AMENDED},
            'docs(Bravo): polish the brief',
            'CON001',
        ),
        Attempt(
            'the same, sealed again, but without a reason',
            {BRIEF: AMENDED, handoff: handoff_of('3', sums=sums)},
            'docs(Bravo): polish the brief',
            'CON006',
        ),
        Attempt(
            'the same as an open amendment',
            {BRIEF: AMENDED, handoff: handoff_of('3', sums=sums)},
            'docs(Bravo): polish the brief\n\nContract-Amendment: agreed in the review',
            '',
        ),
        Attempt(
            'a handoff that was only half written',
            {handoff: handoff_of('3', sums=sums).partition('status')[0]},
            'chore(Bravo): notes',
            'HND002',
        ),
    ]


def _ends() -> list[Attempt]:
    registry = _registry({'Bravo': 'Stage 3', 'Charlie': 'Installed'})
    return [
        Attempt(
            'a finished plugin that keeps its handoff',
            {'PLUGINS.md': registry},
            'chore(Charlie): Installed',
            'HND005',
        ),
        Attempt(
            'the same with the handoff deleted',
            {'PLUGINS.md': registry, project_files.handoff_path('Charlie'): None},
            'chore(Charlie): Installed',
            '',
        ),
    ]


def attempts() -> list[Attempt]:
    return [*_stages(), *_contracts(), *_ends()]
