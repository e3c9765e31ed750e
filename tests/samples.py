"""A small project that follows the preset `plugin-workflow`."""

from __future__ import annotations

import hashlib
import json

from interlock.model.quick_typing import Mapping

EMOJI = {'Ideated': '💡', 'Working': '✅', 'Installed': '📦', 'Improving': '🚧'}
CONTRACTS = {
    'creative_brief': 'creative-brief.md',
    'parameter_spec': 'parameter-spec.md',
    'architecture': 'architecture.md',
    'plan': 'plan.md',
}
WORKFLOW = 'version: 1\nextends: plugin-workflow\n'
# what the gates of the preset ask for
EVIDENCE = """\
evidence:
  3.test: passed 2026-01-02
  4.test: passed 2026-01-02
  5.test: passed 2026-01-02"""

HEAD = """\
# Plugin registry

- **🚧 Stage N** - in development

| Plugin Name | Status | Version | Last Updated |
|-------------|--------|---------|--------------|
"""
TAIL = """
## Entry template

```markdown
### [Name]

**Status:** [Emoji] **[State]**
```
"""


def styled(status: str) -> str:
    word = status.split(' (')[0]
    return f'{EMOJI.get(word, "🚧")} {status}'


def row(name: str, status: str, day: str = '2026-01-02') -> str:
    return f'| {name} | {styled(status)} | - | {day} |\n'


def entry(name: str, status: str, day: str = '2026-01-02') -> str:
    emoji, _, text = styled(status).partition(' ')
    return (
        f'\n### {name}\n\n**Status:** {emoji} **{text}**\n'
        f'**Created:** 2026-01-01\n**Type:** Audio Effect\n\n'
        f'**Description:**\nWarm — très doux.\n\n'
        f'**Lifecycle Timeline:**\n- **2026-01-01:** Brief\n\n'
        f'**Last Updated:** {day}\n'
    )


def registry(statuses: Mapping[str, str], rows: Mapping[str, str] | None = None) -> str:
    """Rows and entries; `rows` for those whose status differs."""
    table = {**statuses, **(rows or {})}
    return (
        HEAD
        + ''.join(row(name, text) for name, text in table.items())
        + ''.join(entry(name, text) for name, text in statuses.items())
        + TAIL
    )


def contract(item: str, name: str) -> str:
    return f'# {name} of {item}\n\nDécidé une fois pour toutes.\n'


def checksum(text: str) -> str:
    return f'sha256:{hashlib.sha256(text.encode()).hexdigest()}'


def checksums(item: str) -> dict[str, str]:
    return {name: checksum(contract(item, name)) for name in CONTRACTS}


def handoff(
    item: str,
    stage: str = '2',
    phase: str = 'null',
    status: str = 'complete',
    sums: Mapping[str, str] | None = None,
    **fields: str,
) -> str:
    values = {
        'plugin': item,
        'stage': stage,
        'phase': phase,
        'status': status,
        'last_updated': '2026-01-02',
        'complexity_score': '1.2',
        'phased_implementation': 'false',
        'orchestration_mode': 'true',
        'next_action': 'null',
        'next_phase': 'null',
        **fields,
    }
    lines = [f'{key}: {value}' for key, value in values.items() if value]
    if 'evidence' not in fields:
        lines.append(EVIDENCE)
    sums = checksums(item) if sums is None else sums
    if sums:
        lines.append('contract_checksums:')
        lines.extend(f'  {name}: {text}' for name, text in sums.items())
    front = '\n'.join(lines)
    return (
        f'---\n{front}\n---\n\n# Resume\n\n## Current State: done\n\n'
        f'## Completed So Far\n\n- **Stage 0:** yes\n\n'
        f'## Next Steps\n\n1. go\n'
    )


def item_files(item: str) -> dict[str, str]:
    """The contracts and the code of an item."""
    ideas = f'plugins/{item}/.ideas'
    return {
        **{f'{ideas}/{file}': contract(item, name) for name, file in CONTRACTS.items()},
        f'plugins/{item}/CMakeLists.txt': f'project({item})\n',
        f'plugins/{item}/Source/Main.cpp': '// 1\n',
    }


def handoff_path(item: str) -> str:
    return f'plugins/{item}/.continue-here.md'


# a project that keeps no handoffs, and asks nobody what was tried
UNTRIED = (
    f'{WORKFLOW}items: {{plugin: {{gates: {{Stage 3: {{evidence: []}},'
    f' Stage 4: {{evidence: []}}, Stage 5: {{evidence: []}}}}}}}}\n'
    f'severity: {{HND011: off}}\n'
)

# what the fixture `project` holds, and a change of it that must be refused
STATUSES = {'Alpha': 'Ideated', 'Bravo': 'Stage 2', 'Charlie': 'Installed'}
DRIFT = {'PLUGINS.md': registry(STATUSES, {'Bravo': 'Stage 3'})}


# files of a project that call us
CALLERS: dict[str, str] = {
    '.claude/settings.json': json.dumps(
        {
            'hooks': {
                'PreToolUse': [
                    {
                        'matcher': 'Edit',
                        'hooks': [
                            {
                                'type': 'command',
                                'command': 'interlock-claude',
                                'args': ['PreToolUse'],
                                'timeout': 5,
                            }
                        ],
                    }
                ]
            }
        }
    ),
    '.pre-commit-config.yaml': (
        'repos:\n- repo: local\n  hooks:\n  - id: interlock\n'
        '    entry: interlock hook\n'
    ),
}
