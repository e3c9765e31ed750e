"""What the configuration of a CI service runs of ours.

A job that never runs by itself, or whose failure is let pass, runs nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from interlock.documents.wiring.hook_files import EVERY
from interlock.documents.wiring.shell_calls import NONE, Calls, calls

OURS = Calls(frozenset({EVERY}))
# an action or a template of ours, by its address
ADDRESS_RE = re.compile(r'(^|[/:_-])interlock([-_/@.]|$)')
# events at which nobody pushes anything
BY_HAND = {'workflow_dispatch', 'repository_dispatch'}
SHELLS = ('bash', 'sh', 'zsh', 'dash')
OFF = (
    'false',
    '0',
    "''",
    'null',
    '!true',
    'failure()',
    'cancelled()',
    'never',
    'manual',
)
EXPRESSION_RE = re.compile(r'\$\{\{(.*)\}\}', re.DOTALL)
# runs although what it needs did not
ALWAYS_RE = re.compile(r'\balways\(\)|!\s*(cancelled|failure)\(\)')
# keys of a job, by which some service lets its failure pass or skips it
TOLERANT = (
    'continue-on-error',
    'allow_failure',
    'continueOnError',
    'soft_fail',
    'ignore_errors',
    'allow_failures',
    'ignore_failure',
)
CONDITIONS = ('if', 'when', 'condition', 'enabled', 'only_if')
COMMANDS = (
    'run',
    'script',
    'commands',
    'command',
    'bash',
    'sh',
    'test_script',
    'before_script',
    'build_script',
    'steps',
    'pwsh',
    'powershell',
)
# of GitLab: keys of a file that are not jobs, and what runs after a job
NO_JOBS = (
    'stages',
    'variables',
    'include',
    'workflow',
    'image',
    'services',
    'cache',
    'spec',
    'after_script',
)
# levels of jobs that extend jobs; GitLab allows as many
MOST_EXTENDS = 10
JENKINS_RE = re.compile(
    r'\b(?:sh|bat)\s*\(?\s*(?:script\s*:\s*)?'
    r'("{3}|\'{3}|"|\')(.*?)\1',
    re.DOTALL,
)


def _is_on(value: Any) -> bool:
    return value is True or str(value).lower() == 'true'


def _is_off(job: Mapping[str, Any]) -> bool:
    """Whether it never runs by itself, or may fail."""
    if any(_is_on(job.get(key)) for key in TOLERANT):
        return True
    return job.get('failure') == 'ignore' or _is_skipped(job)


def _is_skipped(job: Mapping[str, Any]) -> bool:
    """Whether a condition of it never holds."""
    return any(key in job and _condition(job[key]) in OFF for key in CONDITIONS)


def _condition(value: Any) -> str:
    text = str(value).strip().lower()
    match = EXPRESSION_RE.fullmatch(text)
    return ''.join((match[1] if match else text).split())


def _dicts(value: Any) -> list[Mapping[str, Any]]:
    return (
        [each for each in value if isinstance(each, dict)]
        if isinstance(value, list)
        else []
    )


def _step(step: Mapping[str, Any], default: str) -> Calls:
    if _is_off(step):
        return NONE
    if ADDRESS_RE.search(str(step.get('uses', ''))):
        return OURS
    shell = str(step.get('shell', default)).strip()
    if 'run' not in step or (shell and shell.split()[0] not in SHELLS):
        return NONE
    errexit = '{0}' not in shell or '-e' in shell
    return calls(str(step['run']), errexit=errexit)


def _steps(value: Any, shell: str = '') -> Calls:
    found = NONE
    for step in _dicts(value):
        found |= _step(step, shell)
    return found


def _shell(config: Mapping[str, Any], default: str = '') -> str:
    """What runs the steps that do not name a shell."""
    found: Any = config
    for key in ('defaults', 'run', 'shell'):
        found = found.get(key) if isinstance(found, dict) else None
    return default if found is None else str(found)


def github(config: Any) -> Calls:
    """A workflow, or an action that is made of steps."""
    if not isinstance(config, dict):
        return NONE
    runs = config.get('runs')
    if isinstance(runs, dict):
        return _steps(runs.get('steps'))
    events = config.get('on')
    names = (
        {events}
        if isinstance(events, str)
        else set(map(str, events if isinstance(events, (list, dict)) else ()))
    )
    if names and names <= BY_HAND:
        return NONE
    found = NONE
    jobs = config.get('jobs')
    jobs = jobs if isinstance(jobs, dict) else {}
    for name, job in jobs.items():
        if not isinstance(job, dict) or _is_off(job) or (_waits_in_vain(name, jobs)):
            continue
        if ADDRESS_RE.search(str(job.get('uses', ''))):
            found |= OURS
        found |= _steps(job.get('steps'), _shell(job, _shell(config)))
    return found


def _waits_in_vain(name: str, jobs: Mapping[str, Any]) -> bool:
    """Whether a job of GitHub needs one that is skipped, however far."""
    seen, waiting = set[str](), [name]
    while waiting:
        name = waiting.pop()
        job = jobs.get(name)
        if not isinstance(job, dict) or _is_skipped(job):
            return True
        elif name not in seen and not ALWAYS_RE.search(str(job.get('if'))):
            seen.add(name)
            waiting.extend(_lines(job.get('needs')))
    return False


def _lines(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for each in value:
            yield from _lines(each)
    elif isinstance(value, str):
        yield value


def _gitlab_job(
    name: str, jobs: Mapping[str, Any], known: dict[str, dict[str, Any]], depth: int = 0
) -> dict[str, Any]:
    """A job with what it extends; each is merged once."""
    job = jobs.get(name)
    if not isinstance(job, dict) or depth > MOST_EXTENDS:
        return {}
    elif name not in known:
        # one that extends itself takes nothing over
        known[name] = {}
        merged: dict[str, Any] = {}
        for parent in _lines(job.get('extends', [])):
            merged.update(_gitlab_job(parent, jobs, known, depth + 1))
        known[name] = {**merged, **job}
    return known[name]


def _may_run(job: Mapping[str, Any]) -> bool:
    rules = job.get('rules')
    if not isinstance(rules, list):
        return not _is_off(job)
    if _is_off({key: job[key] for key in job if key != 'when'}):
        return False
    found = [
        rule
        for rule in _dicts(rules)
        if not _is_off({**{'when': job.get('when', '')}, **rule, 'if': ''})
    ]
    return bool(found) or not rules


def gitlab(config: Any) -> Calls:
    if not isinstance(config, dict):
        return NONE
    found, known = NONE, dict[str, dict[str, Any]]()
    include = config.get('include')
    for each in [include] if not isinstance(include, list) else include:
        values = each.values() if isinstance(each, dict) else [each]
        if any(ADDRESS_RE.search(str(value)) for value in values if value):
            found |= OURS
    for name in config:
        if name in NO_JOBS or name.startswith('.'):
            continue
        job = config[name]
        if name in ('before_script', 'default'):
            before = job.get('before_script') if isinstance(job, dict) else job
            found |= calls('\n'.join(_lines(before)), errexit=True)
            continue
        job = _gitlab_job(name, config, known)
        if job and _may_run(job):
            for key in ('before_script', 'script'):
                text = '\n'.join(_lines(job.get(key)))
                found |= calls(f'set -o pipefail\n{text}', errexit=True)
    return found


def other(config: Any, depth: int = 0) -> Calls:
    """Whatever stands under a key by which services name commands."""
    found = NONE
    if depth > 20:
        return found
    if isinstance(config, dict):
        if _is_off(config):
            return found
        for key, value in config.items():
            if key in COMMANDS and isinstance(value, (str, list)):
                text = '\n'.join(_lines(value))
                found |= calls(text, errexit=True)
            found |= other(value, depth + 1)
    elif isinstance(config, list):
        for each in config:
            found |= other(each, depth + 1)
    return found


def jenkins(text: str) -> Calls:
    """The commands of `sh` steps; the language itself is not read."""
    text = re.sub(r'/\*.*?\*/|(?m:^\s*//.*$)', '', text, flags=re.DOTALL)
    found = NONE
    for match in JENKINS_RE.finditer(text):
        if 'returnStatus' not in text[match.end() :].partition('\n')[0]:
            found |= calls(match[2], errexit=True)
    return found
