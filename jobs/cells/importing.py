"""Applies the export of the control cell part by part, in one transaction. A part is applied whole or not at all."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from django.db import DataError, IntegrityError, transaction
from django.db.models import QuerySet

from jobs.cells.directory import take_accounts
from jobs.cells.documents import AccountPart, Content, FilePart, ModelPart, PlanPart, as_json
from jobs.cells.errors import PartRefused, StorageAway
from jobs.cells.model_changes import in_order
from jobs.cells.model_sync import (
    apply_model,
    refusal_here,
    removable,
    remove_model,
    remove_version,
    retirable,
    retire_here,
    unknown_versions,
)
from jobs.cells.plans import apply_plan
from tenants.cells.models import CellChange, DirectoryEntry, ReplicatedPart
from tenants.cells.replicated import Kind
from tenants.core.db.clock import database_now
from tenants.core.db.unit_of_work import OPERATOR, operator_work
from tenants.core.errors import DomainError

Fetch = Callable[[FilePart], None]
"""A function that brings a file into this cell's storage if it is not there. Raises PartRefused."""
MAX_REASON = 400
MAX_NAMED = 10


@dataclass(slots=True)
class Refusals:
    """The parts that were not applied, each with its reason."""

    found: list[tuple[str, str]] = field(default_factory=list)

    def add(self, part: str, reason: str) -> None:
        self.found.append((part, reason[:MAX_REASON]))

    def as_json(self) -> list[dict[str, str]]:
        return [{"part": part, "reason": reason} for part, reason in self.found]

    def add_accounts(self, reasons: Sequence[str]) -> None:
        """Add the accounts that were left out. Of very many, the first are named."""
        for reason in reasons[:MAX_NAMED]:
            self.add("accounts", reason)
        if len(reasons) > MAX_NAMED:
            self.add("accounts", f"{len(reasons) - MAX_NAMED} more accounts are left out for such a reason.")

    def not_at_home(self, cell: str, accounts: Sequence[AccountPart]) -> list[AccountPart]:
        """Return the accounts that a cell may speak for, which are its own."""
        foreign = [account for account in accounts if account.home != cell]
        self.add_accounts([f"{cell!r} speaks for the account {one.id} of {one.home!r}." for one in foreign])
        return [account for account in accounts if account.home == cell]


@dataclass(frozen=True, slots=True)
class Ready:
    """A model to be taken over, after its files were brought into storage."""

    model: ModelPart
    left_out: Mapping[int, str]
    """The reasons of the versions that cannot be taken over, by number."""
    files: Sequence[FilePart]
    """The files of the versions that will be added."""


def fetched_models(models: Sequence[ModelPart], fetch: Fetch, refusals: Refusals) -> list[Ready]:
    """Return the models that can be taken over, in the order of their use. Storage is used before the transaction."""
    ready = []
    for model in in_order(models):
        with operator_work():
            refusal = refusal_here(model)
            unknown = [] if refusal else unknown_versions(model)
        if refusal:
            refusals.add(_named(Kind.MODEL, model.name), refusal)
            continue
        left_out: dict[int, str] = {}
        files: list[FilePart] = []
        for version in unknown:
            try:
                for file in version.files.values():
                    fetch(file)
                files += version.files.values()
            except PartRefused as error:
                left_out[version.number] = str(error)
                if isinstance(error, StorageAway):
                    fetch = _refusing(str(error))  # Each further request would wait as long for its error.
        ready.append(Ready(model, left_out, files))
    return ready


def _refusing(reason: str) -> Fetch:
    def refuse(file: FilePart) -> None:
        raise PartRefused(reason)

    return refuse


@dataclass(slots=True)
class Import:
    """One export that is being applied, in operator work and a transaction."""

    cell: str
    version: int
    refusals: Refusals

    def apply(self, content: Content, models: Sequence[Ready]) -> None:
        """Apply all plans and these models, and remove the models that the export has no more."""
        now = database_now()
        for ready in models:
            model = ready.model
            if self._apply(Kind.MODEL, model.name, model, lambda ready=ready: self._model(ready)):  # type: ignore[misc]
                for number in retirable(model):
                    self._change_version(model.name, number, retire_here)
                for number in removable(model):
                    self._change_version(model.name, number, remove_version)
        # The plan that is the default no longer comes before the one that is now.
        for plan in sorted(content.plans, key=lambda plan: plan.is_default):
            self._apply(Kind.PLAN, plan.code, plan, lambda plan=plan: apply_plan(plan, now))  # type: ignore[misc]
        self._forget(content)

    def _apply(self, kind: str, key: str, part: ModelPart | PlanPart, do: Callable[[], list[str]]) -> bool:
        def applied() -> None:
            words = do()
            values = {"cell": self.cell, "content": as_json(part)}
            _, is_new = ReplicatedPart.objects.update_or_create(kind=kind, key=key, defaults=values)
            self._note(kind, key, words or (["taken over as it was"] if is_new else []))

        return self._whole(kind, key, applied)

    def _model(self, ready: Ready) -> list[str]:
        applied = apply_model(ready.model, ready.left_out)
        for number, reason in applied.left_out.items():
            self.refusals.add(_named(Kind.MODEL, ready.model.name), f"Version {number} is left out. {reason}")
        return applied.words

    def _change_version(self, name: str, number: int, do: Callable[[str, int], list[str]]) -> None:
        self._whole(Kind.MODEL, name, lambda: self._note(Kind.MODEL, name, do(name, number)))

    def _forget(self, content: Content) -> None:
        """Remove models that are gone in the control cell. A plan that is gone there becomes this cell's own."""
        names = {Kind.MODEL: {model.name for model in content.models}, Kind.PLAN: {plan.code for plan in content.plans}}
        for part in ReplicatedPart.objects.order_by("-id"):
            if part.key in names[Kind(part.kind)]:
                continue

            def forgotten(part: ReplicatedPart = part) -> None:
                words = remove_model(part.key) if part.kind == Kind.MODEL else ["given up by the control cell"]
                self._note(part.kind, part.key, words)
                part.delete()

            self._whole(part.kind, part.key, forgotten)

    def _whole(self, kind: str, key: str, do: Callable[[], None]) -> bool:
        """Do something in a savepoint, so that it is done whole or not at all. Return whether it was done."""
        try:
            with transaction.atomic(using=OPERATOR):
                do()
        except PartRefused as error:
            self.refusals.add(_named(kind, key), str(error))
        except DomainError as error:
            self.refusals.add(_named(kind, key), error.detail)
        except (IntegrityError, DataError) as error:
            self.refusals.add(_named(kind, key), _refused_by_database(error))
        else:
            return True
        return False

    def _note(self, kind: str, key: str, words: Sequence[str]) -> None:
        if words:
            CellChange.objects.create(
                cell=self.cell, version=self.version, kind=kind, key=key, changes="; ".join(words)
            )


def take_directory(accounts: Sequence[AccountPart], entries: "QuerySet[DirectoryEntry]", refusals: Refusals) -> None:
    """Take over the accounts in a savepoint, so that models and plans are kept if the database refuses these."""
    try:
        with transaction.atomic(using=OPERATOR):
            refusals.add_accounts(take_accounts(accounts, entries))
    except (IntegrityError, DataError) as error:
        refusals.add("accounts", _refused_by_database(error))


def _refused_by_database(error: Exception) -> str:
    return f"The database refuses it: {' '.join(str(error).split())}"


def _named(kind: str, key: str) -> str:
    return f"{kind} {key}"
