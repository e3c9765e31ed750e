from __future__ import annotations

from pathlib import Path

import pytest

# a failed assert of a helper shows what it compared, like one of a test
pytest.register_assert_rewrite(
    *(f'{__name__}.{path.stem}' for path in Path(__file__).parent.iterdir())
)
