from __future__ import annotations

from itertools import chain

from interlock.checks.compare import (
    Case,
    Concerned,
    as_twin,
    before_message,
    changes_behind,
    judge_items,
    record_twins,
)
from interlock.documents import yaml
from interlock.documents.text import shown
from interlock.documents.trailers import reason, without_reason
from interlock.model import quick_hash
from interlock.model.change import Change
from interlock.model.finding import ERROR, WARNING, Finding, Fix
from interlock.model.fixes import (
    did_you_mean,
    restore_contracts,
    restore_from,
    say_why,
    seal_all,
    unstage,
)
from interlock.model.quick_typing import Collection, Iterable, Iterator
from interlock.rules.new_finding import Location
from interlock.workflow.language.patterns import expand
from interlock.workflow.language.spec import (
    DONE,
    ContractSpec,
    ContractsSpec,
    Kind,
    Workflow,
)
from interlock.workflow.reading.changed_items import Pair, is_recorded
from interlock.workflow.reading.plan_phases import is_planned
from interlock.workflow.reading.records import Records, is_null, records
from interlock.workflow.reading.seals import (
    ChangedContract,
    Seal,
    changed_while_frozen,
    checksums,
    contract_path,
    form,
    frozen_at,
    has_seals,
    seals,
)

BOM = b'\xef\xbb\xbf'


# these say that a contract differs from its seal
BROKEN = frozenset({'CON001', 'CON002', 'CON005'})
# pairs of an item and the name of one of its contracts
Refused = Collection[tuple[str, str]]


def _resealed(change: Change, before: Records, after: Records) -> Iterator[Finding]:
    """Find seals that were replaced, or removed while the contract is frozen.

    If the whole handoff is gone, another rule reports that.
    """
    spec, state = after.kind.contracts, frozen_at(before)
    if state is None or after.current is None or checksums(before) == checksums(after):
        return
    new = {seal.contract.name: seal for seal in seals(after) if seal.is_checksum}
    still = frozen_at(after) is not None
    for old in seals(before):
        name = old.contract.name
        seal = new.get(name)
        if (
            not old.is_checksum
            or old.contract.free
            or (seal.text == old.text if seal else not still)
        ):
            continue
        what = 'sealed again' if seal else 'no longer sealed'
        yield Location(after.item, contract_path(old.contract, after)).finding(
            'CON006',
            f'the contract is frozen at {after.kind.said(state)} and was {what}, '
            f'and {without_reason(change.message, spec.amendment)}',
            key=name,
            expected=old.text,
            found=seal.text if seal else '',
            fix=say_why(spec.amendment, change.message is not None),
        )


def _changed(
    change: Change, before: Records, after: Records, refused: Refused
) -> Iterator[Finding]:
    """Find contracts whose content differs, whatever their seals say."""
    spec = after.kind.contracts
    for each in changed_while_frozen(before, after, change.touched):
        if (after.item, each.contract.name) in refused:
            # another rule reports the same
            continue
        fix = restore_from(each.old_path, each.path)
        why = without_reason(change.message, spec.amendment)
        yield _frozen(after, each, why, fix)


def _frozen(at: Records, changed: ChangedContract, why: str, fix: Fix) -> Finding:
    return Location(at.item, changed.path).finding(
        'CON007',
        f'the contract is frozen at {at.kind.said(changed.state)} and was {changed.what}, '
        f'and {why}',
        key=changed.contract.name,
        expected=changed.old.oid,
        found=changed.new.oid if changed.new else '',
        fix=fix,
    )


def _twins(change: Change, kind: Kind) -> Iterator[Finding]:
    """Find new files that would replace a contract where case does not count."""
    frozen = [contract for contract in kind.contracts.files if not contract.free]
    patterns = [pattern for contract in frozen for pattern in contract.paths]
    for item, path, real in record_twins(change, kind, patterns):
        if frozen_at(records(change.before, kind, item)):
            yield Location(item, path).finding(
                'CON007',
                as_twin(path, real, 'frozen contract'),
                key=real,
                found=path,
                fix=unstage(path),
            )


def _of_pair(change: Change, pair: Pair, refused: Refused) -> Iterator[Finding]:
    before, after = pair
    if not after.registered and after.current is None:
        # the item itself is gone
        return
    resealed = list(_resealed(change, before, after))
    yield from resealed
    both = {(found.item, found.key) for found in resealed}
    yield from _changed(change, before, after, {*refused, *both})


def _is_amended(change: Change, pair: Pair, contract: ContractSpec) -> bool:
    """Whether every commit behind a step that changed a contract was allowed to.

    A contract stays frozen while its item is in no record: an item that is
    dropped and registered again is the same item. At least one of the commits
    must have known that it was frozen. A commit parallel to the freeze, in
    which the contract was not frozen, does not count.
    """
    kind, names = pair[0].kind, (pair[0].item, pair[1].item)
    found, is_known = [], False
    for part, (before, after) in changes_behind(change, kind, *names):
        is_frozen = frozen_at(before) is not None
        is_free = is_recorded(before) and not is_frozen
        if is_frozen and is_recorded(after) and frozen_at(after) is None:
            # from here on it may change
            is_known = True
        if _content(contract, before) != _content(contract, after):
            is_amended = amends(part, kind)
            found.append(is_free or is_amended)
            is_known = is_known or is_amended
    path = contract_path(contract, pair[1])
    is_known = is_known or any(
        # a merge that takes over the change of one side
        part.parents and path in part.contents and amends(part, kind)
        for part in change.behind()
    )
    return is_known and bool(found) and all(found)


def amends(change: Change, kind: Kind) -> bool:
    """Whether a commit gives a reason for changing contracts."""
    message = change.message
    return bool(
        kind.contracts and message and reason(message, kind.contracts.amendment)
    )


def _content(contract: ContractSpec, at: Records) -> str:
    blob = at.snapshot.blob(contract_path(contract, at))
    return blob.oid if blob else ''


def _of_ref_step(items: Concerned) -> Iterator[Finding]:
    """Find contracts that were frozen at the old tip and changed while frozen."""
    change = items.change
    for before, after in items.moved:
        if not is_recorded(after):
            continue
        for each in changed_while_frozen(before, after, change.touched):
            if not _is_amended(change, (before, after), each.contract):
                # any commit behind the step may have changed it
                fix = restore_from(each.old_path, each.path, change.start[:10])
                why = 'no commit of this range amends it'
                yield _frozen(after, each, why, fix)


def changed_frozen(items: Concerned, refused: Refused) -> Iterator[Finding]:
    """`refused`: contracts that another rule already refuses."""
    change, kind = items.change, items.kind
    if change.is_ref_step:
        yield from _of_ref_step(items)
        return
    pairs = (_of_pair(change, each, refused) for each in items.moved)
    found = [*chain.from_iterable(pairs), *_twins(change, kind)]
    if found and not amends(change, kind):
        yield from before_message(found, change)


def _severity(at: Records, spec: ContractsSpec) -> str:
    # once work is done, the handoff is only a leftover
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


def _broken(seal: Seal, at: Records, spec: ContractsSpec) -> tuple[str, str]:
    """Code and message; the code is '' if the seal holds."""
    assert at.current is not None
    where = f'{at.current.path}:{seal.line}'
    if not seal.is_checksum:
        size, _ = form(spec.algorithm)
        message = (
            f'`{seal.contract.name}: {shown(seal.text)}` is not a checksum '
            f'(expected `{spec.algorithm}:` and {size} hex digits)'
        )
        return 'CON003', message
    elif not seal.actual:
        return 'CON002', f'the contract is sealed in {where}, but missing'
    elif seal.actual == seal.text:
        return '', ''
    blob = at.snapshot.blob(seal.path)
    if blob and blob.data and _only_endings(spec, blob.data, seal.text):
        message = (
            f'the contract differs from its seal in {where} only by line endings or a byte '
            f'order mark'
        )
        return 'CON005', message
    draft = _draft(seal, at, spec)
    return 'CON001', f'the contract differs from its seal in {where}{draft}'


def _of_seal(seal: Seal, at: Records, spec: ContractsSpec) -> Iterator[Finding]:
    code, message = _broken(seal, at, spec)
    if not code:
        return
    assert at.current is not None
    path, line = seal.path, 1
    if code == 'CON003':
        path, line = at.current.path, seal.line
    yield Location(at.item, path, line).finding(
        code,
        message,
        key=seal.contract.name,
        expected=seal.text,
        found=seal.actual if seal.is_checksum else '',
        severity=_severity(at, spec),
        fix=seal_all(at.called) if code == 'CON003' else restore_contracts(at.called),
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
    if not spec.files or at.current is None or not has_seals(at.kind):
        return
    node = checksums(at)
    recorded = seals(at)
    if node is not None and not isinstance(node, yaml.Mapping) and not is_null(node):
        yield Location(at.item, at.current.path, node.line).finding(
            'CON003',
            'the checksums are not a mapping of contracts to checksums',
            severity=_severity(at, spec),
        )
    elif not recorded and at.role != DONE and is_planned(at):
        yield Location(at.item, at.current.path).finding(
            'CON004', 'the handoff does not seal any contract', fix=seal_all(at.called)
        )
    if isinstance(node, yaml.Mapping):
        yield from _unknown_keys(node, at, spec)
    for seal in recorded:
        yield from _of_seal(seal, at, spec)


def _refused(findings: Iterable[Finding], workflow: Workflow) -> set[tuple[str, str]]:
    """The item and the name of each contract that is already refused."""
    return {
        (found.item, found.key)
        for found in findings
        if found.code in BROKEN
        and found.introduced
        and workflow.severities.get(found.code, found.severity) == ERROR
    }


def check(case: Case) -> Iterator[Finding]:
    workflow = case.workflow
    # only workflows that have them import the modules for them
    if workflow.recorded:
        from interlock.checks import contracts_agreements

        yield from contracts_agreements.check(case.change, workflow)
    for items in case.items:
        if items.kind.contracts.files:
            found = list(judge_items(items, _of_item))
            yield from found
            yield from changed_frozen(items, _refused(found, workflow))
