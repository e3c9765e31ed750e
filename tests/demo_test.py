from __future__ import annotations

from demo.run import _ours


def test_the_demo_shows_every_finding_of_a_refusal() -> None:
    output = '''\
interlock................................................................Failed
- hook id: interlock
- exit code: 1

PLUGINS.md:7: REG001 Écho: the row says `a`, the entry says `b`
    bring the row in line with the entry: interlock check --fix
message: COM005 Écho: hidden
    say it: git commit
interlock: refused: 2 errors (interlock explain REG001)
'''
    assert list(_ours(output)) == [
        'PLUGINS.md:7: REG001 Écho: the row says `a`, the entry says `b`',
        '    bring the row in line with the entry: interlock check --fix',
        'message: COM005 Écho: hidden',
        '    say it: git commit',
        'interlock: refused: 2 errors (interlock explain REG001)',
    ]
