"""What the help text of each command shows as examples."""

from __future__ import annotations

from interlock.model.clients import NAMES

# the path of a command -> its examples
EXAMPLES: dict[str, tuple[str, ...]] = {
    'check': (
        'interlock check',
        'interlock check docs/FEATURES.md',
        'interlock check --base auto',
        'interlock check --worktree --fix',
    ),
    'status': ('interlock status', 'interlock status --json'),
    'audit': (
        'interlock audit',
        'interlock audit v1.0..HEAD',
        'interlock audit --html board.html',
        'interlock audit --write-baseline',
    ),
    'explain': ('interlock explain REG001', 'interlock explain --schema'),
    'registry': ('interlock registry show',),
    'registry show': ('interlock registry show', 'interlock registry show Echo --json'),
    'registry may': ("interlock registry may Echo 'Stage 3'",),
    'registry set-status': ("interlock registry set-status Echo 'Stage 3'",),
    'registry add': ('interlock registry add Echo',),
    'registry timeline': ("interlock registry timeline Echo 'shown to the client'",),
    'registry sync': ('interlock registry sync', 'interlock registry sync Echo'),
    'registry restore': ('interlock registry restore',),
    'handoff': ('interlock handoff create Echo',),
    'handoff create': (
        'interlock handoff create Echo',
        'interlock handoff create Echo 2',
    ),
    'handoff update': (
        'interlock handoff update Echo 3',
        "interlock handoff update Echo --next-step 'tune the filter'",
    ),
    'handoff delete': ('interlock handoff delete Echo',),
    'handoff migrate': ('interlock handoff migrate --all',),
    'handoff restore': ('interlock handoff restore Echo',),
    'handoff regenerate': ('interlock handoff regenerate Echo',),
    'contracts': ('interlock contracts verify Echo',),
    'contracts seal': (
        'interlock contracts seal Echo',
        "interlock contracts seal Echo plan --amend 'the client asked for it'",
    ),
    'contracts verify': ('interlock contracts verify Echo',),
    'contracts restore': ('interlock contracts restore Echo',),
    'evidence': ('interlock evidence add Echo --kind test --result passed',),
    'evidence add': (
        'interlock evidence add Echo --kind test --result passed',
        "interlock evidence add Echo --stage 3 --kind build --result failed --text 'link'",
    ),
    'verify-state': ('interlock verify-state Echo',),
    'verify-update': (
        'interlock verify-update Echo --stage 3 --report report.json',
        'interlock verify-update Echo --stage 3 --report - --fallback',
    ),
    'commit-stage': (
        "interlock commit-stage Echo 3 -m 'it sounds'",
        "interlock commit-stage Echo 3 -m 'it sounds' --dry-run",
    ),
    'menu': ('interlock menu Echo', 'interlock menu Echo --choice continue'),
    'resume': ('interlock resume Echo', 'interlock resume Echo --json'),
    'resolve': ('interlock resolve', 'interlock resolve Echo --dry-run'),
    'task': ('interlock task select',),
    'task adopt': ('interlock task adopt bake-bread --session s-1',),
    'task check': ('interlock task check bake-bread',),
    'task clean': ('interlock task clean bake-bread',),
    'task list': ('interlock task list', 'interlock task list --all'),
    'task finish': ('interlock task finish bake-bread',),
    'task resume': ('interlock task resume bake-bread',),
    'task select': ('interlock task select', 'interlock task select bake-bread'),
    'task start': ('interlock task start bake-bread',),
    'lock': ('interlock lock list',),
    'lock list': ('interlock lock list',),
    'lock acquire': ('interlock lock acquire main --operation git-operation',),
    'lock release': ('interlock lock release main',),
    'lock show': ('interlock lock show bake-bread',),
    'lock settle': ('interlock lock settle bake-bread',),
    'lock log': ('interlock lock log bake-bread',),
    'lock confirm': ('interlock lock confirm', 'interlock lock confirm bake-bread'),
    'lock migrate-schema': ('interlock lock migrate-schema',),
    'lock restore': ('interlock lock restore bake-bread',),
    'lock migrate': ('interlock lock migrate --from file',),
    'gate': ('interlock gate bake-bread SYNTHESIS',),
    'transition': (
        'interlock transition bake-bread REQUIREMENTS',
        "interlock transition bake-bread CLASSIFIED --reason 'the scope changed'",
    ),
    'checkpoint': ('interlock checkpoint bake-bread --push',),
    'push': ('interlock push', 'interlock push bake-bread'),
    'present': ('interlock present bake-bread',),
    'approve': ('interlock approve bake-bread',),
    'agents': ('interlock agents check bake-bread',),
    'agents add': ("interlock agents add bake-bread cook --why 'knows bread'",),
    'agents check': ('interlock agents check bake-bread cook',),
    'trail': ('interlock trail check bake-bread',),
    'trail add': ('interlock trail add bake-bread build make --result SUCCESS',),
    'trail check': ('interlock trail check bake-bread',),
    'document': ('interlock document check handoff.md',),
    'document check': ('interlock document check handoff.md',),
    'document new': ('interlock document new --output handoff.md',),
    'document resume': ('interlock document resume handoff.md',),
    'state': ('interlock state show',),
    'state save': ('interlock state save --trigger manual <state.json',),
    'state update': ('interlock state update \'{"next_action": "test it"}\'',),
    'state load': ('interlock state load --format recovery',),
    'state show': ('interlock state show',),
    'state list': ('interlock state list',),
    'state send': ('interlock state send',),
    'state forget': ('interlock state forget',),
    'mcp': ('interlock mcp',),
    'init': (
        'interlock init --dry-run',
        'interlock init --git-hooks',
        f'interlock init --pre-commit --agent {NAMES[0]}',
    ),
    'config': ('interlock config show', 'interlock config validate'),
    'config show': ('interlock config show', 'interlock config show items'),
    'config validate': ('interlock config validate',),
    'config explain': (
        'interlock config explain frozen',
        'interlock config explain registry.columns',
    ),
    'uninstall': ('interlock uninstall --dry-run',),
    'doctor': ('interlock doctor', 'interlock doctor --canary'),
    'demo': ('interlock demo',),
    'completion': ('interlock completion install',),
    'completion install': (
        'interlock completion install',
        'interlock completion install --shell zsh',
    ),
    'completion show': ('eval "$(interlock completion show --shell bash)"',),
    'hook': ('interlock hook', 'interlock hook .git/COMMIT_EDITMSG'),
    'pre-push': ('interlock pre-push origin',),
    'pre-receive': ('interlock pre-receive --budget 60',),
    'prepare-commit-msg': ('interlock prepare-commit-msg .git/COMMIT_EDITMSG',),
    'post-commit': ('interlock post-commit',),
}


def epilog(path: str) -> str | None:
    """As click takes it: its lines are not to be wrapped."""
    lines = EXAMPLES.get(path, ())
    return (
        '\n'.join(['\b', 'Examples:', *(f'  {line}' for line in lines)])
        if lines
        else None
    )
