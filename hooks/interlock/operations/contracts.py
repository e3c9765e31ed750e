"""Seals: the checksums of contracts in the handoff."""

from __future__ import annotations

from interlock.model.change import Snapshot
from interlock.model.errors import Denied, Refusal
from interlock.model.fixes import correction, did_you_mean, ours, restore_contracts
from interlock.model.quick_typing import NamedTuple, Sequence
from interlock.operations.handoff.edit import HandoffText
from interlock.operations.outcome import Outcome, refusing
from interlock.workflow.language.spec import ContractSpec, ContractsSpec
from interlock.workflow.reading.records import Records
from interlock.workflow.reading.seals import contract_paths, frozen_at, has_seals
from interlock.workflow.reading.seals import seals as recorded_seals

FREE = 'null'


class ContractSeal(NamedTuple):
    contract: ContractSpec
    path: str
    # '' where nothing is recorded, or the file is missing
    recorded: str
    actual: str

    @property
    def holds(self) -> bool:
        return not self.recorded or self.recorded == self.actual


def _spec(at: Records) -> ContractsSpec:
    if not at.kind.contracts:
        raise Refusal(
            f'the workflow does not name contracts for {at.kind.name}s',
            'interlock config explain items.contracts',
        )
    elif not has_seals(at.kind):
        raise Refusal(
            f'the workflow has no place for the checksums of {at.kind.name}s '
            f'(`handoff.keys.checksums`), so nothing is sealed; contracts '
            f'that are frozen are compared with git',
            'interlock config explain items.handoff.keys',
        )
    return at.kind.contracts


def _recorded(at: Records) -> dict[str, str]:
    return {
        each.contract.name: each.text for each in recorded_seals(at) if each.is_checksum
    }


def seals(
    at: Records, contents: Snapshot, names: Sequence[str] = ()
) -> list[ContractSeal]:
    """The seals of an item; `contents` gives files as git stores them."""
    spec = _spec(at)
    known = [contract.name for contract in spec.files]
    for name in names:
        if name not in known:
            raise Refusal(
                f'no contract is named `{name}`{did_you_mean(name, known)}',
                ours('contracts', 'verify', at.called),
                meant=correction(name, known),
            )
    recorded = _recorded(at)
    paths = contract_paths(at._replace(snapshot=contents))
    found = []
    for contract in spec.files:
        if names and contract.name not in names:
            continue
        path = paths[contract.name]
        digest = contents.digest(path, spec.algorithm)
        actual = f'{spec.algorithm}:{digest}' if digest else ''
        found.append(
            ContractSeal(contract, path, recorded.get(contract.name, ''), actual)
        )
    return found


def refuse_silent_change(
    at: Records, found: Sequence[ContractSeal], reason: str
) -> None:
    stage = frozen_at(at)
    if reason or stage is None:
        return
    for seal in found:
        if not seal.holds and not seal.contract.free:
            raise Denied(
                f'{seal.path} is frozen at {stage} and differs from its seal',
                restore_contracts(at.called).command,
            )


def checksums(found: Sequence[ContractSeal]) -> dict[str, str]:
    return {each.contract.name: each.actual or FREE for each in found}


def changed_checksums(found: Sequence[ContractSeal]) -> dict[str, str]:
    """The checksums that differ from what the handoff records."""
    recorded = {each.contract.name: each.recorded or FREE for each in found}
    sums = checksums(found).items()
    return {name: text for name, text in sums if text != recorded[name]}


def seals_sentence(found: Sequence[ContractSeal]) -> str:
    """A sentence about the seals, if none is broken."""
    if any(each.recorded not in {'', FREE} for each in found):
        return 'every contract matches its seal'
    return (
        'nothing is sealed, because no contract exists'
        if not any(each.actual for each in found)
        else 'nothing is sealed'
    )


def amended_next_step(at: Records, reason: str) -> str:
    """The next step after a contract was sealed again."""
    return f'next: commit with the trailer "{_spec(at).amendment}: {reason}"'


def seal(at: Records, found: Sequence[ContractSeal], reason: str) -> Outcome:
    """The handoff with the checksums that the contracts have now."""
    if at.current is None or at.current.handoff.fields is None:
        raise Denied(
            f'{at.item} has no handoff to hold checksums', ours('resume', at.called)
        )
    refuse_silent_change(at, found, reason)
    key = at.kind.handoff.keys['checksums']
    sums = changed_checksums(found)
    if not sums:
        return Outcome({}, (f'{at.item}: {seals_sentence(found)}',))
    path = at.current.path
    with refusing(path, 'the handoff'):
        text = HandoffText.read(at, path)
        text.set_below(key, sums)
    said = [f'{at.item}: sealed {", ".join(sums)}']
    if reason:
        said.append(amended_next_step(at, reason))
    return Outcome({path: text.text.encode()}, tuple(said))
