"""How the configuration of a CI service calls us.

A job that never runs by itself, or that may fail, does not count.
"""

from __future__ import annotations

from interlock.documents.wiring.hook_files import EVERY, dicts, read_config
from interlock.documents.wiring.shell_calls import NONE, SHELLS, Calls, calls
from interlock.model import quick_re as re
from interlock.model.calling_files import GITHUB, GITLAB
from interlock.model.quick_typing import Any, Iterator, Mapping

OURS = Calls(frozenset({EVERY}))
# the address of our action or template
ADDRESS_RE = re.compile(r'(^|[/:_-])interlock([-_/@.]|$)')
# events that a push does not cause
BY_HAND = {'workflow_dispatch', 'repository_dispatch'}
# conditions that never hold
OFF = "false 0 '' null !true failure() cancelled() never manual".split()
EXPRESSION_RE = re.compile(r'\$\{\{(.*)\}\}', re.DOTALL)
# a job that runs even if one that it needs did not
ALWAYS_RE = re.compile(r'\balways\(\)|!\s*(cancelled|failure)\(\)')
# keys of a job that let it fail
TOLERANT = (
    'continue-on-error allow_failure continueOnError soft_fail ignore_errors '
    'allow_failures ignore_failure'
).split()
CONDITIONS = ('if', 'when', 'condition', 'enabled', 'only_if')
COMMANDS = (
    'run script commands command bash sh test_script before_script build_script steps '
    'pwsh powershell'
).split()
# GitLab: keys of a file that are not jobs
NOT_JOBS = (
    'stages variables include workflow image services cache spec after_script'
).split()
# how deep jobs may extend jobs, as in GitLab
MOST_EXTENDS = 10
MAX_DEPTH = 20
JENKINS_RE = re.compile(
    r'\b(?:sh|bat)\s*\(?\s*(?:script\s*:\s*)?'
    r'("{3}|\'{3}|"|\')(.*?)\1',
    re.DOTALL,
)


def read(kind: str, path: str, data: bytes) -> Calls:
    """Our calls in a CI file."""
    text = data.decode(errors='replace')
    if path.rpartition('/')[2] == 'Jenkinsfile':
        return jenkins(text)
    config = read_config(path, data)
    if config is None:
        # it has custom tags, or several documents
        return other({'script': _commands(text)})
    return {GITHUB: github, GITLAB: gitlab}.get(kind, other)(config)


def _commands(text: str) -> list[str]:
    """The lines of a file that cannot be parsed, without their keys."""
    found = []
    for line in text.splitlines():
        line = line.strip().removeprefix('- ')
        key, colon, rest = line.partition(': ')
        found.append(rest if colon and key.isidentifier() else line)
    return found


def _is_off(job: Mapping[str, Any]) -> bool:
    """Whether a job never runs by itself, or may fail."""
    if any(str(job.get(key)).lower() == 'true' for key in TOLERANT):
        return True
    return job.get('failure') == 'ignore' or _is_skipped(job)


def _is_skipped(job: Mapping[str, Any]) -> bool:
    """Whether a condition of a job never holds."""
    return any(key in job and _condition(job[key]) in OFF for key in CONDITIONS)


def _condition(value: Any) -> str:
    text = str(value).strip().lower()
    match = EXPRESSION_RE.fullmatch(text)
    return ''.join((match[1] if match else text).split())


def _lines(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for each in value:
            yield from _lines(each)
    elif isinstance(value, str):
        yield value


def _script(value: Any) -> Calls:
    """The calls in a text, or in texts that run one after another."""
    return calls('\n'.join(_lines(value)), errexit=True)


def _steps(value: Any, default: str = '') -> Calls:
    """The calls in GitHub steps; `default`: the shell of steps that name none."""
    found = NONE
    for step in dicts(value):
        shell = str(step.get('shell', default)).strip()
        if _is_off(step):
            continue
        elif ADDRESS_RE.search(str(step.get('uses', ''))):
            found |= OURS
        elif 'run' in step and (not shell or shell.split()[0] in SHELLS):
            errexit = '{0}' not in shell or '-e' in shell
            found |= calls(str(step['run']), errexit=errexit)
    return found


def _shell(config: Mapping[str, Any], default: str = '') -> str:
    """The default shell of a workflow or a job."""
    found: Any = config
    for key in ('defaults', 'run', 'shell'):
        found = found.get(key) if isinstance(found, dict) else None
    return default if found is None else str(found)


def github(config: Any) -> Calls:
    """The calls in a workflow, or in a composite action."""
    if not isinstance(config, dict):
        return NONE
    runs = config.get('runs')
    if isinstance(runs, dict):
        return _steps(runs.get('steps'))
    events = config.get('on')
    names = [events] if isinstance(events, str) else events
    names = set(map(str, names if isinstance(names, (list, dict)) else ()))
    if names and names <= BY_HAND:
        return NONE
    found, jobs = NONE, config.get('jobs')
    jobs = jobs if isinstance(jobs, dict) else {}
    for name, job in jobs.items():
        if isinstance(job, dict) and not _is_off(job) and not _is_blocked(name, jobs):
            if ADDRESS_RE.search(str(job.get('uses', ''))):
                found |= OURS
            found |= _steps(job.get('steps'), _shell(job, _shell(config)))
    return found


def _is_blocked(name: str, jobs: Mapping[str, Any]) -> bool:
    """Whether a GitHub job needs a skipped one, directly or not."""
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


def _gitlab_job(
    name: str, jobs: Mapping[str, Any], known: dict[str, dict[str, Any]], depth: int = 0
) -> dict[str, Any]:
    """A job merged with the jobs that it extends, each once."""
    job = jobs.get(name)
    if not isinstance(job, dict) or depth > MOST_EXTENDS:
        return {}
    elif name not in known:
        # a job that extends itself inherits nothing
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
    elif _is_off({**job, 'when': ''}):
        return False
    when = {'when': job.get('when', '')}
    return not rules or any(
        not _is_off({**when, **rule, 'if': ''}) for rule in dicts(rules)
    )


def gitlab(config: Any) -> Calls:
    if not isinstance(config, dict):
        return NONE
    found, known = NONE, dict[str, dict[str, Any]]()
    include = config.get('include')
    for each in include if isinstance(include, list) else [include]:
        values = each.values() if isinstance(each, dict) else [each]
        if any(ADDRESS_RE.search(str(value)) for value in values if value):
            found |= OURS
    for name, job in config.items():
        if name in NOT_JOBS or name.startswith('.'):
            continue
        elif name in ('before_script', 'default'):
            found |= _script(job.get('before_script') if isinstance(job, dict) else job)
            continue
        job = _gitlab_job(name, config, known)
        if job and _may_run(job):
            for key in ('before_script', 'script'):
                found |= _script(['set -o pipefail', job.get(key)])
    return found


def other(config: Any, depth: int = 0) -> Calls:
    """The commands under any of the keys that services use for them."""
    found = NONE
    if depth > MAX_DEPTH or (isinstance(config, dict) and _is_off(config)):
        return found
    for key, value in config.items() if isinstance(config, dict) else ():
        if key in COMMANDS and isinstance(value, (str, list)):
            found |= _script(value)
        found |= other(value, depth + 1)
    for each in config if isinstance(config, list) else ():
        found |= other(each, depth + 1)
    return found


def jenkins(text: str) -> Calls:
    """The commands of `sh` steps; the language itself is not parsed."""
    text = re.sub(r'/\*.*?\*/|(?m:^\s*//.*$)', '', text, flags=re.DOTALL)
    found = NONE
    for match in JENKINS_RE.finditer(text):
        if 'returnStatus' not in text[match.end() :].partition('\n')[0]:
            found |= _script(match[2])
    return found
