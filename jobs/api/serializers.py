"""Serializes documents, jobs and pages for API clients."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from jobs.core import archive_states
from jobs.core.deadlines import LONGEST_S
from jobs.core.models import Correction, Document, ErasedReason, Job
from jobs.core.models.archives import ArchiveEntry
from jobs.core.models.jobs import LONGEST_URL
from jobs.core.priorities import DEFAULT, NAMES, NUMBERS
from jobs.documents.job_selectors import EventRow
from jobs.intake.uploads import LONGEST_PASSWORD
from jobs.queue.waiting import REASONS
from jobs.results.result_json import cost_json
from jobs.submission.inputs import normal_form
from tenants.core.messages import one_of


class ErrorSerializer(serializers.Serializer[Any]):
    code = serializers.CharField()
    detail = serializers.CharField()


class ArchiveEntrySerializer(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    name = serializers.CharField()
    size_bytes = serializers.IntegerField(help_text="Unpacked size, as the archive says.")
    state = serializers.ChoiceField(archive_states.ENTRY_STATES)
    document = serializers.UUIDField(allow_null=True)
    job = serializers.UUIDField(allow_null=True)
    skipped = serializers.CharField(
        allow_null=True,
        help_text="Why the entry was skipped: `folder`, `made_by_system`, `signature` or `inline_picture`.",
    )
    error = ErrorSerializer(allow_null=True)


def entry_json(entry: ArchiveEntry) -> dict[str, object]:
    skipped = entry.state == archive_states.SKIPPED
    return {
        "number": entry.number,
        "name": entry.name,
        "size_bytes": entry.size_bytes,
        "state": entry.state,
        "document": entry.document_id,
        "job": entry.job_id,
        "skipped": entry.error_code if skipped else None,
        "error": None if skipped else error_json(entry.error_code, entry.error_detail),
    }


def error_json(code: str, detail: str) -> dict[str, str] | None:
    return {"code": code, "detail": detail} if code else None


class CostSerializer(serializers.Serializer[Any]):
    amount = serializers.CharField(help_text="Decimal number in the main unit of the currency.")
    amount_micros = serializers.IntegerField(help_text="Millionths of the main unit of the currency.")
    currency = serializers.CharField()


class DocumentSerializer(serializers.ModelSerializer[Document]):
    object = serializers.CharField(read_only=True, default="document")
    url = serializers.SerializerMethodField()

    class Meta:
        model = Document
        fields: tuple[str, ...] = (
            "id",
            "object",
            "name",
            "kind",
            "content_type",
            "size_bytes",
            "sha256",
            "pages_total",
            "attachments_total",
            "livemode",
            "created_at",
            "url",
        )

    def get_url(self, document: Document) -> str:
        return f"/v1/documents/{document.id}"


class StrictFields(serializers.Serializer[Any]):
    """A serializer that refuses unknown fields, because ignoring a field would not do what the caller meant."""

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        unknown = sorted(set(self.initial_data) - set(self.fields))
        if unknown:
            raise serializers.ValidationError({name: ["Unknown field."] for name in unknown})
        return attrs


class PasswordField(serializers.CharField):
    """The password of an encrypted PDF that is fetched."""

    def __init__(self) -> None:
        super().__init__(
            required=False,
            default="",
            allow_blank=True,
            trim_whitespace=False,
            max_length=LONGEST_PASSWORD,
            help_text="Password of an encrypted PDF. It is used once and neither logged nor stored.",
        )


class AddressSerializer(StrictFields):
    """The URL of a document to fetch."""

    url = serializers.CharField(
        max_length=LONGEST_URL, help_text="An `https://…` URL. It is used once and neither logged nor stored."
    )
    name = serializers.CharField(
        required=False,
        default="",
        allow_blank=True,
        max_length=255,
        help_text="Name of the document. Default: the name from the server or the URL.",
    )
    attachments = serializers.BooleanField(
        required=False, default=True, help_text="Whether the attachments of an email become documents too."
    )
    password = PasswordField()


class JobRequestSerializer(StrictFields):
    """The JSON form of a submission. The multipart form has `model`, `file`, `webhook_url` and, as JSON text,
    `parameters`.
    """

    model = serializers.CharField(max_length=120, help_text="`parse` for the current version, `parse@2` for version 2.")
    document = serializers.UUIDField(required=False, allow_null=True)
    document_url = serializers.CharField(
        required=False,
        max_length=LONGEST_URL,
        help_text="Instead of `document`: an `https://…` URL to fetch it from.",
    )
    input = serializers.JSONField(required=False, allow_null=True, help_text="Text, list of texts, or tensors.")
    parameters = serializers.DictField(required=False, default=dict)
    priority = serializers.ChoiceField(
        list(NUMBERS),
        default=DEFAULT,
        help_text="Scheduling priority of the job.",
        error_messages={"invalid_choice": f"Use {one_of(NUMBERS)}."},
    )
    webhook_url = serializers.CharField(
        required=False,
        max_length=LONGEST_URL,
        help_text="URL that is notified when the job ends, in addition to the webhook endpoints of the account.",
    )

    class_set = serializers.CharField(
        required=False,
        max_length=60,
        help_text="Your class set that classes the document: `letters`, or `letters@3` for version 3.",
    )
    expires_after = serializers.IntegerField(
        required=False,
        min_value=1,
        max_value=LONGEST_S,
        help_text="Seconds. A job that has not ended by then ends as `expired`.",
        error_messages={"invalid": "Must be a whole number of seconds, such as 900. Only a form takes 15m."},
    )
    attachments = serializers.BooleanField(
        required=False,
        default=True,
        help_text="Whether the attachments of an email are read too, as jobs of their own.",
    )
    password = PasswordField()

    def validate_input(self, value: object) -> dict[str, Any] | None:
        return None if value is None else normal_form(value)


class DocumentClassSerializer(serializers.Serializer[Any]):
    """The class of a whole document."""

    label = serializers.CharField(  # type: ignore[assignment]  # the answer calls it so
        help_text="The class that a person chose, else the most probable, or `unsure` if its probability is below 0.5."
    )
    probabilities = serializers.DictField(
        child=serializers.FloatField(), help_text="The probability of each class, as the model gave it."
    )
    corrected = serializers.BooleanField(help_text="Whether the label is the correction of a person.")
    class_set = serializers.CharField(
        required=False, help_text="The version of your class set, such as `letters@3`, if it gave the class."
    )


class JobSerializer(serializers.ModelSerializer[Job]):
    object = serializers.CharField(read_only=True, default="job")
    model = serializers.CharField(source="model_version.key", help_text="Model name and version.")
    document = serializers.UUIDField(source="document_id", allow_null=True)
    priority = serializers.SerializerMethodField()
    pages_done = serializers.IntegerField(help_text="Pages that have ended, successfully or not.")
    pages_to_review = serializers.IntegerField(help_text="Finished pages that a person should check.")
    needs_review = serializers.BooleanField(help_text="Whether a person should check at least one page.")
    quality = serializers.FloatField(allow_null=True, help_text="Lowest quality of the finished pages, from 0 to 1.")
    error = serializers.SerializerMethodField()
    cost = serializers.SerializerMethodField()
    retry_of = serializers.UUIDField(source="retry_of_id", allow_null=True)
    erased_reason = serializers.SerializerMethodField()
    urls = serializers.SerializerMethodField()

    class Meta:
        model = Job
        fields: tuple[str, ...] = (
            "id",
            "object",
            "state",
            "model",
            "document",
            "parameters",
            "priority",
            "pages_total",
            "pages_done",
            "pages_succeeded",
            "pages_failed",
            "pages_cached",
            "pages_coalesced",
            "pages_to_review",
            "needs_review",
            "quality",
            "error",
            "cost",
            "retry_of",
            "livemode",
            "last_seq",
            "created_at",
            "expires_at",
            "cancel_at",
            "started_at",
            "finished_at",
            "erased_at",
            "erased_reason",
            "urls",
        )

    def get_fields(self) -> dict[str, Any]:
        """Add the field `class`, which Python does not allow as an attribute name."""
        return {**super().get_fields(), "class": serializers.SerializerMethodField()}

    @extend_schema_field(DocumentClassSerializer(allow_null=True))
    def get_class(self, job: Job) -> dict[str, Any] | None:
        found = job.document_class
        return None if found is None else found.to_json()

    @extend_schema_field(serializers.ChoiceField(list(NUMBERS)))
    def get_priority(self, job: Job) -> str:
        return NAMES[job.priority]

    @extend_schema_field(ErrorSerializer(allow_null=True))
    def get_error(self, job: Job) -> dict[str, str] | None:
        return {"code": job.error_code, "detail": job.error_detail} if job.error_code else None

    @extend_schema_field(serializers.ChoiceField(ErasedReason.values, allow_null=True))
    def get_erased_reason(self, job: Job) -> str | None:
        return job.erased_reason or None

    @extend_schema_field(CostSerializer)
    def get_cost(self, job: Job) -> dict[str, Any]:
        return cost_json(job.cost_micros, job.currency)

    def get_urls(self, job: Job) -> dict[str, str]:
        here = f"/v1/jobs/{job.id}"
        return {
            "self": here,
            "result": f"{here}/result",
            "pages": f"{here}/pages",
            "events": f"{here}/events",
            "cancel": f"{here}/cancel",
            "retry": f"{here}/retry",
        }


class ClassSerializer(serializers.Serializer[Any]):
    """The predicted class of a page. Results made by earlier versions have scores in place of probabilities."""

    label = serializers.CharField()  # type: ignore[assignment]  # the answer calls it so
    probabilities = serializers.DictField(child=serializers.FloatField(), required=False)
    score = serializers.FloatField(required=False)
    scores = serializers.DictField(child=serializers.FloatField(), required=False)
    class_set = serializers.CharField(required=False, help_text="Version of the class set that gave the class.")


class LineSerializer(serializers.Serializer[Any]):
    text = serializers.CharField()
    box = serializers.ListField(
        child=serializers.ListField(child=serializers.FloatField()),
        allow_null=True,
        help_text="Four corners in pixels of the page picture, clockwise from the top left of the text as it is read.",
    )
    confidence = serializers.FloatField(allow_null=True)


class WarningSerializer(serializers.Serializer[Any]):
    """A reason why a person should look at the page."""

    code = serializers.CharField()
    message = serializers.CharField()
    box = serializers.ListField(
        child=serializers.ListField(child=serializers.FloatField()),
        required=False,
        help_text="Four corners of the place on the page, like those of a line.",
    )


class BlockSerializer(serializers.Serializer[Any]):
    """Lines that belong together, such as a paragraph."""

    type = serializers.CharField(help_text="Such as `heading`, `paragraph`, `list_item` or `table`.")
    level = serializers.IntegerField(required=False, help_text="Level of a heading on its page, from 1, the highest.")
    box = serializers.ListField(
        child=serializers.ListField(child=serializers.FloatField()),
        allow_null=True,
        help_text="Four corners, like those of a line.",
    )
    lines = serializers.ListField(child=serializers.IntegerField(), help_text="Positions in `lines`, from 0.")
    table = serializers.IntegerField(required=False, help_text="Position of a table in `tables`, from 0.")


class CellSerializer(serializers.Serializer[Any]):
    """A cell of a table."""

    row = serializers.IntegerField(help_text="First row, from 0.")
    column = serializers.IntegerField(help_text="First column, from 0.")
    row_span = serializers.IntegerField()
    column_span = serializers.IntegerField()
    text = serializers.CharField(allow_blank=True)
    box = serializers.ListField(
        child=serializers.ListField(child=serializers.FloatField()),
        allow_null=True,
        help_text="Four corners, like those of a line.",
    )
    confidence = serializers.FloatField()
    header = serializers.BooleanField(help_text="Whether it is a header of its row or column.")


class TableSerializer(serializers.Serializer[Any]):
    """A grid of cells, some of which span rows or columns. Places without text may have no cell."""

    box = serializers.ListField(
        child=serializers.ListField(child=serializers.FloatField()),
        allow_null=True,
        help_text="Four corners, like those of a line.",
    )
    rows = serializers.IntegerField()
    columns = serializers.IntegerField()
    header_rows = serializers.IntegerField(help_text="Number of rows at the top that are headers.")
    continues = serializers.BooleanField(help_text="Whether it goes on from the last table of the page before.")
    cells = CellSerializer(many=True)


class CodeSerializer(serializers.Serializer[Any]):
    """A barcode, QR code or other code for machines."""

    symbology = serializers.CharField(help_text="Such as `qr`, `code128`, `ean13`, `data_matrix`, `pdf417` or `aztec`.")
    text = serializers.CharField(help_text="The content. Empty if it is not text.")
    base64 = serializers.CharField(required=False, help_text="The content in Base64 if it is not text.")
    box = serializers.ListField(
        child=serializers.ListField(child=serializers.FloatField()),
        help_text="Four corners, from the top left of the code as it was made.",
    )


class MarkSerializer(serializers.Serializer[Any]):
    """A tick box or radio button."""

    label = serializers.CharField(help_text="The label of the form field, or the text beside the box.")  # type: ignore[assignment]  # the answer's own name
    checked = serializers.BooleanField()
    box = serializers.ListField(
        child=serializers.ListField(child=serializers.FloatField()), help_text="Four corners, without the label."
    )


class PairSerializer(serializers.Serializer[Any]):
    """A value with its name, such as a filled-in form field."""

    key = serializers.CharField()
    key_box = serializers.ListField(
        child=serializers.ListField(child=serializers.FloatField()),
        allow_null=True,
        help_text="Four corners of the name. Null if it is not printed.",
    )
    value = serializers.CharField()
    value_box = serializers.ListField(
        child=serializers.ListField(child=serializers.FloatField()), help_text="Four corners of the value."
    )
    confidence = serializers.FloatField()


class LearnedSerializer(serializers.Serializer[Any]):
    """The outcome of a corrected class for the class set of its job."""

    class_set = serializers.CharField()
    version = serializers.CharField(allow_null=True, help_text="The version that was trained, such as `letters@4`.")
    reason = serializers.CharField(allow_null=True, help_text="Why none was trained.")


class CorrectionSerializer(serializers.Serializer[Any]):
    """A correction by a person in the result of a page or document."""

    kind = serializers.ChoiceField(Correction.Kind.values)
    table = serializers.IntegerField(
        allow_null=True, help_text="Position of the cell's table, from 0. Null for all others."
    )
    index = serializers.IntegerField(
        allow_null=True, help_text="Position of the line or cell, from 0. Null for a class or field."
    )
    name = serializers.CharField(allow_null=True, help_text="Name of the field. Null for all others.")
    original = serializers.CharField()
    corrected = serializers.CharField()
    author = serializers.CharField(help_text="The member or API key that corrected it.")
    created_at = serializers.DateTimeField()
    learned = LearnedSerializer(required=False, help_text="When the class of a job with a class set is corrected.")


class PageSerializer(serializers.Serializer[Any]):
    """A page of a job. Each model adds its own results (`text`, `lines`, `embedding`, `outputs`, …)."""

    number = serializers.IntegerField()
    state = serializers.CharField()
    error = ErrorSerializer(allow_null=True)
    attempts = serializers.IntegerField()
    cached = serializers.BooleanField(help_text="Whether the result came from the cache.")
    cost = CostSerializer()
    picture = serializers.CharField(allow_null=True)
    started_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)
    text = serializers.CharField(required=False)
    lines = LineSerializer(many=True, required=False)
    width = serializers.IntegerField(required=False)
    height = serializers.IntegerField(required=False)
    quality = serializers.FloatField(required=False, help_text="How well the page was read, from 0 to 1.")
    needs_review = serializers.BooleanField(required=False, help_text="Whether a person should check the page.")
    warnings = WarningSerializer(many=True, required=False)
    codes = CodeSerializer(many=True, required=False)
    marks = MarkSerializer(many=True, required=False)
    pairs = PairSerializer(many=True, required=False)
    source = serializers.ChoiceField(  # type: ignore[assignment]  # the answer's own name
        choices=["text", "text_layer", "ocr", "mixed", "document"], required=False
    )
    embedding = serializers.ListField(child=serializers.FloatField(), required=False)
    embeddings = serializers.ListField(child=serializers.ListField(), required=False)
    truncated = serializers.JSONField(
        required=False, help_text="Whether the text was cut for the model. For a list of texts, the positions of those."
    )
    dimensions = serializers.IntegerField(required=False, help_text="Of `embed`: the number of values of an embedding.")
    tokens = serializers.IntegerField(required=False, help_text="Of `embed`: the number of tokens that were read.")
    certainty = serializers.FloatField(required=False, help_text="Of `orient`: how certain the rotation is, 0 to 1.")
    outputs = serializers.ListField(child=serializers.DictField(), required=False)
    blocks = BlockSerializer(many=True, required=False)
    tables = TableSerializer(many=True, required=False)
    rotation = serializers.IntegerField(
        required=False, help_text="Degrees clockwise by which the stored picture was turned to be upright."
    )
    angle = serializers.FloatField(required=False, help_text="Skew in degrees that was taken out after the turn.")
    sheet = serializers.ListField(
        child=serializers.ListField(child=serializers.FloatField()),
        required=False,
        allow_null=True,
        help_text="Four corners of the photographed sheet in the stored picture, if it was cut out.",
    )
    corrections = CorrectionSerializer(many=True, required=False, help_text="What people corrected, if anything.")

    def get_fields(self) -> dict[str, Any]:
        """Add the field `class`, which Python does not allow as an attribute name."""
        return {**super().get_fields(), "class": ClassSerializer(required=False)}


class FieldSerializer(serializers.Serializer[Any]):
    """A field of a document, such as the total of an invoice."""

    name = serializers.CharField(help_text="Such as `invoice_number`, `issue_date`, `supplier` or `total`.")
    value = serializers.CharField(help_text="As it is written on the page.")
    normalized = serializers.CharField(allow_null=True, help_text="For programs. Null if it is not clear.")
    type = serializers.CharField(help_text="`text`, `date`, `amount`, `currency`, `iban`, or a type of own fields.")
    page = serializers.IntegerField()
    box = serializers.ListField(
        child=serializers.ListField(child=serializers.FloatField()), allow_null=True, help_text="Four corners."
    )
    quote = serializers.CharField(help_text="The line of the page that shows the value.")
    confidence = serializers.FloatField()
    label = serializers.CharField(required=False, help_text="The label beside an own field.")  # type: ignore[assignment]  # the answer calls it so
    ambiguous = serializers.ListField(
        child=serializers.CharField(), required=False, help_text="The two dates that a numeric date may mean."
    )
    own = serializers.BooleanField(required=False, help_text="Whether it is a field that you defined.")
    corrected = serializers.BooleanField(required=False, help_text="Whether a person corrected or confirmed it.")
    read = serializers.DictField(
        required=False, allow_null=True, help_text="What was read, if it was corrected. Null if nothing was."
    )


class TaxRateSerializer(serializers.Serializer[Any]):
    """The tax of one rate on an invoice or receipt."""

    rate = serializers.CharField(help_text="In percent.")
    net = serializers.CharField()
    tax = serializers.CharField()
    page = serializers.IntegerField()
    box = serializers.ListField(child=serializers.ListField(child=serializers.FloatField()), allow_null=True)
    quote = serializers.CharField()
    confidence = serializers.FloatField()


class LineItemSerializer(serializers.Serializer[Any]):
    """An item of an invoice."""

    description = serializers.CharField(allow_null=True)
    quantity = serializers.CharField(allow_null=True)
    unit_price = serializers.CharField(allow_null=True)
    tax_rate = serializers.CharField(allow_null=True, help_text="In percent.")
    amount = serializers.CharField()
    page = serializers.IntegerField()
    box = serializers.ListField(child=serializers.ListField(child=serializers.FloatField()), allow_null=True)
    confidence = serializers.FloatField()


class SegmentSerializer(serializers.Serializer[Any]):
    """A document in a file of several, such as a stack of scanned mail."""

    first_page = serializers.IntegerField()
    last_page = serializers.IntegerField()
    probability = serializers.FloatField(help_text="Probability of the most probable class.")
    confidence = serializers.FloatField(help_text="Probability that the document begins and ends with these pages.")

    def get_fields(self) -> dict[str, Any]:
        """Add the field `class`, which Python does not allow as an attribute name."""
        return {**super().get_fields(), "class": serializers.CharField(help_text="The class, or `unsure`.")}


class ResultSerializer(serializers.Serializer[Any]):
    """The result of a job. The JSON Schema at `/v1/schemas/result-1.json` describes every field, with its unit."""

    object = serializers.CharField()
    schema_version = serializers.IntegerField(help_text="Version of the schema: 1.")
    job = serializers.UUIDField()
    state = serializers.CharField()
    model = serializers.CharField()
    pages_total = serializers.IntegerField()
    pages_done = serializers.IntegerField()
    missing = serializers.ListField(
        child=serializers.IntegerField(), required=False, help_text="In the file: numbers of pages without a result."
    )
    text = serializers.CharField()
    segments = SegmentSerializer(
        many=True, required=False, help_text="With a class set: the documents in the file, one after the other."
    )
    pages = PageSerializer(many=True)
    fields = FieldSerializer(  # type: ignore[assignment]  # the answer's own name
        many=True, required=False, help_text="What was found of an invoice or receipt. What is not there is absent."
    )
    tax_rates = TaxRateSerializer(many=True, required=False)
    line_items = LineItemSerializer(many=True, required=False)
    warnings = WarningSerializer(many=True, required=False, help_text="Such as sums that contradict each other.")
    corrections = CorrectionSerializer(
        many=True, required=False, help_text="The corrected class and fields of the whole document, if any."
    )


class ChunkPageSerializer(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    width = serializers.FloatField(allow_null=True, help_text="Width of the page picture in pixels.")
    height = serializers.FloatField(allow_null=True, help_text="Height of the page picture in pixels.")
    blocks = serializers.ListField(
        child=serializers.IntegerField(), help_text="Positions in the `blocks` of the page, from 0."
    )
    boxes = serializers.ListField(
        child=serializers.ListField(child=serializers.ListField(child=serializers.FloatField())),
        help_text="Four corners of each block with a position, in pixels of the page picture.",
    )


class ChunkSerializer(serializers.Serializer[Any]):
    """A line of the chunks of a job."""

    object = serializers.CharField()
    number = serializers.IntegerField(help_text="Counts from 1 in each job.")
    job = serializers.UUIDField()
    document = serializers.UUIDField(allow_null=True)
    name = serializers.CharField(help_text="Name of the document.")
    text = serializers.CharField()
    words = serializers.IntegerField()
    headings = serializers.ListField(
        child=serializers.CharField(), help_text="Headings above the first block, from the highest down."
    )
    pages = ChunkPageSerializer(many=True)


class EventSerializer(serializers.Serializer[Any]):
    job = serializers.UUIDField()
    seq = serializers.IntegerField()
    type = serializers.CharField()
    data = serializers.DictField()  # type: ignore[assignment]  # the name is the protocol's
    created_at = serializers.DateTimeField()


def event_json(row: EventRow) -> dict[str, object]:
    return {
        "job": row.job_id,
        "seq": row.seq,
        "type": row.type,
        "data": row.data,
        "created_at": row.created_at,
    }


class ShownDocumentSerializer(DocumentSerializer):
    retained_until = serializers.DateTimeField(
        allow_null=True,
        help_text="When the document will be erased, unless it is used again before. Null: never.",
    )
    attachments = ArchiveEntrySerializer(
        many=True, help_text="Attachments of an email, as they were last taken. Empty for other files."
    )
    attachment_of = serializers.ListField(
        child=serializers.UUIDField(), help_text="IDs of the emails that the document is attached to."
    )

    class Meta(DocumentSerializer.Meta):
        fields = (*DocumentSerializer.Meta.fields, "retained_until", "attachments", "attachment_of")


class StoredDocumentSerializer(DocumentSerializer):
    duplicate = serializers.BooleanField(help_text="True if the same bytes were already stored.")

    class Meta(DocumentSerializer.Meta):
        fields = (*DocumentSerializer.Meta.fields, "duplicate")


class JobWithResultSerializer(JobSerializer):
    result = ResultSerializer(
        required=False, help_text="Included with `include=result`, and if the job ends during `Prefer: wait`."
    )

    retained_until = serializers.DateTimeField(
        required=False,
        allow_null=True,
        help_text="When the job will be erased. Null until the job ends, or if it is never erased.",
    )
    position = serializers.IntegerField(
        required=False,
        allow_null=True,
        help_text="While the job waits: number of pages of its model that start first.",
    )
    eta_seconds = serializers.IntegerField(
        required=False, allow_null=True, help_text="While the job waits: estimated seconds until it starts."
    )
    reason_waiting = serializers.ChoiceField(
        REASONS, required=False, allow_null=True, help_text="Why the job waits. Null if it does not wait."
    )

    class Meta(JobSerializer.Meta):
        fields = (
            *JobSerializer.Meta.fields,
            "retained_until",
            "position",
            "eta_seconds",
            "reason_waiting",
            "result",
        )
