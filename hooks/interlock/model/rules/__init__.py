from __future__ import annotations

from interlock.model.rules import claude
from interlock.model.rules import commit
from interlock.model.rules import contracts
from interlock.model.rules import document
from interlock.model.rules import gates
from interlock.model.rules import handoff
from interlock.model.rules import locks
from interlock.model.rules import plans
from interlock.model.rules import registry
from interlock.model.rules import stages
from interlock.model.rules import state
from interlock.model.rules import workflow
from interlock.model.rules.rule import Rule

RULES: dict[str, Rule] = {
    rule.code: rule
    for module in (
        registry, contracts, stages, gates, plans, locks, commit, handoff,
        workflow, state, document, claude,
    )
    for rule in module.RULES
}
