"""The measurement of an uploaded variant: its file is checked, compared with the version's own, and judged."""

from inference.core.calls import Call
from inference.factory.bounds import BoundInvalid
from inference.factory.samples import SampleInvalid
from inference.registry import artifacts
from inference.registry.admission import ModelRefused
from inference.registry.gating import judge
from inference.registry.models import ModelVariant
from inference.registry.onnx_files import admission_for, check_file
from inference.registry.refusals import refusal_json
from inference.registry.tasks.claims import TaskClaim, ending
from tenants.core.db.unit_of_work import operator_work
from tenants.core.progress import Progress

State = ModelVariant.State


def measure(claim: TaskClaim, progress: Progress, call: Call) -> None:
    """Check the file of a variant, compare it with its source and end the task with the verdict."""
    with operator_work():
        variants = ModelVariant.objects.select_related("version__served_model")
        variant = variants.get(tasks=claim.task_id)
    version = variant.version
    path = artifacts.local_path(variant.artifact)
    try:
        checked = check_file(path, admission_for(version.tenant_id), progress, call)
        if not checked.fits(version.signature):
            raise ModelRefused("variant_differs", "it has other inputs or outputs than the version")
        report = judge(version, path, progress, call).to_json()
        state = State.ADMITTED if report["verdict"]["admitted"] else State.REFUSED
    except ModelRefused as refused:
        report, state = {"refused": refusal_json(refused)}, State.REFUSED
    except (SampleInvalid, BoundInvalid) as error:
        report, state = {"refused": refusal_json(ModelRefused("not_comparable", str(error)))}, State.REFUSED
    with ending(claim, {"state": state}):
        ModelVariant.objects.filter(pk=variant.pk, state=State.MEASURING).update(state=state, report=report)
