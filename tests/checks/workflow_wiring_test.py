"""CFG006: whether files call us, each read as what it is."""

from __future__ import annotations

import pytest

from interlock.model.finding import ERROR, WARNING
from tests import samples
from tests.checks.trees import WORKFLOW_FILE, Files, at, found, without

ONLY = ('workflow',)
GOOD = {WORKFLOW_FILE: samples.WORKFLOW, **at('Stage 2', '2')}
CALL = 'interlock hook "$@"\n'

PRE_COMMIT = '.pre-commit-config.yaml'
GITHUB = '.github/workflows/ci.yml'
GITLAB = '.gitlab-ci.yml'
HUSKY = '.husky/pre-commit'
PLAIN = '.githooks/pre-commit'
LEFTHOOK = 'lefthook.yml'
CIRCLE = '.circleci/config.yml'
SETTINGS = '.claude/settings.json'


def hooked(**keys: object) -> str:
    more = ''.join(f'    {key}: {value}\n' for key, value in keys.items())
    return (
        f'repos:\n- repo: https://example.invalid/x\n  rev: v1\n  hooks:\n'
        f'  - id: interlock\n{more}'
    )


def action(run: str, job: str = '', step: str = '', on: str = 'push') -> str:
    return (
        f'on: {on}\njobs:\n  check:\n    runs-on: ubuntu-latest\n{job}'
        f'    steps:\n    - uses: actions/checkout@v4\n    - run: {run}\n'
        f'{step}'
    )


def pipeline(script: str, more: str = '') -> str:
    return f'check:\n  stage: test\n{more}  script:\n  - {script}\n'


def leftover(run: str, more: str = '') -> str:
    return f'pre-commit:\n  commands:\n    x:\n      run: {run}\n{more}'


CHECK = 'interlock check --base auto'
# jobs that never run
SKIPPED = (
    '  aus:\n    if: false\n    steps: []\n  zu:\n    needs: [aus]\n    steps: []\n'
)
CLIENT = (
    '{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": '
    '"command", "command": "interlock-claude PreToolUse"}]}]}}'
)
# path -> what calls us there, and what does not, or whose failure is lost
CASES: dict[str, tuple[str, tuple[str, ...]]] = {
    PRE_COMMIT: (
        hooked(),
        (
            'repos: []\n',
            '# interlock hook\nrepos: []\n',
            hooked(stages='[manual]'),
            hooked(entry='"true"'),
            hooked(entry='bash -c "interlock hook || true"'),
            hooked(always_run='false', exclude="'.*'"),
            hooked(always_run='false', files='^$'),
            hooked(language='fail', entry='interlock hook'),
            hooked(args='[--help]'),
            hooked(stages='[pre-commit]'),
        ),
    ),
    'prek.toml': (
        '[[repos]]\nrepo = "x"\n[[repos.hooks]]\nid = "interlock"\n',
        (
            '# id = "interlock"\n',
            '[[repos]]\nrepo = "x"\n[[repos.hooks]]\nid = "interlock"\n'
            'stages = ["manual"]\n',
        ),
    ),
    LEFTHOOK: (
        leftover('interlock hook'),
        (
            leftover('interlock hook || true'),
            leftover('"true # interlock hook"'),
            leftover('interlock hook', '      skip: true\n'),
            leftover('interlock hook', '  skip: true\n'),
            leftover('npm test', '# interlock hook\n'),
        ),
    ),
    'lefthook.json': (
        '{"pre-push": {"jobs": [{"run": "interlock pre-push"}]}}',
        ('{"pre-push": {"jobs": [{"run": "true"}]}}',),
    ),
    '.lefthook.toml': (
        '[[pre-push.jobs]]\nrun = "interlock pre-push"\n',
        ('[[pre-push.jobs]]\nrun = "interlock pre-push; true"\n',),
    ),
    GITHUB: (
        action(CHECK),
        (
            action('echo interlock check'),
            action(f'{CHECK} || true'),
            action(f'{CHECK} || :'),
            action(f'{CHECK} || echo "not ok"'),
            action(f'{CHECK} &'),
            action(f'{CHECK} | tee log'),
            action(CHECK, step='      continue-on-error: true\n'),
            action(CHECK, job='    continue-on-error: true\n'),
            action(CHECK, step='      if: false\n'),
            action(CHECK, job='    if: ${{ false }}\n'),
            action(CHECK, job='    if: ${{ ! true }}\n'),
            action(CHECK, job='    if: failure()\n'),
            action(CHECK, job='    if: 0\n'),
            action(CHECK, job='    needs: [aus]\n') + SKIPPED,
            action(CHECK, job='    needs: zu\n') + SKIPPED,
            action(CHECK, job='    needs: nirgends\n'),
            action(CHECK, job='    defaults: {run: {shell: python}}\n'),
            action(
                f'|\n        {CHECK}\n        true',
                job="    defaults: {run: {shell: 'bash {0}'}}\n",
            ),
            action(CHECK, on='workflow_dispatch'),
            action(CHECK, step='      shell: python\n'),
            f'# {CHECK}\n{action("make test")}',
            action(f'"true # {CHECK}"'),
            action(f'|\n        exit 0\n        {CHECK}'),
            action(f'|\n        if false; then\n        {CHECK}\n        fi'),
        ),
    ),
    GITLAB: (
        pipeline(CHECK),
        (
            pipeline(f'{CHECK} || true'),
            pipeline(CHECK, '  allow_failure: true\n'),
            pipeline(CHECK, '  when: manual\n'),
            pipeline(CHECK, '  when: never\n'),
            pipeline(CHECK, '  rules:\n  - when: never\n'),
            f'.{pipeline(CHECK)}',
            pipeline('"true"', f'  after_script:\n  - {CHECK}\n'),
            f'# {CHECK}\n',
        ),
    ),
    CIRCLE: (
        f'jobs:\n  a:\n    steps:\n    - run: {CHECK}\n',
        (
            f'jobs:\n  a:\n    steps:\n    - run: {CHECK} || true\n',
            'jobs:\n  a:\n    steps:\n    - run: make\n',
        ),
    ),
    'azure-pipelines.yml': (
        f'steps:\n- script: {CHECK}\n',
        (
            f'steps:\n- script: {CHECK}\n  continueOnError: true\n',
            f'steps:\n- script: {CHECK}\n  condition: false\n',
        ),
    ),
    'Jenkinsfile': (
        f"stage('x') {{ sh '{CHECK}' }}\n",
        (
            f"stage('x') {{ // sh '{CHECK}'\n }}\n".replace('{ //', '{\n//'),
            f"stage('x') {{ sh '{CHECK} || true' }}\n",
        ),
    ),
    HUSKY: (
        f'{CALL}npm test\n',
        (
            'npm test\n',
            f'# {CALL}npm test\n',
            'interlock hook || true\n',
            f'exit 0\n{CALL}',
            f'if false; then\n{CALL}fi\n',
            'interlock hook &\n',
            f'set +e\n{CALL}true\n',
            f'f() {{\n{CALL}}}\n',
            f'interlock() {{ :; }}\n{CALL}',
            f'cat <<E\n{CALL}E\n',
            'echo interlock hook\n',
        ),
    ),
    PLAIN: (
        f'#!/bin/sh\n{CALL}',
        (
            '#!/bin/sh\ninterlock hook; true\n',
            f'#!/bin/sh\n{CALL}exit 0\n',
            f'#!/bin/sh\n{CALL}npm test\n',
            f'#!/bin/sh\ntrap "exit 0" EXIT\n{CALL}',
            '#!/bin/sh\n! interlock hook\n',
            '#!/bin/sh\ninterlock --version\n',
            '#!/bin/sh\ninterlock status\n',
        ),
    ),
    'tools/git-hooks/pre-push': (
        '#!/bin/sh\nexec interlock pre-push "$@"\n',
        ('#!/bin/sh\n',),
    ),
    SETTINGS: (
        CLIENT,
        (
            '{}',
            CLIENT.replace('"hooks": {', ('"disableAllHooks": true, "hooks": {'), 1),
        ),
    ),
}


def judged(
    before: Files, after: Files, message: str = 'x'
) -> list[tuple[str, str, str]]:
    old = {**GOOD, **before}
    new = {**GOOD, **after}
    return [
        (each.code, each.severity, each.path)
        for each in found(old, new, message, only=ONLY)
    ]


@pytest.mark.parametrize(
    ('path', 'before', 'after'),
    [
        pytest.param(path, call, loss, id=f'{path} {number}')
        for path, (call, losses) in CASES.items()
        for number, loss in enumerate(losses)
    ],
)
def test_a_call_that_is_lost_is_refused(path: str, before: str, after: str) -> None:
    refused = [('CFG006', ERROR, path)]
    assert judged({path: before}, {path: after}) == refused
    assert judged({path: before}, {}) == refused
    # what did not call us may go, or change, or begin to
    assert after.startswith('repos:\n- repo') or (judged({path: after}, {}) == [])
    assert judged({path: after}, {path: before}) == []
    assert judged(
        {path: before}, {path: after}, ('x\n\nInterlock-Rules: another way\n')
    ) == [('CFG006', WARNING, path)]


@pytest.mark.parametrize(
    ('before', 'after'),
    (
        pytest.param(
            {GITHUB: action(CHECK)},
            {'.github/workflows/é.yaml': action(f'|\n        set -x\n        {CHECK}')},
            id='another name',
        ),
        pytest.param(
            {GITHUB: action(CHECK)}, {GITLAB: pipeline(CHECK)}, id='another service'
        ),
        pytest.param(
            {GITHUB: action(CHECK)},
            {
                GITHUB: action(CHECK, '    needs: [vor]\n')
                + ('  vor:\n    continue-on-error: true\n    steps: []\n')
            },
            id='after another job',
        ),
        pytest.param(
            {GITHUB: action(CHECK)},
            {
                GITHUB: action(CHECK, '    needs: [zu]\n    if: ${{ !cancelled() }}\n')
                + SKIPPED
            },
            id='whatever came before',
        ),
        pytest.param(
            {GITHUB: action(CHECK)},
            {GITHUB: action(CHECK, '    defaults: {run: {shell: bash}}\n')},
            id='by a shell that is named',
        ),
        pytest.param(
            {GITLAB: pipeline(CHECK)},
            {GITLAB: f'.{pipeline(CHECK)}x:\n  extends: .check\n'},
            id='into a template',
        ),
        pytest.param(
            {GITHUB: action(CHECK)},
            {
                GITHUB: action(CHECK).replace(
                    'run: interlock check --base auto', 'uses: someone/interlock@v1'
                )
            },
            id='by our action',
        ),
        pytest.param(
            {PLAIN: CALL, '.githooks/commit-msg': CALL},
            {
                LEFTHOOK: leftover('interlock hook {1}')
                + leftover('interlock hook {1}').replace('pre-commit', 'commit-msg')
            },
            id='another framework',
        ),
        pytest.param(
            {PRE_COMMIT: hooked()},
            {'prek.toml': CASES['prek.toml'][0]},
            id='prek instead of pre-commit',
        ),
        pytest.param(
            {GITHUB: action(CHECK)},
            {
                GITHUB: action('./tools/check.sh'),
                'tools/check.sh': f'#!/bin/sh\nset -e\n{CHECK}\nmake\n',
            },
            id='into a script',
        ),
        pytest.param(
            {HUSKY: f'{CALL}npm test\n'},
            {HUSKY: f'npm test\n{CALL}'},
            id='another order',
        ),
        pytest.param(
            {GITHUB: action(CHECK)},
            {GITHUB: action(f'{CHECK} && echo fine')},
            id='with more behind it',
        ),
        pytest.param(
            {PRE_COMMIT: hooked()},
            {PRE_COMMIT: f'{hooked()}# mehr\n'},
            id='a comment more',
        ),
        pytest.param(
            {PRE_COMMIT: hooked()},
            {PRE_COMMIT: hooked(stages='[pre-commit, commit-msg, pre-push]')},
            id='commit-msg sees merges too',
        ),
        pytest.param(
            {GITHUB: '# interlock once\non: push\njobs: {}\n'},
            {GITHUB: 'on: push\njobs: {}\n'},
            id='a mention',
        ),
        pytest.param({HUSKY: 'echo "interlock hook"\n'}, {}, id='a text'),
        pytest.param({'README.md': CALL}, {'README.md': 'x'}, id='a page'),
        pytest.param({'notes/.husky/x': CALL}, {}, id='no hook of this repository'),
        pytest.param(
            {PLAIN: 'interlock-registry || exit\ninterlock-stages\n'},
            {PLAIN: CALL},
            id='all instead of some',
        ),
    ),
)
def test_a_call_that_moves_is_not_a_finding(before: Files, after: Files) -> None:
    assert judged(before, after) == []


def test_some_checks_instead_of_all_are_a_loss() -> None:
    assert judged({PLAIN: CALL}, {PLAIN: 'interlock-registry\n'}) == [
        ('CFG006', ERROR, PLAIN)
    ]


def test_a_script_that_a_hook_runs_is_read_too() -> None:
    script = 'tools/check.sh'
    before = {PLAIN: f'./{script} "$@"\n', script: CALL}
    assert judged(before, {**before, script: '#!/bin/sh\n'}) == [
        ('CFG006', ERROR, script)
    ]
    assert judged(before, {**before, script: f'# é\n{CALL}'}) == []


MAKE = {GITHUB: action('make check'), 'Makefile': f'check:\n\t{CHECK}\n'}


@pytest.mark.parametrize(
    ('before', 'after', 'expected'),
    (
        pytest.param(MAKE, without(MAKE, GITHUB), [WARNING], id='not run'),
        pytest.param(
            MAKE, {**MAKE, 'Makefile': 'check:\n\ttrue\n'}, [WARNING], id='not called'
        ),
        pytest.param({GITHUB: action(CHECK)}, MAKE, [WARNING], id='by make instead'),
        pytest.param(MAKE, {GITHUB: action(CHECK)}, [], id='and directly again'),
        pytest.param(
            {
                GITHUB: action('npm run check'),
                'package.json': '{"scripts": {"check": "interlock check"}}',
            },
            {GITHUB: action('npm run check'), 'package.json': '{}'},
            [WARNING],
            id='npm',
        ),
        pytest.param(
            {
                GITHUB: action('tox'),
                'tox.ini': '[testenv]\ncommands = interlock check\n',
            },
            {GITHUB: action('tox'), 'tox.ini': '[testenv]\n'},
            [WARNING],
            id='tox',
        ),
        pytest.param({GITHUB: action('make')}, {}, [], id='make that does not'),
        pytest.param({'Makefile': f'check:\n\t{CHECK}\n'}, {}, [], id='nobody runs it'),
    ),
)
def test_an_indirect_call_that_is_lost_is_a_warning(
    before: Files, after: Files, expected: list[str]
) -> None:
    assert [each[1] for each in judged(before, after)] == expected
