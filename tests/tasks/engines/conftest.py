from __future__ import annotations

import pytest

from tests.conftest import Interlock
from tests.spaces import Space
from tests.tasks.engines.team import Team, make_team


@pytest.fixture
def team(space: Space, interlock: Interlock, monkeypatch: pytest.MonkeyPatch) -> Team:
    return make_team(space, interlock, monkeypatch)
