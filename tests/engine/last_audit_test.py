from __future__ import annotations

from pathlib import Path

import pytest

from interlock.engine import last_audit
from interlock.engine.last_audit import AuditSummary
from interlock.model.finding import Finding, Fix
from interlock.rules.new_finding import Location

AT = '2026-01-02T03:04:05Z'


def found(code: str, item: str) -> Finding:
    fix = Fix('look', 'git diff')
    return Location(item, 'PLUGINS.md').finding(code, 'é', fix=fix)


def test_what_was_left_is_read_again(tmp_path: Path) -> None:
    state = str(tmp_path)
    assert last_audit.last_summary(state) is None
    last_audit.save_summary(
        state,
        [
            found('REG001', 'Brävo'),
            found('REG004', 'Brävo'),
            found('REG001', 'Alpha'),
            found('REG012', 'Alpha'),
        ],
        AT,
    )
    assert last_audit.last_summary(state) == AuditSummary(
        AT, 2, 1, {'Brävo': 2, 'Alpha': 1}
    )
    last_audit.save_summary(state, [], AT)
    assert last_audit.last_summary(state) == AuditSummary(AT, 0, 0, {})


@pytest.mark.parametrize(
    'data',
    (
        b'',
        b'{',
        b'[]',
        b'7',
        b'{"at": 1}',
        b'\xff',
        b'{"at": "x", "errors": 1, "warnings": 0, "items": []}',
        b'{"at": "x", "errors": "many", "warnings": 0, "items": {}}',
    ),
)
def test_a_damaged_file_says_nothing(tmp_path: Path, data: bytes) -> None:
    path = Path(last_audit.path_of(str(tmp_path)))
    path.parent.mkdir()
    path.write_bytes(data)
    assert last_audit.last_summary(str(tmp_path)) is None


def test_a_place_that_cannot_be_written_is_not_a_failure(tmp_path: Path) -> None:
    (tmp_path / 'interlock').write_text('')
    last_audit.save_summary(str(tmp_path), [found('REG001', 'Alpha')], AT)
    assert last_audit.last_summary(str(tmp_path)) is None
