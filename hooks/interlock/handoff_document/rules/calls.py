"""Calls that a successor runs: the outline says where, and of which tool."""

from __future__ import annotations

from interlock.documents.text import one_line, shown
from interlock.documents.tool_calls import ToolCall, only_call
from interlock.handoff_document.case import SAME, Case, finding, rule
from interlock.handoff_document.comparisons import inner_placeholder, same
from interlock.handoff_document.outline import CallSpec
from interlock.handoff_document.rules import documents, tables
from interlock.model.finding import Finding
from interlock.model.quick_typing import Any, Iterator


def _problem(call: ToolCall, needed: bool = True) -> str:
    """Why a call of a skill or a read cannot be run, or ''."""
    texts = call.texts
    if texts is None:
        return 'its arguments are not quoted texts'
    elif not needed:
        # another check searches the line for placeholders
        return ''
    elif not texts or not texts[0].strip():
        return 'it names nothing'
    left = next(filter(None, map(inner_placeholder, texts)), '')
    return f'`{left}` is not filled in' if left else ''


def runnable(case: Case, section: str, tool: str) -> list[tuple[int, str]]:
    """The first argument of each runnable call, with its line."""
    return [
        (call.line, call.texts[0])
        for call in case.document.calls(section, tool)
        if call.texts and not _problem(call)
    ]


def _stack(case: Case) -> list[str]:
    saved = case.saved('skill_stack', key='name')
    return [name for _, name in saved if name.strip()]


def _named_skills(case: Case) -> Iterator[tuple[str, str]]:
    """The skills that Section 1 names, and where."""
    for each in tables.known_tables(case):
        for row in each.table.rows if each.spec.section == '1.1.1' else ():
            if tables.is_filled(case, row):
                yield '1.1.1', each.cell(row, each.spec.key.name).strip('` ')
    for section in ('1.14', '1.23'):
        yield from ((section, name) for _, name in runnable(case, section, 'skill'))
    yield from (('1.20', name) for name in _stack(case))


def _named_documents(case: Case) -> Iterator[tuple[str, str]]:
    """The documents that Section 1 names, and where."""
    saved = case.saved('documents', 'must_read', key='path')
    yield from (('1.9', path) for _, path in documents.listed(case))
    yield from (('1.10', path) for _, path in documents.to_read(case))
    yield from (('1.20', path) for _, path in saved)


NAMED = {'skill': _named_skills, 'read': _named_documents}


def _judge(case: Case, spec: CallSpec) -> Iterator[Finding]:
    document, section = case.document, spec.section
    tool = case.outline.calls[spec.tool]
    todo = f'write {tool}("{spec.example}")'
    calls = document.calls(section, spec.tool)
    for call in calls:
        problem = _problem(call, spec.needed)
        if problem:
            message = f'the call of {tool} in {section} cannot be run: {problem}'
            inside = shown(call.inside or '')
            yield finding(call.line, message, key=section, found=inside, todo=todo)
    if calls or not spec.needed or document.get(section) is None:
        return
    line, words = document.line(section), case.outline.nothing[section][0]
    if not document.says_nothing(section):
        message = f'{section} has no call of {tool} and does not say `{words}`'
        yield finding(line, message, key=section, todo=f'{todo}, or `{words}`')
        return
    for where, name in NAMED[spec.tool](case):
        message = f'{section} says `{words}`, but {where} names `{one_line(name)}`'
        yield finding(line, message, key=section, found=name, todo=todo)
        return


@rule('DOC030', 'write a call that can be run')
def calls_can_be_run(case: Case) -> Iterator[Finding]:
    for spec in case.outline.runnable:
        for found in _judge(case, spec):
            yield found._replace(code=spec.code)


@rule('DOC007', 'write Read("/absolute/path") for each document')
def documents_are_read_again(case: Case) -> Iterator[Finding]:
    section = case.document.get('1.10')
    if section is None or runnable(case, '1.10', 'read'):
        return
    why = f'and does not say `{case.outline.nothing["1.10"][0]}`'
    if documents.listed(case):
        why = f'although 1.9 names `{one_line(documents.listed(case)[0][1])}`'
    elif case.document.says_nothing('1.10'):
        return
    name = case.outline.calls['read']
    yield finding(section.line, f'1.10 has no call of {name} that can be run, {why}')


@rule('DOC030', 'write the value')
def commands_are_filled_in(case: Case) -> Iterator[Finding]:
    for spec in case.outline.runnable:
        for number, line in () if spec.needed else case.document.lines(spec.section):
            left = inner_placeholder(line)
            if left and not left.startswith(case.outline.gap):
                message = f'`{shown(left)}` of {spec.section} is not filled in'
                yield finding(number, message, found=shown(left))


@rule('DOC030', 'write Skill("name", "arguments")')
def skills_can_be_resumed(case: Case) -> Iterator[Finding]:
    name = case.outline.calls['skill']
    for number, row in enumerate(case.state.rows('skill_stack')):
        command = row.get('resume_command')
        # a rule about the state reports placeholders
        if isinstance(command, str) and not inner_placeholder(command):
            call = only_call(command, name)
            if call is None or not call.texts:
                line = case.state.line('skill_stack', number, 'resume_command')
                message = f'`{shown(command)}` is not a call of {name} that can be run'
                yield finding(line, message, found=shown(command))


def _is_skill(name: str, known: str) -> bool:
    """Whether two names mean one skill: a plugin's may omit the plugin."""
    if ':' in name and ':' in known:
        return same(name, known)
    return same(name.rpartition(':')[2], known.rpartition(':')[2])


@rule('DOC036', SAME)
def skill_is_in_the_stack(case: Case) -> Iterator[Finding]:
    stack = _stack(case)
    if not isinstance(case.state.get('skill_stack'), list) or (
        len(stack) < len(case.state.rows('skill_stack'))
    ):
        # the text is not filled in
        return
    for line, name in runnable(case, '0.1', 'skill'):
        if not any(_is_skill(name, each) for each in stack):
            at = case.state.line('skill_stack')
            yield finding(
                line,
                f'0.1 runs `{shown(name)}`, which is not in the skill_stack of 1.20 '
                f'(line {at})',
                key='0.1/skill_stack',
                found=shown(name),
                expected=', '.join(map(shown, stack)),
            )


def _entry_problem(case: Case, entry: Any) -> str:
    if not isinstance(entry, dict):
        return 'is not an object'
    for key in ('content', 'status'):
        value = entry.get(key)
        if not isinstance(value, str) or not value.strip():
            return f'has no {key}'
        elif case.is_open(value):
            return f'is not filled in (`{shown(value)}`)'
    return ''


def _todos(case: Case, call: ToolCall) -> list[dict[str, Any]]:
    """The todos that a call restores; ValueError if it cannot be run."""
    try:
        found = call.json
    except ValueError as e:
        raise ValueError(f'its argument is not JSON ({e})') from None
    if not isinstance(found, list):
        raise ValueError('its argument is not a list')
    for number, entry in enumerate(found, 1):
        problem = _entry_problem(case, entry)
        if problem:
            raise ValueError(f'entry {number} {problem}')
    return found


def restored_todos(case: Case) -> list[dict[str, Any]] | None:
    """The todos of 0.3; None if they cannot be read."""
    calls = case.document.calls('0.3', 'todos')
    try:
        return _todos(case, calls[0]) if len(calls) == 1 else None
    except ValueError:
        return None


@rule('DOC004', 'write TodoWrite([...]) as JSON (an empty list if none is open)')
def todos_can_be_restored(case: Case) -> Iterator[Finding]:
    if case.document.get('0.3') is None:
        return
    name, calls = case.outline.calls['todos'], case.document.calls('0.3', 'todos')
    if len(calls) != 1:
        many = f'{len(calls)} calls' if calls else 'no call'
        line = calls[1].line if calls else case.document.line('0.3')
        yield finding(line, f'0.3 has {many} of {name}, and needs exactly one')
    for call in calls[:1]:
        try:
            _todos(case, call)
        except ValueError as e:
            message = f'the call of {name} in 0.3 cannot be run: {e}'
            yield finding(call.line, message)
