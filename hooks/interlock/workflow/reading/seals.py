"""Contracts: where they lie, what seals them, and when they are frozen."""

from __future__ import annotations

from interlock.documents import yaml
from interlock.model import quick_hash
from interlock.model import quick_re as re
from interlock.model import quick_tools as functools
from interlock.model.change import Blob
from interlock.model.quick_typing import Iterator, Mapping, NamedTuple
from interlock.model.state import State
from interlock.workflow.language.patterns import expand_each
from interlock.workflow.language.spec import DONE, ContractSpec, Kind
from interlock.workflow.reading.records import Records, is_null

# a file that became a symbolic link, or a link that became a file
TYPE_CHANGED = 'T'


class Seal(NamedTuple):
    contract: ContractSpec
    # of the contract
    path: str
    # in lower case, if it is a checksum
    text: str
    line: int
    is_checksum: bool


@functools.cache
def form(algorithm: str) -> tuple[int, re.Pattern[str]]:
    """How many digits a checksum has, and what one looks like."""
    size = quick_hash.new(algorithm).digest_size * 2
    return size, re.compile(f'{algorithm}:[0-9a-f]{{{size}}}', re.ASCII | re.IGNORECASE)


def has_seals(kind: Kind) -> bool:
    """Whether the workflow has a place for checksums."""
    return 'checksums' in kind.handoff.keys


def checksums(at: Records) -> yaml.Node | None:
    """The field of the handoff that holds the seals."""
    if at.current is None or not has_seals(at.kind):
        return None
    return at.current.handoff.nodes.get(at.kind.handoff.keys['checksums'])


def seals(at: Records) -> Iterator[Seal]:
    """What the handoff records; null and a missing key record nothing."""
    node, spec = checksums(at), at.kind.contracts
    if not isinstance(node, yaml.Mapping):
        return
    paths = contract_paths(at)
    for contract in spec.files:
        value = node.items.get(contract.name)
        if value is None or is_null(value):
            continue
        text = value.text if isinstance(value, yaml.Scalar) else '...'
        is_checksum = form(spec.algorithm)[1].fullmatch(text) is not None
        yield Seal(
            contract,
            paths[contract.name],
            text.lower() if is_checksum else text,
            node.lines[contract.name],
            is_checksum,
        )


def contract_paths(at: Records) -> dict[str, str]:
    """Where each contract lies: the first of its places that exists."""
    files = at.kind.contracts.files
    places = {each.name: expand_each(each.paths, at.item) for each in files}
    found = {}
    for name, paths in places.items():
        found[name] = paths[0]
        for path in paths:
            if at.snapshot.blob(path) is not None:
                found[name] = path
                break
    return found


def contract_path(contract: ContractSpec, at: Records) -> str:
    return contract_paths(at)[contract.name]


def frozen_at(at: Records) -> State | None:
    """The state that freezes the item's contracts, None if none does.

    Registry and handoff agree, or one of them is wrong; what either of them
    freezes is frozen. Where work is done the handoff is a leftover.
    """
    states = [at.state]
    if at.role != DONE:
        states.insert(0, at.handoff_state)
    for state in states:
        if state and state.name in at.kind.contracts.frozen:
            return state
    return None


class ChangedContract(NamedTuple):
    """A frozen contract that is not what it was."""

    contract: ContractSpec
    # where it was, and where it is or should be
    old_path: str
    path: str
    # 'changed', 'deleted' or 'replaced by a symbolic link'
    what: str
    state: State
    old: Blob
    new: Blob | None


def _is_as_sealed(
    contract: ContractSpec, path: str, before: Records, after: Records
) -> bool:
    """Whether a contract is again what its seal has said all along.

    Then somebody had changed it past the checks, and this takes it back.
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

    Judged by the two blobs, whether or not anybody stored a checksum. What
    the workflow lets change freely is left out, and what a change restores
    to its seal.
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
        elif new.oid != old.oid:
            if _is_as_sealed(contract, path, before, after):
                continue
            what = 'changed'
        elif touched.get(path) == TYPE_CHANGED:
            what = 'replaced by a symbolic link'
        else:
            continue
        yield ChangedContract(contract, old_path, path, what, state, old, new)
