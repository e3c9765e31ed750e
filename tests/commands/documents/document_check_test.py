from __future__ import annotations

import json
import os
import sqlite3
import subprocess
from pathlib import Path
from typing import Any

import pytest

from interlock.handoff_document.facts import plan_folder
from interlock.state.store import open_store
from interlock.workflow.language.json_schema import violations
from tests import samples
from tests.conftest import SCRIPTS, Interlock, Repo
from tests.handoff_document import pages


def here(repo: Repo, text: str) -> str:
    return pages.about(repo.path, text)


def written(repo: Repo, text: str) -> str:
    repo.write(pages.files(repo.path, text))
    return 'handoff.md'


def findings(repo: Repo, interlock: Interlock, text: str) -> list[Any]:
    name = written(repo, text)
    result = interlock('document', 'check', name, '--format', 'json')
    assert result.code in {0, 1}
    found: list[Any] = json.loads(result.out)['findings']
    refused = any(each['severity'] == 'error' for each in found)
    assert result.code == refused
    return found


def errors(repo: Repo, interlock: Interlock, text: str) -> list[str]:
    return [
        each['code']
        for each in findings(repo, interlock, text)
        if each['severity'] == 'error'
    ]


def test_a_good_document_passes(repo: Repo, interlock: Interlock) -> None:
    assert errors(repo, interlock, pages.page()) == []


def test_a_report_names_line_severity_and_fix(repo: Repo, interlock: Interlock) -> None:
    text = pages.page({'0.2 Reads': 'see design doc'})
    (finding,) = [
        each for each in findings(repo, interlock, text) if each['code'] == 'DOC002'
    ]
    line = pages.line_of(text, '0.2 Reads')
    assert finding['line'] == line
    assert finding['path'] == 'handoff.md'
    assert finding['severity'] == 'error'
    assert finding['check'] == 'document'
    assert finding['fix'] == {
        'label': 'write Read("/absolute/path"), or `NO DOCUMENTS`',
        'command': '',
    }
    shown = interlock('document', 'check', 'handoff.md')
    assert f'handoff.md:{line}: error: DOC002 0.2 has no call' in (shown.out)


def test_the_report_follows_its_schema(repo: Repo, interlock: Interlock) -> None:
    name = written(repo, pages.page())
    result = interlock('document', 'check', name, '--format', 'json')
    data = json.loads(result.out)
    assert violations(data, 'report.schema.json') == []
    answers = [each['answer'] for each in data['quality']]
    assert len(answers) == 34
    assert answers.count('not decidable') == 6


@pytest.mark.parametrize('form', ('text', 'sarif', 'junit', 'github', 'agent'))
def test_a_document_is_reported_in_every_format(
    repo: Repo, interlock: Interlock, form: str
) -> None:
    name = written(repo, pages.page({'0.2 Reads': 'see'}))
    result = interlock('document', 'check', name, '--format', form)
    assert result.code == 1
    assert 'DOC002' in result.out


def test_what_cannot_be_decided_is_said(repo: Repo, interlock: Interlock) -> None:
    name = written(repo, pages.page())
    result = interlock('document', 'check', name)
    assert 'quality check: 19 of 34 yes, 0 no' in result.out
    assert 'not decided without --transcript (9):' in result.out
    assert 'not decidable by a program (6):' in result.out
    assert '    l.747 ' in result.out
    more = interlock('document', 'check', '-v', name)
    assert 'yes (19):' in more.out
    assert interlock('document', 'check', '-q', name).out.count('l.') == 0


def transcript(repo: Repo) -> str:
    lines = [
        {'type': 'user', 'message': {'content': 'bâtis le café'}},
        {'type': 'user', 'message': {'content': 'Non, en rouge.'}},
        {
            'type': 'assistant',
            'message': {
                'content': [
                    {
                        'type': 'tool_use',
                        'name': 'Skill',
                        'input': {'skill': 'peindre'},
                    },
                    {
                        'type': 'tool_use',
                        'name': 'TodoWrite',
                        'input': {
                            'todos': [{'content': 'Peindre', 'status': 'pending'}]
                        },
                    },
                ]
            },
        },
    ]
    repo.write({'session.jsonl': ''.join(json.dumps(line) + '\n' for line in lines)})
    return 'session.jsonl'


def test_a_transcript_decides_the_rest(repo: Repo, interlock: Interlock) -> None:
    name = written(repo, pages.page())
    result = interlock(
        'document', 'check', name, '--transcript', transcript(repo), '--format', 'json'
    )
    # partly decidable ones are warnings, and refuse nothing
    assert result.code == 0
    found = json.loads(result.out)
    assert {'DOC015', 'DOC043', 'DOC045', 'DOC046', 'DOC048'} <= {
        each['code'] for each in found['findings']
    }
    assert 'not decided' not in {each['answer'] for each in found['quality']}


def test_a_transcript_that_is_missing_is_refused(
    repo: Repo, interlock: Interlock
) -> None:
    name = written(repo, pages.page())
    result = interlock('document', 'check', name, '--transcript', 'none')
    assert result.code == 2
    assert 'the transcript none cannot be read' in result.err


@pytest.mark.parametrize(
    'data',
    (
        pytest.param(b'', id='empty'),
        pytest.param(b'bonjour\n', id='prose'),
        pytest.param(b'{"a": 1}\n[]\n"user"\n', id='other JSON'),
        pytest.param(b'\x7fELF\x00\xff', id='binary'),
    ),
)
def test_what_is_not_a_transcript_answers_nothing(
    repo: Repo, interlock: Interlock, data: bytes
) -> None:
    name = written(repo, pages.page())
    repo.write({'session.jsonl': data})
    result = interlock('document', 'check', name, '--transcript', 'session.jsonl')
    assert (result.code, result.out) == (2, '')
    assert 'session.jsonl is not a transcript' in result.err


def test_a_plan_that_the_transcript_names_by_the_workflows_names(
    repo: Repo, interlock: Interlock, tmp_path: Path
) -> None:
    odd = tmp_path / 'fahrplan.md'
    odd.write_text('# plan')
    workflow = (
        f'{samples.WORKFLOW}documents:\n  plans:\n'
        f"    patterns: ['*-impl.md', 'fahrplan*']\n"
    )
    said = {'type': 'user', 'message': {'content': f'nach {odd}'}}
    repo.write({'session.jsonl': json.dumps(said)})
    args = ('handoff.md', '--transcript', 'session.jsonl')
    written(repo, pages.page())
    assert 'the plan `' not in interlock('document', 'check', *args).out
    repo.write({'.interlock.yaml': workflow})
    result = interlock('document', 'check', *args)
    assert result.code == 1
    assert f'the plan `{odd}` exists, and 1.9 does not name it' in result.out


@pytest.mark.parametrize(
    ('data', 'why'),
    (
        pytest.param('é'.encode('latin-1'), 'is not UTF-8 text', id='latin'),
        pytest.param('x'.encode('utf-16'), 'is UTF-16 text', id='utf-16'),
        pytest.param(b'a\0b', 'holds a NUL byte', id='nul'),
    ),
)
@pytest.mark.parametrize('option', ((), ('--partial',)))
def test_a_file_that_is_not_text_is_a_finding(
    repo: Repo, interlock: Interlock, data: bytes, why: str, option: tuple[str, ...]
) -> None:
    repo.write({'handoff.md': data})
    result = interlock('document', 'check', 'handoff.md', *option)
    assert result.code == 1
    assert 'DOC032' in result.out
    assert why in result.out


def test_frontmatter_that_makes_no_sense_is_a_finding(
    repo: Repo, interlock: Interlock
) -> None:
    repo.write({'handoff.md': f'---\na: [\n---\n{pages.page()}'})
    result = interlock('document', 'check', 'handoff.md')
    assert result.code == 1
    assert 'DOC032 it is not valid YAML' in result.out


def test_a_file_that_is_too_large_is_a_finding(
    repo: Repo, interlock: Interlock
) -> None:
    with open(repo.path / 'handoff.md', 'wb') as f:
        f.truncate(33 * 1024 * 1024)
    result = interlock('document', 'check', 'handoff.md')
    assert result.code == 1
    assert 'is too large to be read' in result.out


@pytest.mark.parametrize('name', ('none.md', '.', '/dev/null'))
@pytest.mark.parametrize('command', ('check', 'resume'))
def test_a_path_that_is_not_a_file_is_refused(
    repo: Repo, interlock: Interlock, name: str, command: str
) -> None:
    result = interlock('document', command, name)
    assert result.code == 2
    assert f'there is no file {name}' in result.err


def test_a_document_needs_neither_git_nor_a_workflow(
    tmp_path: Path, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv('PATH', '')
    place = Repo(tmp_path)
    assert errors(place, interlock, pages.page()) == []


def test_a_broken_workflow_is_refused(repo: Repo, interlock: Interlock) -> None:
    repo.write({'.interlock.yaml': 'documents: {plans: {rot: x}}\n'})
    result = interlock('document', 'check', written(repo, pages.page()))
    assert result.code == 2
    assert 'unknown key `rot`; did you mean `root`?' in result.err


def test_the_search_for_plans_is_repeated(repo: Repo, interlock: Interlock) -> None:
    root = Path(plan_folder(str(repo.path)))
    root.mkdir(parents=True)
    (root / 'idée.md').write_text('x')
    repo.write(
        {
            '.gitignore': 'vieux/\n',
            'vieux/x-plan.md': 'x',
            'docs/x-design.md': 'x',
            'docs/autre.md': 'x',
        }
    )
    told = {
        each['expected']
        for each in findings(repo, interlock, pages.page())
        if each['code'] == 'DOC006'
    }
    assert told == {str(root / 'idée.md'), str(repo.path / 'docs/x-design.md')}


def test_a_linked_worktree_has_the_plans_of_its_project(
    repo: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.commit({'a.md': 'x'})
    tree = repo.path.parent / 'arbre'
    repo.git('worktree', 'add', '-q', str(tree), '-b', 'b')
    for top in (repo.path, tree):
        root = Path(plan_folder(str(top)))
        root.mkdir(parents=True)
        (root / f'{top.name}.md').write_text('x')
    monkeypatch.chdir(tree)
    told = {
        os.path.basename(each['expected'])
        for each in findings(Repo(tree), interlock, pages.page())
        if each['code'] == 'DOC006'
    }
    assert told == {'répo.md', 'arbre.md'}


def test_where_plans_are_is_configuration(repo: Repo, interlock: Interlock) -> None:
    repo.write(
        {
            '.interlock.yaml': (
                f'{samples.WORKFLOW}documents:\n  plans:\n'
                "    root: ~/projets/{project}\n    patterns: ['*.plan']\n"
            ),
            'x.plan': 'x',
            'y-impl.md': 'x',
        }
    )
    home = Path(os.environ['HOME'])
    name = str(repo.path)[1:].replace('/', '-')
    (home / 'projets' / name).mkdir(parents=True)
    (home / 'projets' / name / 'z').write_text('x')
    told = {
        each['expected']
        for each in findings(repo, interlock, pages.page())
        if each['code'] == 'DOC006'
    }
    assert told == {str(repo.path / 'x.plan'), str(home / 'projets' / name / 'z')}


def automatic() -> str:
    return pages.page(None, pages.state(mode='auto'))


def test_an_automatic_document_is_compared_with_the_store(
    repo: Repo, interlock: Interlock, store: Path
) -> None:
    assert errors(repo, interlock, automatic()) == ['DOC018']
    # only looked at: nothing is made where nothing was
    assert not store.exists()
    with open_store(os.environ) as found:
        found.save(str(repo.path), {'mode': 'auto'}, 'auto')
    assert errors(repo, interlock, automatic()) == []
    with sqlite3.connect(store) as db:
        db.execute("UPDATE workflow_state SET updated_at = '2020-01-01'")
    db.close()
    assert errors(repo, interlock, automatic()) == ['DOC018']


def test_a_damaged_store_is_not_a_saved_state(
    repo: Repo, interlock: Interlock, store: Path
) -> None:
    store.write_bytes(b'no database at all, but long enough to be one' * 50)
    name = written(repo, automatic())
    result = interlock('document', 'check', name)
    assert result.code == 2
    assert 'is damaged' in result.err
    assert interlock('document', 'check', written(repo, pages.page())).code == 0


def test_checkpoints_are_looked_up_in_git(repo: Repo, interlock: Interlock) -> None:
    commit = repo.commit({'a.md': 'x'})
    point = {'name': 'a', 'git_ref': commit, 'scope': 'x', 'command': 'y'}
    good = pages.page(None, pages.state(recovery__checkpoints=[point]))
    assert errors(repo, interlock, good) == []
    bad = good.replace(commit, 40 * 'd')
    assert errors(repo, interlock, bad) == ['DOC016']


def test_the_environment_is_asked_of_git_without_the_document(
    repo: Repo, interlock: Interlock
) -> None:
    repo.commit({'caf-impl.md': '# plan\n', 'café.py': 'x = 1\n'})
    told = findings(repo, interlock, pages.page())
    assert [each for each in told if each['code'] == 'DOC028'] == []
    repo.write({'neuf': 'x'})
    repo.git('checkout', '-q', '-b', 'autre')
    told = findings(repo, interlock, pages.page())
    assert [each['expected'] for each in told if each['code'] == 'DOC028'] == [
        'autre',
        '1',
    ]


def test_lost_subsections_are_told_beside_the_committed_version(
    repo: Repo, interlock: Interlock
) -> None:
    repo.commit({'doc.md': '# A\n\nx.\n\n## B\n\nx.\n'})
    repo.write({'doc.md': '# A\n\nx.\n'})
    result = interlock('document', 'check', '--partial', 'doc.md')
    assert result.code == 0
    assert 'has lost its subsections (`B`' in result.out


def test_signs_of_partial_work_are_found_in_any_file(
    repo: Repo, interlock: Interlock
) -> None:
    repo.write({'doc.md': '# A\n\nx.\n\n```\nouvert\n'})
    result = interlock('document', 'check', '--partial', 'doc.md')
    assert result.code == 1
    assert 'doc.md:5: error: DOC027 the code block is not closed' in (result.out)
    assert 'quality check' not in result.out
    repo.write({'doc.md': '# A\n\nx.\n'})
    assert interlock('document', 'check', '--partial', 'doc.md').out == ''


def test_partial_work_asks_no_transcript(interlock: Interlock) -> None:
    result = interlock('document', 'check', '--partial', '--transcript', 'x', 'y')
    assert result.code == 2


def test_a_document_that_says_nothing_is_refused_in_every_respect(
    repo: Repo, interlock: Interlock
) -> None:
    repo.write({'handoff.md': ''})
    result = interlock('document', 'check', 'handoff.md', '--format', 'json')
    assert result.code == 1
    assert {'DOC005', 'DOC031'} == set(result.codes)


def test_the_console_script_judges_the_staged_documents(repo: Repo) -> None:
    repo.commit(
        {
            '.interlock.yaml': (
                f'{samples.WORKFLOW}documents: {{markdown: ["docs/**"]}}\n'
            ),
            'PLUGINS.md': samples.registry({'Alpha': 'Ideated'}),
        }
    )
    repo.stage({'docs/à.md': '# A\n\n```\n'})

    def hook() -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            (str(SCRIPTS / 'interlock-document'),),
            capture_output=True,
            text=True,
            env=dict(os.environ),
        )

    refused = hook()
    assert refused.returncode == 1
    assert 'docs/à.md:3: error: DOC027' in refused.stdout
    repo.stage({'docs/à.md': '# A\n\nx.\n'})
    assert hook().returncode == 0


def test_a_hook_without_documents_to_judge_is_refused(project: Repo) -> None:
    process = subprocess.run(
        (str(SCRIPTS / 'interlock-document'),),
        capture_output=True,
        text=True,
        env=dict(os.environ),
    )
    assert process.returncode == 2
    assert 'the workflow does not name any documents' in process.stderr
    assert "next: add `documents: {markdown: ['**.md']}` to " in (process.stderr)
