from __future__ import annotations

import functools
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
from interlock.model.near import did_you_mean
from interlock.model.remedy import edit
from interlock.model.remedy import restore
from interlock.model.remedy import seal_all
from interlock.workflow.handoffs import stage_of
from interlock.workflow.planned import is_planned
from interlock.workflow.records import is_null
from interlock.workflow.records import Records
from interlock.workflow.spec import ContractSpec
from interlock.workflow.spec import ContractsSpec
from interlock.workflow.spec import DONE
from interlock.workflow.spec import Workflow
from interlock.workflow.status import label
from interlock.workflow.template import expand

BOM = b'\xef\xbb\xbf'
# stands for a reason in what we print, and is none
PLACEHOLDER = 'REASON'


class Seal(NamedTuple):
    contract: ContractSpec
    text: str
    line: int


def _checksums(at: Records) -> yaml.Node | None:
    if at.current is None or at.kind.handoff is None:
        return None
    return at.current.handoff.get(at.kind.handoff.keys['checksums'])


def _seals(at: Records) -> Iterator[Seal]:
    """What the handoff records; null and a missing key record nothing."""
    node = _checksums(at)
    if not isinstance(node, yaml.Mapping) or at.kind.contracts is None:
        return
    for contract in at.kind.contracts.files:
        value = node.items.get(contract.name)
        if value is not None and not is_null(value):
            text = value.text if isinstance(value, yaml.Scalar) else '...'
            yield Seal(contract, text, node.lines[contract.name])


def _path(contract: ContractSpec, at: Records) -> str:
    """Where the contract lies: the first of its places that exists."""
    for pattern in contract.paths:
        path = expand(pattern, at.item)
        if at.snapshot.blob(path) is not None:
            return path
    return expand(contract.paths[0], at.item)


def _severity(at: Records, spec: ContractsSpec) -> str:
    stage = stage_of(at)
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


@functools.cache
def _form(algorithm: str) -> tuple[int, re.Pattern[str]]:
    """How many digits a checksum has, and what one looks like."""
    size = hashlib.new(algorithm).digest_size * 2
    return size, re.compile(f'{algorithm}:[0-9a-f]{{{size}}}')


def _broken(
        seal: Seal,
        at: Records,
        spec: ContractsSpec,
) -> tuple[str, str, str]:
    """Code, message and actual checksum; no code where the seal holds."""
    assert at.current is not None
    path = _path(seal.contract, at)
    where = f'{at.current.path}:{seal.line}'
    size, form = _form(spec.algorithm)
    if not form.fullmatch(seal.text):
        return 'CON003', (
            f'`{seal.contract.name}: {shown(seal.text)}` is no checksum '
            f'({spec.algorithm}: and {size} hex digits)'
        ), ''
    digest = at.snapshot.digest(path, spec.algorithm)
    if digest is None:
        return 'CON002', f'it is sealed in {where} but missing', ''
    actual = f'{spec.algorithm}:{digest}'
    if actual == seal.text:
        return '', '', actual
    blob = at.snapshot.blob(path)
    if blob and blob.data and _only_endings(spec, blob.data, seal.text):
        return 'CON005', (
            f'it differs from its seal in {where} by line endings or a byte '
            f'order mark only'
        ), actual
    draft = _draft(seal, at, spec)
    return 'CON001', f'it is not what {where} seals{draft}', actual


def _of_seal(
        seal: Seal,
        at: Records,
        spec: ContractsSpec,
) -> Iterator[Finding]:
    code, message, actual = _broken(seal, at, spec)
    if not code:
        return
    assert at.current is not None
    path, line = _path(seal.contract, at), 1
    if code == 'CON003':
        path, line = at.current.path, seal.line
    yield finding(
        code, at.item, path, line, message,
        key=seal.contract.name, expected=seal.text, found=actual,
        severity=_severity(at, spec),
        fix=edit(path, line, 'write the checksum') if code == 'CON003'
        else restore(path),
    )


def _unknown_keys(
        node: yaml.Mapping,
        at: Records,
        spec: ContractsSpec,
) -> Iterator[Finding]:
    assert at.current is not None
    known = [contract.name for contract in spec.files]
    for key, line in node.lines.items():
        if key not in known:
            yield finding(
                'CON003', at.item, at.current.path, line,
                f'`{shown(key)}` is no contract, so nothing is sealed by it'
                f'{did_you_mean(key, known)}',
                key=key, severity=_severity(at, spec),
                fix=edit(at.current.path, line),
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
            fix=seal_all(at.item),
        )
    if isinstance(node, yaml.Mapping):
        yield from _unknown_keys(node, at, spec)
    for seal in seals:
        yield from _of_seal(seal, at, spec)


def _has_amendment(message: Message, spec: ContractsSpec) -> bool:
    reason = message.trailers.get(spec.amendment.lower(), '')
    return reason not in {'', PLACEHOLDER}


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
    stage = stage_of(before)
    if stage is None or stage.name not in spec.frozen:
        return
    elif _checksums(before) == _checksums(after):
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
            f'and the message has no trailer '
            f'`{spec.amendment}: {PLACEHOLDER}`',
            key=name, expected=old.text, found=seal.text if seal else '',
            fix=Fix(
                'give the reason in the message',
                f'git commit -m SUBJECT -m "{spec.amendment}: {PLACEHOLDER}"',
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
