"""Contracts: their paths, their seals, and when they are frozen."""

from __future__ import annotations

from interlock.documents import yaml
from interlock.model import quick_hash
from interlock.model import quick_re as re
from interlock.model import quick_tools as functools
from interlock.model.change import TYPE_CHANGED, Blob, Snapshot
from interlock.model.quick_typing import Iterator, Mapping, NamedTuple
from interlock.model.state import State
from interlock.workflow.language.patterns import expand_each
from interlock.workflow.language.spec import DONE, ContractSpec, Kind
from interlock.workflow.reading.kind_cache import by_kind, of_snapshot
from interlock.workflow.reading.records import Records, is_null


class Seal(NamedTuple):
    contract: ContractSpec
    # the path of the contract
    path: str
    # in lower case if it is a checksum
    text: str
    line: int
    is_checksum: bool
    # the checksum that the contract has, '' if there is no such file
    actual: str


@functools.cache
def form(algorithm: str) -> tuple[int, re.Pattern[str]]:
    """The number of digits of a checksum, and its pattern."""
    size = quick_hash.new(algorithm).digest_size * 2
    return size, re.compile(f'{algorithm}:[0-9a-f]{{{size}}}', re.ASCII | re.IGNORECASE)


def has_seals(kind: Kind) -> bool:
    """Whether the workflow has a field for checksums."""
    return 'checksums' in kind.handoff.keys


def checksums(at: Records) -> yaml.Node | None:
    """The field of the handoff that holds the seals."""
    if at.current is None or not has_seals(at.kind):
        return None
    return at.current.handoff.nodes.get(at.kind.handoff.keys['checksums'])


def seals(at: Records) -> list[Seal]:
    """The seals in the handoff; null and a missing key are not seals."""
    node, spec, found = checksums(at), at.kind.contracts, list[Seal]()
    if not isinstance(node, yaml.Mapping):
        return found
    paths = contract_paths(at)
    sealed = [each for each in spec.files if not is_null(node.items.get(each.name))]
    digests = [at.snapshot.digest(paths[e.name], spec.algorithm) for e in sealed]
    for contract, digest in zip(sealed, digests, strict=True):
        value = node.items[contract.name]
        text = value.text if isinstance(value, yaml.Scalar) else '...'
        is_checksum = form(spec.algorithm)[1].fullmatch(text) is not None
        seal = Seal(
            contract,
            paths[contract.name],
            text.lower() if is_checksum else text,
            node.lines[contract.name],
            is_checksum,
            '' if digest is None else f'{spec.algorithm}:{digest}',
        )
        found.append(seal)
    return found


@by_kind
def _contract_places(item: str, kind: Kind) -> dict[str, list[str]]:
    """The paths where each contract of an item may be."""
    return {each.name: expand_each(each.paths, item) for each in kind.contracts.files}


def contract_paths(at: Records) -> Mapping[str, str]:
    """The path of each contract: the first of its paths that exists."""
    return _contract_paths(at.snapshot, at.kind, at.item)


@of_snapshot
def _contract_paths(snapshot: Snapshot, kind: Kind, item: str) -> dict[str, str]:
    found = {}
    for name, paths in _contract_places(item, kind).items():
        found[name] = paths[0]
        for path in paths:
            if snapshot.blob(path) is not None:
                found[name] = path
                break
    return found


def contract_path(contract: ContractSpec, at: Records) -> str:
    return contract_paths(at)[contract.name]


def frozen_at(at: Records) -> State | None:
    """The state that freezes the item's contracts, None if none does.

    If registry and handoff disagree, one of them is wrong, so a contract is
    frozen if either freezes it. Once work is done, the handoff is a leftover.
    """
    states = [at.state]
    if at.role != DONE:
        states.insert(0, at.handoff_state)
    for state in states:
        if state and state.name in at.kind.contracts.frozen:
            return state
    return None


class ChangedContract(NamedTuple):
    """A frozen contract that has changed."""

    contract: ContractSpec
    # its old path, and its current or expected path
    old_path: str
    path: str
    # 'changed', 'deleted' or 'replaced by a link'
    what: str
    state: State
    old: Blob
    new: Blob | None


def _is_as_sealed(
    contract: ContractSpec, path: str, before: Records, after: Records
) -> bool:
    """Whether a contract matches its unchanged seal again.

    Then it had been changed past the checks, and this change reverts that.
    """
    algorithm = before.kind.contracts.algorithm
    digest = after.snapshot.digest(path, algorithm)
    return digest is not None and any(
        seal.contract == contract
        and seal.is_checksum
        and seal.text == f'{algorithm}:{digest}'
        for seal in seals(before)
    )


def changed_while_frozen(
    before: Records, after: Records, touched: Mapping[str, str]
) -> Iterator[ChangedContract]:
    """The contracts that were frozen before a change and differ after it.

    Compares the two blobs, whether or not a checksum is stored. Contracts that
    may change freely, or that the change restores to their seal, are left out.
    """
    state = frozen_at(before)
    if state is None:
        return
    old_paths, paths = contract_paths(before), contract_paths(after)
    for contract in before.kind.contracts.files:
        old_path = old_paths[contract.name]
        old = before.snapshot.blob(old_path)
        if old is None or contract.free:
            continue
        path = paths[contract.name]
        new = after.snapshot.blob(path)
        if new is None:
            what = 'deleted'
            if before.item == after.item:
                path = old_path
        elif new.oid != old.oid:
            if _is_as_sealed(contract, path, before, after):
                continue
            what = 'changed'
        elif touched.get(path) == TYPE_CHANGED:
            what = 'replaced by a link'
        else:
            continue
        yield ChangedContract(contract, old_path, path, what, state, old, new)
