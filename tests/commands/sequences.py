"""Operations in any order, as the command line gives them."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from tests import samples

ITEMS = ('Écho', 'Basse')
# in the order in which an item comes to them
STATUSES = (
    'Ideated',
    'Concept Ready',
    'Ideated (Skizze)',
    'Stage 0',
    'Stage 1',
    'Stage 2',
    'Building System',
    'Stage 3.1',
    'Stage 3.2',
    'Stage 3',
    'Processing Audio',
    'Stage 4.1',
    'Stage 4',
    'Stage 5',
    'Stage 6',
    'Working',
    'Ready to Install',
    'Working 🐛 Has Issues',
    'Has Issues',
    'Installed',
    'Improving',
    'Archived',
)
STAGES = ('0', '1', '2', '3.1', '3.2', '3', '4.1', '4', '5.1', '5', '6')
STATES = ('in_progress', 'complete', 'workflow_complete')
PLAN = '# Plan\n\n### Phase 3.1: Ton\n### Phase 3.2: Raum\n#### Phase 4.1: X\n'

Command = Sequence[str]
Run = tuple[dict[str, str], list[Command]]

items = st.sampled_from((ITEMS[0], *ITEMS))


def _options(**values: st.SearchStrategy[str]) -> st.SearchStrategy[Command]:
    """Some of these options, each with a value."""
    return st.fixed_dictionaries({}, optional=values).map(
        lambda chosen: [
            word
            for name, value in chosen.items()
            for word in (f'--{name.replace("_", "-")}', value)
        ]
    )


said = _options(
    status=st.sampled_from(STATES),
    complexity=st.sampled_from(('1.2', '3', '5.0', 'null')),
    next_phase=st.sampled_from(('null', '3.1', '4.1')),
    gui_type=st.sampled_from(('headless', 'webview')),
    next_step=st.just('weiter'),
    context=st.just('merken'),
    test_done=st.just('lädt'),
    build_artifact=st.just('VST3'),
    completed=st.just('fertig'),
    text=st.just('Text'),
)
amends = _options(amend=st.just('neu'))


NO_OPTIONS: st.SearchStrategy[Command] = st.just(())


def _command(
    *words: str | st.SearchStrategy[str],
    options: st.SearchStrategy[Command] = NO_OPTIONS,
) -> st.SearchStrategy[Command]:
    fixed = [st.just(w) if isinstance(w, str) else w for w in words]
    return st.builds(lambda first, rest: [*first, *rest], st.tuples(*fixed), options)


# status, stage and phase of the handoff, '' for none
STARTS = (
    ('Ideated', '', 'null'),
    ('Stage 0', '0', 'null'),
    ('Stage 2', '2', 'null'),
    ('Stage 3.1', '3', '3.1'),
    ('Stage 3', '3', 'null'),
    ('Stage 4', '4', 'null'),
    ('Stage 4', '', 'null'),
    ('Working', '5', 'null'),
    ('Installed', '', 'null'),
)


def _files(
    start: tuple[str, str, str], fields: dict[str, str], sealed: bool
) -> dict[str, str]:
    status, stage, phase = start
    files = {
        '.interlock.yaml': samples.WORKFLOW,
        'PLUGINS.md': samples.registry({ITEMS[0]: status}),
    }
    for item in ITEMS:
        files.update(samples.item_files(item))
        files[f'plugins/{item}/.ideas/plan.md'] = PLAN
    if stage:
        item = ITEMS[0]
        sums = {**samples.checksums(item), 'plan': samples.checksum(PLAN)}
        files[samples.handoff_path(item)] = samples.handoff(
            item, stage, phase, sums=sums if sealed else {}, **fields
        )
    return files


def _near(words: Sequence[str], at: str) -> st.SearchStrategy[str]:
    """One of some words, and more often one that comes soon."""
    start = words.index(at) if at in words else 0
    soon = words[start : start + 5]
    return st.one_of(*[st.sampled_from(soon)] * 3, st.sampled_from(words))


def _commands(start: tuple[str, str, str]) -> st.SearchStrategy[Command]:
    status, stage, phase = start
    stages = _near(STAGES, stage if phase == 'null' else phase)
    moves = [
        _command('registry', 'set-status', items, _near(STATUSES, status)),
        _command('handoff', 'update', items, stages, options=said),
        _command('handoff', 'update', items, stages),
    ]
    others = [
        _command('registry', 'add', items, '--type', 'Synth'),
        _command('registry', 'timeline', items, 'Notiz'),
        _command('registry', 'sync', items),
        _command('handoff', 'create', items, options=said),
        _command('handoff', 'create', items, stages, options=said),
        _command('handoff', 'update', items, options=said),
        _command('handoff', 'delete', items),
        _command('handoff', 'migrate', items),
        _command('contracts', 'seal', items, options=amends),
        _command(
            'evidence',
            'add',
            items,
            '--kind',
            'test',
            '--result',
            st.sampled_from(('passed', 'passed', 'failed')),
            '--stage',
            stages,
        ),
    ]
    return st.one_of(*moves * 3, *others)


def _run(start: tuple[str, str, str]) -> st.SearchStrategy[Run]:
    files = st.builds(
        _files,
        st.just(start),
        st.sampled_from(
            (
                {},
                {'evidence': 'null'},
                {'complexity_score': '4', 'phased_implementation': 'true'},
            )
        ),
        st.booleans(),
    )
    commands = st.lists(_commands(start), min_size=1, max_size=8)
    return st.tuples(files, commands)


# what a project holds at first, and what is done with it
runs = st.sampled_from(STARTS).flatmap(_run)
