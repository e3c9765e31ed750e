"""Seals: the checksums of contracts in the handoff."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from interlock.documents.frontmatter_edit import set_fields
from interlock.documents.text import decode
from interlock.model.change import Snapshot
from interlock.model.errors import Denied, Refusal, Unreadable
from interlock.model.fixes import ours, restore_contracts
from interlock.model.suggest import did_you_mean
from interlock.operations.outcome import Outcome
from interlock.workflow.language.patterns import expand
from interlock.workflow.language.spec import ContractSpec, ContractsSpec
from interlock.workflow.reading.records import Records
from interlock.workflow.reading.seals import frozen_at, has_seals
from interlock.workflow.reading.seals import seals as recorded_seals

FREE = 'null'


class Seal(NamedTuple):
    contract: ContractSpec
    path: str
    # '' where nothing is recorded, or the file is missing
    recorded: str
    actual: str

    @property
    def holds(self) -> bool:
        return not self.recorded or self.recorded == self.actual


def _spec(at: Records) -> ContractsSpec:
    if at.kind.contracts is None:
        raise Refusal(f'the workflow names no contracts for {at.kind.name}s')
    elif not has_seals(at.kind):
        raise Refusal(
            f'the workflow has no place for the checksums of {at.kind.name}s '
            f'(`handoff.keys.checksums`), so nothing is sealed; contracts '
            f'that are frozen are compared with git',
            'interlock config show',
        )
    return at.kind.contracts


def _recorded(at: Records) -> dict[str, str]:
    return {
        each.contract.name: each.text for each in recorded_seals(at) if each.is_checksum
    }


def seals(at: Records, contents: Snapshot, names: Sequence[str] = ()) -> list[Seal]:
    """The seals of an item; `contents` gives files as git stores them."""
    spec = _spec(at)
    known = [contract.name for contract in spec.files]
    for name in names:
        if name not in known:
            raise Refusal(f'no contract is named `{name}`{did_you_mean(name, known)}')
    recorded = _recorded(at)
    found = []
    for contract in spec.files:
        if names and contract.name not in names:
            continue
        paths = [expand(path, at.item) for path in contract.paths]
        path = next((p for p in paths if contents.blob(p)), paths[0])
        digest = contents.digest(path, spec.algorithm)
        actual = f'{spec.algorithm}:{digest}' if digest else ''
        found.append(Seal(contract, path, recorded.get(contract.name, ''), actual))
    return found


def refuse_silent_change(at: Records, found: Sequence[Seal], reason: str) -> None:
    stage = frozen_at(at)
    if reason or stage is None:
        return
    for seal in found:
        if not seal.holds and not seal.contract.free:
            raise Denied(
                f'{seal.path} is frozen at {stage} and is not what was sealed',
                restore_contracts(at.item).command,
            )


def unsealed(found: Sequence[Seal]) -> dict[str, str]:
    """The checksums that are not recorded as they are."""
    return {
        each.contract.name: each.actual or FREE
        for each in found
        if (each.actual or FREE) != (each.recorded or FREE)
    }


def standing(found: Sequence[Seal]) -> str:
    """What is to be said of seals none of which is broken."""
    if any(each.recorded not in {'', FREE} for each in found):
        return 'every seal holds'
    return (
        'nothing is sealed, for no contract exists'
        if not any(each.actual for each in found)
        else 'nothing is sealed'
    )


def amended(at: Records, reason: str) -> str:
    """What is to be done once a contract was sealed anew."""
    return f'next: commit with the trailer "{_spec(at).amendment}: {reason}"'


def seal(at: Records, found: Sequence[Seal], reason: str) -> Outcome:
    """The handoff with the checksums that the contracts have now."""
    if at.current is None or at.current.handoff.fields is None:
        raise Denied(
            f'{at.item} has no handoff that could hold checksums',
            ours('resume', at.item),
        )
    refuse_silent_change(at, found, reason)
    assert at.kind.handoff is not None
    key = at.kind.handoff.keys['checksums']
    values: Mapping[tuple[str, ...], str] = {
        (key, name): checksum for name, checksum in unsealed(found).items()
    }
    if not values:
        return Outcome({}, (f'{at.item}: {standing(found)}',))
    path = at.current.path
    blob = at.snapshot.blob(path)
    assert blob is not None
    try:
        text = set_fields(decode(blob), values)
    except Unreadable as e:
        raise Refusal(f'{path}: the frontmatter {e.message}') from None
    said = [f'{at.item}: sealed {", ".join(name for _, name in values)}']
    if reason:
        said.append(amended(at, reason))
    return Outcome({path: text.encode()}, tuple(said))
