"""Workflows whose rules are to be broken, and what is planted for them."""

from __future__ import annotations

from interlock.doctor.canary.attempt import Plan
from interlock.doctor.canary.governing import GovernedTree
from interlock.doctor.canary.plan import plan
from interlock.workflow.language.build import build
from interlock.workflow.language.compile import compile_workflow
from interlock.workflow.language.spec import Workflow
from tests.checks import bakery
from tests.formats import language_test
from tests.formats.presets_test import FORMATS

FILE = '.interlock.yaml'
DOCUMENTS = 'documents: {handoffs: ["überge*/**.md"], markdown: ["notes/*.md"]}\n'
PLUGINS = 'version: 1\nextends: plugin-workflow\n'
TASKS = 'version: 1\nextends: task-protocol\n'
EVERYTHING = (
    f'version: 1\nextends: [plugin-workflow, task-protocol, spec-kit]\n{DOCUMENTS}'
    f'gate_trailer: Interlock-Gate\n'
)
# a registry of rows alone, and nothing else
ROWS = """\
version: 1
items:
  page:
    path: pages/{item}
    registry:
      file: PAGES.md
      layout: distributed
      columns: {item: Page, status: State}
      notes: pages/{item}/notes.md
      entry: {fields: {status: State}}
    states:
      new: {role: before}
      live: {role: done}
    transitions:
      - {from: nothing, to: new}
      - {from: new, to: live}
"""
# handoffs that no registry knows, with proof of what was tried
HANDOFFS = """\
version: 1
items:
  job:
    path: jobs/{item}
    states:
      one: {role: stage, stage: a}
      two: {role: stage, stage: b, phased: true}
    transitions:
      - {from: nothing, to: one}
      - {from: one, to: two}
    handoff:
      file: jobs/{item}/next.md
      keys: {item: job, stage: at}
      evidence: proof
    gates:
      two: {evidence: [test]}
"""
WORKFLOWS = {
    'plugins': PLUGINS,
    'tasks': TASKS,
    'everything': EVERYTHING,
    'milestones': f'{PLUGINS}display: milestones\n',
    'bakery': bakery.FIELDS,
    'bakery with frontmatter': bakery.FRONTMATTER,
    'rows': ROWS,
    'handoffs': HANDOFFS,
    'formats': f'version: 1\nextends: [{", ".join(FORMATS)}]\n',
    'a format of ones own': language_test.WORKFLOW,
}


def workflow(text: str) -> Workflow:
    merged, _ = compile_workflow(FILE, text.encode(), lambda path: None)
    return build(merged, FILE, FILE)


def planned(text: str) -> Plan:
    return plan(GovernedTree(workflow(text), text.encode(), None))
