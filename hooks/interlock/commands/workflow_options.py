"""Options that a command has because the workflow names them."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem

from interlock.git.workflow_source import without_repository
from interlock.model.errors import Refusal
from interlock.model.quick_typing import Callable, Iterable, Iterator, Sequence
from interlock.workflow.language.spec import FieldSpec, Workflow

# in the meta data of a context
FILE, OPTIONS = 'interlock.config', 'interlock.options'
FIELD = 'field_'


def _argument(field: str) -> str:
    """The argument of a command that gives a field, which may have any name."""
    return f'{FIELD}{field.encode().hex()}'


def field_of(argument: str) -> str:
    """The field that an argument gives, '' for all other arguments."""
    head, mark, name = argument.partition(FIELD)
    return bytes.fromhex(name).decode() if mark and not head else ''


def _config(args: Sequence[str]) -> str:
    """The file that --config names: it is needed to know the other options."""
    for number, arg in enumerate(args):
        name, equals, value = arg.partition('=')
        if name == '--config':
            return value if equals else ''.join(args[number + 1 : number + 2])
    return ''


def _workflow(config: str) -> Workflow | None:
    """None where it cannot be read: the command itself will say why."""
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
    """The fields of a handoff that the workflow gives an option of their own."""

    @staticmethod
    def named(workflow: Workflow) -> Iterator[click.Option]:
        for field in _fields(workflow).values():
            if field.option:
                yield _field_option(field)


class TypeCommand(WorkflowCommand):
    """What an item is, where the workflow tells types apart."""

    @staticmethod
    def named(workflow: Workflow) -> Iterator[click.Option]:
        types = [name for kind in workflow.kinds for name in kind.registry.types]
        if types:
            text = f'Say what the item is: {", ".join(dict.fromkeys(types))}.'
            yield click.Option(['--type', 'type_'], help=text)


def complete_field(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """`KEY=` for each field of the workflow, then its values."""
    workflow = _workflow(ctx.params.get('config') or '')
    fields = _fields(workflow) if workflow else {}
    key, equals, _ = incomplete.partition('=')
    words = [f'{name}=' for name in fields]
    if equals and key in fields:
        field = fields[key]
        values = ('true', 'false') if field.type == 'boolean' else field.values
        words = [f'{key}={value}' for value in values if '{' not in value]
    return [CompletionItem(word) for word in words if word.startswith(incomplete)]
