from __future__ import annotations

import pytest

from interlock.guard.task_agents import review_decision

WORDS = ('APPROVED', 'REJECTED')


@pytest.mark.parametrize(
    ('message', 'decided'),
    (
        ('FINAL DECISION: APPROVED - all is well', 'APPROVED'),
        ('words\n\nFINAL DECISION: ✅ APPROVED - très bien\n\n', 'APPROVED'),
        ('FINAL DECISION: ❌ REJECTED - no tests', 'REJECTED'),
        ('**FINAL DECISION: ✅ APPROVED** — bien', 'APPROVED'),
        ('FINAL DECISION: APPROVED', ''),
        ('FINAL DECISION: APPROVED -', ''),
        ('FINAL DECISION: approved - bien', ''),
        ('FINAL DECISION: MAYBE - bien', ''),
        ('FINAL DECISION: NOT APPROVED - bien', ''),
        ('FINAL DECISION: APPROVED - bien\nand more', ''),
        ('I say FINAL DECISION: APPROVED - bien', ''),
        ('DECISION: APPROVED - bien', ''),
        ('', ''),
    ),
)
def test_the_last_line_decides(message: str, decided: str) -> None:
    assert review_decision(message, 'FINAL DECISION:', WORDS) == decided
