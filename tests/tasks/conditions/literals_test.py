from __future__ import annotations

from pathlib import Path

import pytest

from interlock.tasks import conditions
from interlock.tasks.conditions.gate import CONDITIONS
from tests.checks.literals_test import named_in
from tests.literals import literals

SOURCES = sorted(Path(str(conditions.__file__)).parent.glob('*.py'))
# the language of workflow files: the roles of keys, what is approved
LANGUAGE = {
    'plan',
    'changes',
    'evidence',
    'checkpoint',
    'agent',
    'approvals',
    'risk_reason',
    'session',
    *CONDITIONS,
    # the role of a decision, whatever its word is
    'approved',
    # what to do about agents
    'INVOKE_INCOMPLETE',
}


@pytest.mark.parametrize('source', SOURCES, ids=lambda path: path.name)
def test_no_word_of_a_preset_is_in_a_condition(source: Path) -> None:
    named = [
        (line, text, named_in(text))
        for line, text in literals(source.read_text(encoding='UTF-8'))
        if text.strip() not in LANGUAGE and named_in(text)
    ]
    assert named == []
