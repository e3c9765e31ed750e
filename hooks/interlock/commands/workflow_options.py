"""Options and shell completions whose words come from the workflow and its items."""

from __future__ import annotations

import functools

import click
from click.shell_completion import CompletionItem

from interlock.files.disk_snapshot import SteadySnapshot
from interlock.git.workflow_source import without_repository
from interlock.model.errors import Refusal, Unreadable
from interlock.model.quick_typing import (
    Any,
    Callable,
    Iterable,
    Iterator,
    NamedTuple,
    Sequence,
)
from interlock.workflow.language.spec import FieldSpec, Kind, Workflow
from interlock.workflow.reading.item_paths import is_ignored, is_name
from interlock.workflow.reading.records import Records, all_items

# keys in the meta data of a context
FILE, OPTIONS = 'interlock.config', 'interlock.options'
FIELD = 'field_'


def _argument(field: str) -> str:
    """The command argument for a field, which may have any name."""
    return f'{FIELD}{field.encode().hex()}'


def field_of(argument: str) -> str:
    """The field of an argument, '' for all other arguments."""
    head, mark, name = argument.partition(FIELD)
    return bytes.fromhex(name).decode() if mark and not head else ''


def _config(args: Sequence[str]) -> str:
    """The file that --config names: the other options depend on it."""
    for number, arg in enumerate(args):
        name, equals, value = arg.partition('=')
        if name == '--config':
            return value if equals else ''.join(args[number + 1 : number + 2])
    return ''


def _workflow(config: str) -> Workflow | None:
    """The workflow, None if it cannot be read: the command itself will say why."""
    try:
        return without_repository(config)[0]
    except Refusal:
        return None


class WorkflowCommand(click.Command):
    named: Callable[[Workflow], Iterable[click.Option]]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[FILE] = _config(args)
        return super().parse_args(ctx, args)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        if OPTIONS not in ctx.meta:
            workflow = _workflow(ctx.meta.get(FILE, ''))
            ctx.meta[OPTIONS] = [*type(self).named(workflow)] if workflow else []
        return [*super().get_params(ctx), *ctx.meta[OPTIONS]]


def _fields(workflow: Workflow) -> dict[str, FieldSpec]:
    return {
        field.name: field for kind in workflow.kinds for field in kind.handoff.fields
    }


def _field_option(field: FieldSpec) -> click.Option:
    name, text = field.option, field.help or f'Set the field {field.name}.'
    if field.type == 'boolean':
        return click.Option(
            [f'--{name}/--no-{name}', _argument(field.name)], default=None, help=text
        )
    metavar = '|'.join(field.values) if 0 < len(field.values) < 4 else 'VALUE'
    return click.Option(
        [f'--{name}', _argument(field.name)], metavar=metavar, help=text
    )


class FieldsCommand(WorkflowCommand):
    """Adds an option for each field of a handoff that has one in the workflow."""

    @staticmethod
    def named(workflow: Workflow) -> Iterator[click.Option]:
        for field in _fields(workflow).values():
            if field.option:
                yield _field_option(field)


class TypeCommand(WorkflowCommand):
    """Adds the type of an item, if the workflow has types."""

    @staticmethod
    def named(workflow: Workflow) -> Iterator[click.Option]:
        types = [name for kind in workflow.kinds for name in kind.registry.types]
        if types:
            text = f'Say what the item is: {", ".join(dict.fromkeys(types))}.'
            yield click.Option(['--type', 'type_'], help=text)


class Completed(NamedTuple):
    """The facts for completing a word."""

    workflow: Workflow
    snapshot: SteadySnapshot
    # the arguments before the word, and its typed part
    given: dict[str, Any]
    incomplete: str

    def items(self) -> list[Records]:
        """The items that an earlier argument names."""
        from interlock.project.project import known_records

        return known_records(self.snapshot, self.workflow, self.given.get('item') or '')

    def kinds(self) -> Sequence[Kind]:
        return [at.kind for at in self.items()] or self.workflow.kinds


def completing(
    words: Callable[[Completed], Iterable[str]],
) -> Callable[[click.Context, click.Parameter, str], list[CompletionItem]]:
    def complete(
        ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        try:
            workflow, top = without_repository(ctx.params.get('config') or '')
            at = Completed(workflow, SteadySnapshot(top), ctx.params, incomplete)
            found = [*words(at)]
        except (Refusal, Unreadable):
            # the command itself will say why
            return []
        start = incomplete.casefold()
        return [
            CompletionItem(word)
            for word in dict.fromkeys(found)
            if word.casefold().startswith(start)
        ]

    return complete


def _field_words(at: Completed) -> Iterator[str]:
    """`KEY=` for each field of the workflow, then its values."""
    for field in _fields(at.workflow).values():
        key = f'{field.name}='
        values = ('true', 'false') if field.type == 'boolean' else field.values
        has_key = at.incomplete.startswith(key)
        yield from (
            (f'{key}{value}' for value in values if '{' not in value)
            if has_key
            else (key,)
        )


def _item_words(at: Completed) -> Iterator[str]:
    for kind in at.workflow.kinds:
        for item in all_items(at.snapshot, kind) if not kind.protocol else ():
            if is_name(item, kind) and not is_ignored(item, kind):
                yield kind.called(item)


def _status_words(at: Completed) -> Iterator[str]:
    """The statuses, those that may follow first."""
    from interlock.workflow.reading.transitions import targets

    for each in at.items():
        if each.state is not None:
            yield from targets(each.state.name, each.kind)
    for kind in at.kinds():
        yield from kind.states


def _stage_words(at: Completed) -> Iterator[str]:
    for kind in at.kinds():
        yield from (state.stage for state in kind.states.values() if state.stage)


def _task_words(at: Completed) -> Iterator[str]:
    from interlock.tasks.task_files import todo_list
    from interlock.tasks.workplace import open_workplace

    with open_workplace(at.given.get('config') or '', 0, reads=True) as here:
        yield from here.space.names()
        yield from todo_list(here.space).entries


def _task_state_words(at: Completed) -> Iterator[str]:
    for kind in at.workflow.kinds:
        yield from kind.states if kind.protocol else ()


complete_field = completing(_field_words)
complete_item = completing(_item_words)
complete_stage = completing(_stage_words)
item_argument = functools.partial(click.argument, 'item', shell_complete=complete_item)
status_argument = functools.partial(
    click.argument, 'status', shell_complete=completing(_status_words)
)
stage_argument = functools.partial(
    click.argument, 'stage', shell_complete=complete_stage
)
task_argument = functools.partial(
    click.argument, shell_complete=completing(_task_words)
)
state_argument = functools.partial(
    click.argument, 'state', shell_complete=completing(_task_state_words)
)
