from __future__ import annotations

import pytest

from tests.conftest import Interlock, Repo
from tests.handoff_document import pages


def here(repo: Repo, text: str) -> str:
    return pages.about(repo.path, text)


def test_a_document_can_be_resumed_from(repo: Repo, interlock: Interlock) -> None:
    repo.commit({'caf-impl.md': '- [ ] un\n', 'café.py': 'x = 1\n'})
    repo.write({'handoff.md': here(repo, pages.page())})
    result = interlock('document', 'resume', 'handoff.md')
    assert result.code == 0, result.out
    assert '   ✓ branch main' in result.out
    assert f'   · {pages.CALL}' in result.out
    assert 'agent-1 (running): wait' in result.out
    assert '0 of 1 tasks done, next: un' in result.out
    assert interlock('document', 'resume', '-q', 'handoff.md').out == ''
    (repo.path / 'café.py').unlink()
    result = interlock('document', 'resume', '-q', 'handoff.md')
    assert result.code == 1
    assert '1 files are uncommitted, not 0' in result.out
    assert 'but the file does not exist' in result.out


VERIFY = (
    '| Task | Command | Expected | Actual |\n|---|---|---|---|\n'
    '| 1 | `touch couru; printf {} \\| wc -w` | 1 | - |'
)


@pytest.mark.parametrize(
    ('args', 'ran', 'command', 'code'),
    (((), False, 'a', 0), (('--run',), True, 'a', 0), (('--run',), True, '"a b"', 1)),
)
def test_verification_is_shown_and_run_if_that_is_asked(
    repo: Repo,
    interlock: Interlock,
    args: tuple[str, ...],
    ran: bool,
    command: str,
    code: int,
) -> None:
    repo.commit({'caf-impl.md': '# plan\n', 'café.py': 'x = 1\n'})
    text = pages.page({'1.13 Verify': VERIFY.format(command)})
    repo.write({'handoff.md': here(repo, text)})
    result = interlock('document', 'resume', 'handoff.md', *args)
    assert f'   $ touch couru; printf {command} | wc -w  # 1' in result.out
    assert (repo.path / 'couru').exists() == ran
    assert result.code == code
    if ran:
        assert f'exit 0, `{code + 1}`, expected `1`' in result.out
        assert result.out.index('$ touch') < result.out.index('exit 0')


def test_nothing_is_resumed_from_a_document_without_a_state(
    repo: Repo, interlock: Interlock
) -> None:
    repo.write({'handoff.md': '# A\n\nx\n'})
    result = interlock('document', 'resume', 'handoff.md')
    assert result.code == 1
    assert 'so there is nothing to resume from' in result.err
    assert 'next: interlock document check handoff.md' in result.err
    repo.write({'handoff.md': b'\xff'})
    result = interlock('document', 'resume', 'handoff.md')
    assert result.code == 1
    assert 'is not UTF-8 text' in result.err


def test_values_of_a_document_cannot_steer_a_terminal(
    repo: Repo, interlock: Interlock
) -> None:
    text = pages.page(None, pages.state(subagents__0__id='a\x1b[31m\nnext: rm -rf /'))
    repo.write(pages.files(repo.path, text))
    for command in ('check', 'resume'):
        result = interlock('document', command, 'handoff.md')
        assert '\x1b' not in result.out
        assert '\nnext: rm' not in result.out
