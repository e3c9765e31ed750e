"""The variables by which a session says which one it is."""
from __future__ import annotations

SESSIONS = ('INTERLOCK_SESSION', 'CLAUDE_CODE_SESSION_ID')
