from __future__ import annotations

from interlock.checks.compare import judge_items
from interlock.documents import yaml
from interlock.documents.text import shown
from interlock.model import quick_hash
from interlock.model.change import Change
from interlock.model.finding import ERROR, WARNING, Finding
from interlock.model.fixes import did_you_mean, restore_contracts, seal_all
from interlock.model.quick_typing import Iterable, Iterator
from interlock.rules.new_finding import Location
from interlock.workflow.language.patterns import expand
from interlock.workflow.language.spec import DONE, ContractsSpec, Workflow
from interlock.workflow.reading.plan_phases import is_planned
from interlock.workflow.reading.records import Records, is_null
from interlock.workflow.reading.seals import (
    Seal,
    checksums,
    contract_path,
    form,
    has_seals,
    seals,
)

BOM = b'\xef\xbb\xbf'


# say that a contract is not what was sealed
BROKEN = frozenset({'CON001', 'CON002', 'CON005'})


def _severity(at: Records, spec: ContractsSpec) -> str:
    # where work is done the handoff is a leftover
    state = at.state if at.role == DONE else at.stage
    return ERROR if state and state.name in spec.frozen else WARNING


def _sum(spec: ContractsSpec, data: bytes) -> str:
    return f'{spec.algorithm}:{quick_hash.new(spec.algorithm, data).hexdigest()}'


def _only_endings(spec: ContractsSpec, data: bytes, seal: str) -> bool:
    bare = data[len(BOM) :] if data.startswith(BOM) else data
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


def _broken(seal: Seal, at: Records, spec: ContractsSpec) -> tuple[str, str, str]:
    """Code, message and actual checksum; no code where the seal holds."""
    assert at.current is not None
    path = contract_path(seal.contract, at)
    where = f'{at.current.path}:{seal.line}'
    if not seal.is_checksum:
        size, _ = form(spec.algorithm)
        message = (
            f'`{seal.contract.name}: {shown(seal.text)}` is not a checksum '
            f'({spec.algorithm}: and {size} hex digits)'
        )
        return 'CON003', message, ''
    digest = at.snapshot.digest(path, spec.algorithm)
    if digest is None:
        return 'CON002', f'it is sealed in {where} but missing', ''
    actual = f'{spec.algorithm}:{digest}'
    if actual == seal.text:
        return '', '', actual
    blob = at.snapshot.blob(path)
    if blob and blob.data and _only_endings(spec, blob.data, seal.text):
        message = (
            f'it differs from its seal in {where} by line endings or a byte '
            f'order mark only'
        )
        return 'CON005', message, actual
    draft = _draft(seal, at, spec)
    return 'CON001', f'it is not what {where} seals{draft}', actual


def _of_seal(seal: Seal, at: Records, spec: ContractsSpec) -> Iterator[Finding]:
    code, message, actual = _broken(seal, at, spec)
    if not code:
        return
    assert at.current is not None
    path, line = contract_path(seal.contract, at), 1
    if code == 'CON003':
        path, line = at.current.path, seal.line
    yield Location(at.item, path, line).finding(
        code,
        message,
        key=seal.contract.name,
        expected=seal.text,
        found=actual,
        severity=_severity(at, spec),
        fix=seal_all(at.item) if code == 'CON003' else restore_contracts(at.item),
    )


def _unknown_keys(
    node: yaml.Mapping, at: Records, spec: ContractsSpec
) -> Iterator[Finding]:
    assert at.current is not None
    known = [contract.name for contract in spec.files]
    for key, line in node.lines.items():
        if key not in known:
            yield Location(at.item, at.current.path, line).finding(
                'CON003',
                f'`{shown(key)}` is not a contract, so it seals nothing'
                f'{did_you_mean(key, known)}',
                key=key,
                severity=_severity(at, spec),
            )


def _of_item(at: Records) -> Iterator[Finding]:
    spec = at.kind.contracts
    if spec is None or at.current is None or not has_seals(at.kind):
        return
    node = checksums(at)
    recorded = list(seals(at))
    if node is not None and not is_null(node) and (not isinstance(node, yaml.Mapping)):
        yield Location(at.item, at.current.path, node.line).finding(
            'CON003',
            'the checksums are not a mapping of contracts to checksums',
            severity=_severity(at, spec),
        )
    elif not recorded and at.role != DONE and is_planned(at):
        yield Location(at.item, at.current.path).finding(
            'CON004', 'it records no checksum of any contract', fix=seal_all(at.item)
        )
    if isinstance(node, yaml.Mapping):
        yield from _unknown_keys(node, at, spec)
    for seal in recorded:
        yield from _of_seal(seal, at, spec)


def _refused(findings: Iterable[Finding], workflow: Workflow) -> set[tuple[str, str]]:
    """The item and the name of each contract that is refused already."""
    return {
        (found.item, found.key)
        for found in findings
        if found.code in BROKEN
        and found.introduced
        and workflow.severities.get(found.code, found.severity) == ERROR
    }


def check(change: Change, workflow: Workflow) -> Iterator[Finding]:
    # only workflows that have them load what reads them
    if workflow.recorded:
        from interlock.checks import contracts_agreements

        yield from contracts_agreements.check(change, workflow)
    for kind in workflow.kinds:
        if kind.contracts is None:
            continue
        found = list(judge_items(change, kind, _of_item))
        yield from found
        if change.is_ref_step or change.message is not None:
            # at pre-commit there is neither
            from interlock.checks.contracts_frozen import changed_frozen

            yield from changed_frozen(change, kind, _refused(found, workflow))
