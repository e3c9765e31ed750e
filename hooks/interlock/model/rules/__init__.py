from __future__ import annotations

from interlock.model.rules import commit
from interlock.model.rules import contracts
from interlock.model.rules import handoff
from interlock.model.rules import registry
from interlock.model.rules import stages
from interlock.model.rules import workflow
from interlock.model.rules.rule import Rule

RULES: dict[str, Rule] = {
    rule.code: rule
    for module in (registry, contracts, stages, commit, handoff, workflow)
    for rule in module.RULES
}
