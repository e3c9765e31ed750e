"""A third workflow: recipes of a bakery, with words and files of its own."""

from __future__ import annotations

import hashlib

WORKFLOW = """\
version: 1
items:
  recipe:
    path: bücher/{item}
    registry:
      file: docs/REZEPTE.md
      columns: {item: Rezept, status: Stand, updated: Geändert}
      entry:
        file: bücher/{item}/karte.md
        format: FORMAT
        fields: {status: Stand, updated: Geändert}
        timelines: [Verlauf]
    states:
      Idee: {role: before, emoji: 🌱}
      Teig: {stage: teig, aliases: {Kneten: 👐}}
      Ofen: {stage: ofen, phased: true, emoji: 🔥}
      Kruste: {stage: kruste}
      Verkauft: {role: done, handoff: stale}
    transitions:
      - {from: nothing, to: Idee}
      - {from: Idee, to: Teig}
      - {from: Teig, to: Ofen}
      - {from: Ofen, to: Kruste}
      - {from: Kruste, to: Verkauft}
      - from: any
        to: Idee
        severity: warning
        reason: Grund
        hint: von vorn
    handoff:
      file: bücher/{item}/weiter.txt
      keys:
        item: rezept
        stage: schritt
        phase: runde
        status: zustand
        updated: vom
        checksums: siegel
      statuses: [läuft, fertig]
      status_from: Teig
      planned: {state: Teig, status: fertig}
      fields:
        mehl: {type: number, minimum: 1, maximum: 9, planned: true}
      sections: {expected: [Nächstes]}
    contracts:
      algorithm: sha512
      frozen: [Ofen, Kruste]
      amendment: Aenderung
      files:
        zutaten: {paths: ['bücher/{item}/zutaten.txt'], made_by: der Koch}
    gates:
      Ofen: {contracts: [zutaten]}
    deliverables:
      Kruste: [{paths: ['bücher/{item}/fotos/*.jpg'], must: change}]
    commit:
      prefixes: ['{item}: ', 'brot/{item} - ']
      subjects: ['ist jetzt {state}', '{state} fertig']
      words: [schritt]
"""
FIELDS = WORKFLOW.replace('FORMAT', 'fields')
FRONTMATTER = WORKFLOW.replace('FORMAT', 'frontmatter')

REGISTRY = 'docs/REZEPTE.md'
CARD = 'bücher/Roggenbrot/karte.md'
HANDOFF = 'bücher/Roggenbrot/weiter.txt'
CONTRACT = 'bücher/Roggenbrot/zutaten.txt'
INGREDIENTS = 'Roggen, Wasser, Salz\n'


def seal(text: str = INGREDIENTS) -> str:
    return f'sha512:{hashlib.sha512(text.encode()).hexdigest()}'


def registry(status: str, day: str = '2026-03-04') -> str:
    return (
        '# Rezepte\n\n| Geändert | Stand | Rezept |\n|---|---|---|\n'
        f'| {day} | {status} | Roggenbrot |\n'
    )


def card(status: str, form: str, day: str = '2026-03-04') -> str:
    if form == 'fields':
        head = f'**Stand:** {status}\n**Geändert:** {day}\n'
    else:
        head = f'---\nStand: {status}\nGeändert: {day}\n---\n'
    return f'{head}\n# Karte\n\n**Verlauf:**\n- 2026-03-01 Anfang\n'


def handoff(step: str, turn: str = 'null', **fields: str) -> str:
    values = {
        'rezept': 'Roggenbrot',
        'schritt': step,
        'runde': turn,
        'zustand': 'fertig',
        'vom': '2026-03-04',
        'mehl': '5',
        **fields,
    }
    lines = '\n'.join(f'{key}: {value}' for key, value in values.items())
    sealed = f'siegel: {{zutaten: "{seal()}"}}'
    return f'---\n{lines}\n{sealed}\n---\n## Nächstes\n\nbacken\n'


def bread(
    form: str,
    status: str,
    step: str = '',
    turn: str = 'null',
    row: str = '',
    **fields: str,
) -> dict[str, str]:
    files = {
        REGISTRY: registry(row or status),
        CARD: card(status, form),
        CONTRACT: INGREDIENTS,
    }
    if step:
        files[HANDOFF] = handoff(step, turn, **fields)
    return files
