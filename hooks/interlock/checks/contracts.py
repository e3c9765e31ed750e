from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from typing import NamedTuple

from interlock.checks.compare import judge_items
from interlock.checks.compare import moved_items
from interlock.documents import yaml
from interlock.documents.text import shown
from interlock.model.change import Change
from interlock.model.change import Message
from interlock.model.finding import ERROR
from interlock.model.finding import Finding
from interlock.model.finding import Fix
from interlock.model.finding import WARNING
from interlock.model.make import finding
from interlock.model.remedy import edit
from interlock.model.remedy import restore
from interlock.workflow.planned import is_planned
from interlock.workflow.records import handoff_state
from interlock.workflow.records import is_null
from interlock.workflow.records import Records
from interlock.workflow.spec import ContractSpec
from interlock.workflow.spec import ContractsSpec
from interlock.workflow.spec import DONE
from interlock.workflow.spec import Workflow
from interlock.workflow.status import label
from interlock.workflow.template import expand

BOM = b'\xef\xbb\xbf'


class Seal(NamedTuple):
    contract: ContractSpec
    text: str
    line: int


def _checksums(at: Records) -> yaml.Node | None:
    assert at.kind.handoff is not None and at.current is not None
    return at.current.handoff.get(at.kind.handoff.keys['checksums'])


def _seals(at: Records) -> Iterator[Seal]:
    """What the handoff records; null and a missing key record nothing."""
    node = _checksums(at)
    if not isinstance(node, yaml.Mapping) or at.kind.contracts is None:
        return
    for contract in at.kind.contracts.files:
        value = node.items.get(contract.name)
        if not is_null(value):
            text = value.text if isinstance(value, yaml.Scalar) else '...'
            yield Seal(contract, text, node.lines[contract.name])


def _path(contract: ContractSpec, at: Records) -> str:
    """Where the contract lies: the first of its places that exists."""
    paths = [expand(path, at.item) for path in contract.paths]
    for path in paths:
        if at.snapshot.blob(path) is not None:
            return path
    return paths[0]


def _severity(at: Records, spec: ContractsSpec) -> str:
    stage = handoff_state(at.current, at.kind)
    if at.role == DONE or stage is None or stage.name not in spec.frozen:
        return WARNING
    return ERROR


def _sum(spec: ContractsSpec, data: bytes) -> str:
    return f'{spec.algorithm}:{hashlib.new(spec.algorithm, data).hexdigest()}'


def _only_endings(spec: ContractsSpec, data: bytes, seal: str) -> bool:
    bare = data[len(BOM):] if data.startswith(BOM) else data
    unix = bare.replace(b'\r\n', b'\n')
    dos = unix.replace(b'\n', b'\r\n')
    forms = {bare, unix, dos, BOM + bare, BOM + unix, BOM + dos} - {data}
    return any(_sum(spec, form) == seal for form in forms)


def _draft(seal: Seal, at: Records, spec: ContractsSpec) -> str:
    for draft in seal.contract.drafts:
        path = expand(draft, at.item)
        digest = at.snapshot.digest(path, spec.algorithm)
        if digest and f'{spec.algorithm}:{digest}' == seal.text:
            return f'; the checksum is that of the draft {path}'
    return ''


def _of_seal(
        seal: Seal,
        at: Records,
        spec: ContractsSpec,
) -> Iterator[Finding]:
    assert at.current is not None
    path, severity = _path(seal.contract, at), _severity(at, spec)
    name = seal.contract.name
    size = hashlib.new(spec.algorithm).digest_size * 2
    if not re.fullmatch(f'{spec.algorithm}:[0-9a-f]{{{size}}}', seal.text):
        yield finding(
            'CON003', at.item, at.current.path, seal.line,
            f'`{name}: {shown(seal.text)}` is no checksum '
            f'({spec.algorithm}: and {size} hex digits)',
            key=name, found=seal.text, severity=severity,
            expected=f'{spec.algorithm}:...',
            fix=edit(at.current.path, seal.line, 'write the checksum'),
        )
        return
    digest = at.snapshot.digest(path, spec.algorithm)
    if digest is None:
        yield finding(
            'CON002', at.item, path, 1,
            f'it is sealed in {at.current.path}:{seal.line} but missing',
            key=name, expected=seal.text, severity=severity,
            fix=restore(path),
        )
        return
    actual = f'{spec.algorithm}:{digest}'
    if actual == seal.text:
        return
    blob = at.snapshot.blob(path)
    if blob and blob.data and _only_endings(spec, blob.data, seal.text):
        yield finding(
            'CON005', at.item, path, 1,
            f'it differs from its seal in {at.current.path}:{seal.line} '
            f'by line endings or a byte order mark only',
            key=name, expected=seal.text, found=actual, severity=severity,
            fix=restore(path),
        )
        return
    yield finding(
        'CON001', at.item, path, 1,
        f'it is not what {at.current.path}:{seal.line} seals'
        f'{_draft(seal, at, spec)}',
        key=name, expected=seal.text, found=actual, severity=severity,
        fix=restore(path),
    )


def _of_item(at: Records) -> Iterator[Finding]:
    spec = at.kind.contracts
    if spec is None or at.current is None:
        return
    node = _checksums(at)
    seals = list(_seals(at))
    if node is not None and not is_null(node) and (
            not isinstance(node, yaml.Mapping)
    ):
        yield finding(
            'CON003', at.item, at.current.path, node.line,
            'the checksums are no mapping of contracts to checksums',
            severity=_severity(at, spec),
            fix=edit(at.current.path, node.line),
        )
    elif not seals and at.role != DONE and is_planned(at):
        yield finding(
            'CON004', at.item, at.current.path, 1,
            'it records no checksum of any contract',
            fix=edit(at.current.path, 1, 'seal the contracts'),
        )
    for seal in seals:
        yield from _of_seal(seal, at, spec)


def _has_amendment(message: Message, spec: ContractsSpec) -> bool:
    return bool(message.trailers.get(spec.amendment.lower()))


def _amendments(
        before: Records,
        after: Records,
        message: Message,
) -> Iterator[Finding]:
    spec = after.kind.contracts
    if spec is None or DONE in {before.role, after.role}:
        return
    elif after.current is None and not after.registered:
        # the item itself is gone
        return
    stage = handoff_state(before.current, before.kind)
    if stage is None or stage.name not in spec.frozen:
        return
    new = {seal.contract.name: seal for seal in _seals(after)}
    for old in _seals(before):
        name = old.contract.name
        seal = new.get(name)
        if old.contract.free or _has_amendment(message, spec) or (
                seal is not None and seal.text == old.text
        ):
            continue
        what = 'sealed anew' if seal else 'no longer sealed'
        yield finding(
            'CON006', after.item, _path(old.contract, after), 1,
            f'it is frozen at {label(stage, after.kind)} and was {what}, '
            f'and the message has no trailer `{spec.amendment}: REASON`',
            key=name, expected=old.text, found=seal.text if seal else '',
            fix=Fix(
                'give the reason in the message',
                f'git commit --trailer "{spec.amendment}: REASON"',
            ),
        )


def check(change: Change, workflow: Workflow) -> Iterator[Finding]:
    """Seals hold: a contract is what its checksum says."""
    for kind in workflow.kinds:
        if kind.contracts is None:
            continue
        yield from judge_items(change, kind, _of_item)
        if change.message is not None:
            for before, after in moved_items(change, kind):
                yield from _amendments(before, after, change.message)
