"""Manage the registry: list, add and build models, choose versions, pause and resume models."""

from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from inference.cache.terms import CACHE_TTL_S, CacheTerms
from inference.management.add_graph import add_graph, describe_arguments
from inference.management.ocr_int8 import MAX_PAGES, bounds_of, build
from inference.management.optimize import describe_optimization, optimize
from inference.registry.admission import ModelRefused
from inference.registry.aliases import move_alias, roll_back
from inference.registry.errors import ModelNotFound
from inference.registry.models import ServedModel
from inference.registry.ocr_int8 import OCR_INT8
from inference.registry.onnx_files import OnnxUpload, Precision, add_onnx_file
from inference.registry.references import CURRENT
from inference.registry.services import numbered, set_paused
from inference.registry.variants import use_variant
from inference.runtime.precision import FP32, PRECISIONS
from inference.sandbox import SandboxUnavailable
from jobs.documents.page_folder import FolderInvalid, distinct_pages
from jobs.documents.reader import DocumentRejected, ReaderUnavailable
from jobs.documents.reading import require_sandbox
from tenants.core.db.unit_of_work import operator_work
from tenants.core.errors import DomainError
from tenants.core.progress import progress_of
from tenants.plans.prices import METERS_OF_WORK, MS_PER_SECOND, Price


class Command(BaseCommand):
    help = __doc__
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        actions.add_parser("list", help="list the served models")
        add = actions.add_parser("add", help="check an ONNX file and serve it")
        add.add_argument("file", type=Path)
        _describe_model(add)
        describe_precisions(add)
        add_graph = actions.add_parser("add-graph", help="check a declared pipeline and serve it")
        _describe_model(add_graph)
        describe_arguments(add_graph)
        building = actions.add_parser(
            "build", help="make a model of this product that needs pages of yours, and serve it"
        )
        building.add_argument("model", choices=(OCR_INT8,))
        building.add_argument("--pages", type=Path, required=True, metavar="FOLDER", help="pictures and PDFs of pages")
        building.add_argument(
            "--max-errors",
            type=float,
            metavar="SHARE",
            help="largest share of characters that it may read otherwise than the exact networks (default: 0.01)",
        )
        describe_optimization(actions.add_parser("optimize", help="make faster variants of a version and measure them"))
        use = actions.add_parser("use", help="make a version the current one, or that of an alias")
        use.add_argument("model", help="name@version")
        use.add_argument("--alias", default=CURRENT, help="alias that is to stand for it (default: current)")
        use.add_argument("--variant", help="ID of an admitted variant of the version; it becomes a version of its own")
        back = actions.add_parser("rollback", help="move an alias back to the version that it had before")
        back.add_argument("model", help="name")
        back.add_argument("--alias", default=CURRENT)
        for action, help_text in (("pause", "refuse new work"), ("resume", "accept new work again")):
            actions.add_parser(action, help=help_text).add_argument("model", help="name")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            getattr(self, f"_{options['action'].replace('-', '_')}")(options)
        except (ModelRefused, DomainError) as error:
            raise CommandError(f"{error.code}: {error.detail}") from error

    def _list(self, options: dict[str, Any]) -> None:
        with operator_work():
            for served in (
                ServedModel.objects.filter(tenant=None, deleted_at=None)
                .select_related("current")
                .prefetch_related("versions")
            ):
                current = served.current.number if served.current else "-"
                versions = ",".join(str(version.number) for version in served.versions.all())
                self.stdout.write(f"{served.name}\tcurrent {current}\tversions {versions}\t{served.state}")

    def _add_graph(self, options: dict[str, Any]) -> None:
        review = _review_price_micros(options)
        version = add_graph(options, _price(options), _cached(options), review_price_micros=review)
        self.stdout.write(f"{version.key} is in the registry (digest {version.digest[:12]})")

    def _add(self, options: dict[str, Any]) -> None:
        upload = OnnxUpload(
            file=options["file"],
            name=options["name"],
            title=options["title"],
            description=options["description"],
            price=_price(options),
            cached=_cached(options),
            review_price_micros=_review_price_micros(options),
            reprice=options["price_micros"] is not None,
            retime=options["cache_ttl_s"] is not None,
            license=options["license"],
            variants=read_variants(options["variant"]),
            precision=read_precision(options["precision"]),
        )
        version = add_onnx_file(upload, make_current=not options["keep_current"], progress=progress_of(self, options))
        self.stdout.write(f"{version.key} is in the registry (digest {version.digest[:12]})")

    def _build(self, options: dict[str, Any]) -> None:
        bounds, progress = bounds_of(options["max_errors"]), progress_of(self, options)
        progress.stage(f"looking for pages in {options['pages']}")
        try:
            require_sandbox()
            pages = distinct_pages(options["pages"], limit=MAX_PAGES, progress=progress)
            build(pages, bounds, progress, self.stdout.write)
        except (FolderInvalid, DocumentRejected, ReaderUnavailable, SandboxUnavailable, OSError) as error:
            raise CommandError(str(error)) from error

    def _optimize(self, options: dict[str, Any]) -> None:
        optimize(options, progress_of(self, options), self.stdout.write)

    def _use(self, options: dict[str, Any]) -> None:
        name, number = numbered(options["model"])
        alias, variant_id = options["alias"], options["variant"]
        if variant_id is not None:
            version = use_variant(owner=None, model=name, number=number, variant_id=variant_id, alias=alias)
            number = version.number
        else:
            move_alias(owner=None, model=name, alias=alias, number=number)
        self.stdout.write(f"{name}@{alias} is version {number} now")

    def _rollback(self, options: dict[str, Any]) -> None:
        move = roll_back(owner=None, model=options["model"], alias=options["alias"])
        assert move.version is not None
        self.stdout.write(f"{options['model']}@{options['alias']} is version {move.version.number} now")

    def _pause(self, options: dict[str, Any]) -> None:
        self._set_paused(options["model"], True)

    def _resume(self, options: dict[str, Any]) -> None:
        self._set_paused(options["model"], False)

    def _set_paused(self, name: str, paused: bool) -> None:
        if not set_paused(name=name, paused=paused):
            raise ModelNotFound(f"There is no model {name!r}.")
        self.stdout.write(f"{name} is {'paused' if paused else 'active'}")


def _describe_model(add: CommandParser) -> None:
    add.add_argument("--name", required=True, help="letters, digits, - and _")
    add.add_argument("--title", default="")
    add.add_argument("--description", default="")
    add.add_argument("--license", default="", help="name of the license, such as Apache-2.0")
    add.add_argument(
        "--price-micros",
        type=int,
        help="price of --price-per units, in millionths of the currency (default: 0, or the price of the model "
        "if it exists)",
    )
    add.add_argument(
        "--price-per",
        type=int,
        help="number of units that the price is for; milliseconds for gpu_second (default: 1; 1000 for gpu_second)",
    )
    add.add_argument("--price-meter", choices=METERS_OF_WORK, default="call")
    add.add_argument("--currency", default="EUR")
    add.add_argument(
        "--cached-price-micros",
        type=int,
        help="price of a cache hit (default: the price of a run)",
    )
    add.add_argument(
        "--review-price-micros",
        type=int,
        help="price of a page that a person must check; 0: free (default: the price of a run)",
    )
    add.add_argument(
        "--cache-ttl-s",
        type=int,
        help="seconds for which a result is reused for the same input; 0: never "
        f"(default: {CACHE_TTL_S}, or the value of the model if it exists)",
    )
    add.add_argument("--keep-current", action="store_true", help="add the version, but do not make it the current one")


def _price(options: dict[str, Any]) -> Price:
    try:
        return Price(
            meter=options["price_meter"],
            amount_micros=options["price_micros"] or 0,
            per=_per(options),
            currency=options["currency"],
        )
    except ValueError as error:
        raise CommandError(str(error)) from error


def _per(options: dict[str, Any]) -> int:
    per: int | None = options["price_per"]
    usual = MS_PER_SECOND if options["price_meter"] == "gpu_second" else 1
    return usual if per is None else per


def _cached(options: dict[str, Any]) -> CacheTerms:
    try:
        told_s = options["cache_ttl_s"]
        return CacheTerms(options["cached_price_micros"], CACHE_TTL_S if told_s is None else told_s)
    except ValueError as error:
        raise CommandError(str(error)) from error


def _review_price_micros(options: dict[str, Any]) -> int | None:
    micros: int | None = options["review_price_micros"]
    if micros is not None and micros < 0:
        raise CommandError(f"--review-price-micros {micros} is negative. Use 0 or more.")
    return micros


def describe_precisions(add: ArgumentParser) -> None:
    add.add_argument(
        "--variant",
        action="append",
        default=[],
        metavar="PRECISION=FILE",
        help=f"the same graph in another precision ({', '.join(PRECISIONS[1:])}), with the same inputs and outputs;"
        " repeat for each precision. It is refused if its answers differ too much from those of the fp32 file",
    )
    add.add_argument(
        "--precision",
        action="append",
        default=[],
        metavar="[DEVICE=]PRECISION",
        help="precision to run in: one for both, or cpu=… and gpu=… (default: fp32)",
    )


def read_variants(given: Sequence[str]) -> dict[str, Path]:
    variants: dict[str, Path] = {}
    for assignment in given:
        precision, equals, file = assignment.partition("=")
        if not precision or not equals or not file:
            raise ModelRefused("invalid_variant", f"--variant {assignment!r:.80} must be written precision=file")
        if precision in variants or precision == FP32:
            raise ModelRefused("invalid_variant", f"--variant gives a file for {precision!r} twice")
        variants[precision] = Path(file)
    return variants


def read_precision(given: Sequence[str]) -> Precision | None:
    """Return a precision for both devices or one for each, or None if none is given."""
    if len(given) == 1 and "=" not in given[0]:
        return given[0]
    precision: dict[str, str] = {}
    for assignment in given:
        device, equals, word = assignment.partition("=")
        if not equals or device in precision:
            raise ModelRefused(
                "invalid_variant",
                f"--precision {assignment!r:.80} must be one word alone, or cpu=word and gpu=word",
            )
        precision[device] = word
    return precision or None
