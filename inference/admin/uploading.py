"""The form with which an operator uploads a model of the installation: a file becomes the next version of a name."""

import tempfile
from pathlib import Path
from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext_lazy as _
from unfold.widgets import (
    UnfoldAdminFileFieldWidget,
    UnfoldAdminIntegerFieldWidget,
    UnfoldAdminTextInputWidget,
)

from inference.registry.isolation import require_isolation
from inference.registry.model_limits import limits_of
from inference.registry.models import ModelVersion, ServedModel
from inference.registry.uploads import LONGEST_LICENSE, ModelDescription, ModelUpload, add_upload
from tenants.core.errors import DomainError
from tenants.limits.quota.wording import size

OF_NEW_MODELS = ("isolated", "price_meter", "price_micros", "price_per", "currency", "audience")
"""The fields that count for a new model. A next version leaves them as they are."""


class ModelUploadForm(forms.ModelForm):  # type: ignore[type-arg]
    FIELDSETS = (
        (None, {"fields": ("model_name", "file", "license", "title", "description")}),
        (_("For a new model"), {"fields": ("audience", "isolated")}),
        (_("Price of a new model"), {"fields": (("price_micros", "currency"), ("price_per", "price_meter"))}),
    )
    model_name = forms.CharField(
        label=_("Name"),
        max_length=100,
        widget=UnfoldAdminTextInputWidget,
        help_text=_("Letters, digits, - and _. With the name of a model, the file becomes its next version."),
    )
    file = forms.FileField(label=_("File"), widget=UnfoldAdminFileFieldWidget)
    license = forms.CharField(
        label=_("License"),
        max_length=LONGEST_LICENSE,
        widget=UnfoldAdminTextInputWidget,
        help_text=_("Name of the license, such as Apache-2.0."),
    )
    price_micros = forms.IntegerField(
        label=_("Price in millionths"), min_value=0, initial=0, widget=UnfoldAdminIntegerFieldWidget
    )

    version: ModelVersion
    """The version that the file became."""

    class Meta:
        model = ServedModel
        fields = ("title", "description", *OF_NEW_MODELS)
        labels = {"price_per": _("Per"), "price_meter": _("Unit")}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["file"].help_text = f"ONNX file of up to {size(limits_of(None).file_bytes)}."
        self.initial.setdefault("price_meter", "call")
        self.initial.setdefault("isolated", True)

    def clean(self) -> dict[str, Any]:
        """Upload the file once all fields are right, so that the refusals of the upload are shown in the form."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if not self.errors:
            try:
                self.version = add_uploaded(cleaned)
            except DomainError as refusal:
                raise forms.ValidationError(refusal.detail) from refusal
        return cleaned


def add_uploaded(given: dict[str, Any]) -> ModelVersion:
    """Add the file as the next version of a model of the installation, as uploads of accounts are. Raises DomainError.

    A new model gets the price and the settings of the form.
    """
    if given["isolated"]:
        require_isolation()
    name = given["model_name"]
    is_new = not ServedModel.objects.filter(tenant=None, name=name, deleted_at=None).exists()
    with tempfile.TemporaryDirectory(prefix="maas-upload-") as folder:
        path = _written(given["file"], Path(folder, "model.onnx"))
        upload = ModelUpload(
            name=name,
            file=path,
            license=given["license"],
            title=given["title"],
            description=ModelDescription(description=given["description"]),
        )
        version, _task = add_upload(owner=None, upload=upload)
    if is_new:
        fields = {field: given[field] for field in OF_NEW_MODELS}
        ServedModel.objects.filter(pk=version.served_model_id).update(**fields)
    return version


def _written(file: "UploadedFile[Any]", path: Path) -> Path:
    with path.open("wb") as target:
        for chunk in file.chunks():
            target.write(chunk)
    return path
