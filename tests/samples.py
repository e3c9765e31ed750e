"""A small project that follows the preset `plugin-workflow`."""

from __future__ import annotations

from interlock.demo.project_files import CONTRACTS as CONTRACTS
from interlock.demo.project_files import EMOJI as EMOJI
from interlock.demo.project_files import EVIDENCE as EVIDENCE
from interlock.demo.project_files import HEAD as HEAD
from interlock.demo.project_files import TAIL as TAIL
from interlock.demo.project_files import WORKFLOW as WORKFLOW
from interlock.demo.project_files import checksum as checksum
from interlock.demo.project_files import checksums as checksums
from interlock.demo.project_files import contract as contract
from interlock.demo.project_files import entry as entry
from interlock.demo.project_files import handoff as handoff
from interlock.demo.project_files import handoff_path as handoff_path
from interlock.demo.project_files import item_files as item_files
from interlock.demo.project_files import registry as registry
from interlock.demo.project_files import row as row
from interlock.demo.project_files import styled as styled

# a project that keeps no handoffs, and asks nobody what was tried
UNTRIED = (
    f'{WORKFLOW}items: {{plugin: {{gates: {{Stage 3: {{evidence: []}},'
    f' Stage 4: {{evidence: []}}, Stage 5: {{evidence: []}}}}}}}}\n'
    f'severity: {{HND011: off}}\n'
)

# what the fixture `project` holds, and a change of it that must be refused
STATUSES = {'Alpha': 'Ideated', 'Bravo': 'Stage 2', 'Charlie': 'Installed'}
DRIFT = {'PLUGINS.md': registry(STATUSES, {'Bravo': 'Stage 3'})}
