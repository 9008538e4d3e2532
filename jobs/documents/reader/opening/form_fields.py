"""Reads the form fields of a PDF page: what is ticked, typed in and chosen."""

import ctypes
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import pypdfium2.raw as pdfium

Sides = tuple[float, float, float, float]

MAX_FIELDS = 500
"""The most fields of a page that are read."""
MAX_CHARS = 5_000
"""The longest name, label or value of a field."""
_UNSEEN = pdfium.FPDF_ANNOT_FLAG_HIDDEN | pdfium.FPDF_ANNOT_FLAG_NOVIEW
_PASSWORD = 1 << 13
"""The flag of text fields whose content is not shown."""
_TICKED = frozenset({pdfium.FPDF_FORMFIELD_CHECKBOX, pdfium.FPDF_FORMFIELD_RADIOBUTTON})
_TYPED = frozenset({pdfium.FPDF_FORMFIELD_TEXTFIELD, pdfium.FPDF_FORMFIELD_COMBOBOX, pdfium.FPDF_FORMFIELD_LISTBOX})


@dataclass(frozen=True, slots=True)
class FormField:
    sides: Sides
    """Left, bottom, right and top in coordinates of the page."""
    label: str
    """The label for people, which many forms lack."""
    name: str
    checked: bool | None
    """It is set if the field is ticked, and None for a field that contains text."""
    value: str
    is_radio: bool = False


def form_fields(page: Any, form: Any) -> list[FormField]:
    """Return the fields that a person sees, from the page before it is flattened."""
    count = min(max(0, pdfium.FPDFPage_GetAnnotCount(page)), MAX_FIELDS)
    return [found for index in range(count) if (found := _field_at(page, form, index)) is not None]


def _field_at(page: Any, form: Any, index: int) -> FormField | None:
    annotation = pdfium.FPDFPage_GetAnnot(page, index)
    if not annotation:
        return None
    try:
        return _field_of(annotation, form)
    finally:
        pdfium.FPDFPage_CloseAnnot(annotation)


def _field_of(annotation: Any, form: Any) -> FormField | None:
    if pdfium.FPDFAnnot_GetSubtype(annotation) != pdfium.FPDF_ANNOT_WIDGET:
        return None
    kind = pdfium.FPDFAnnot_GetFormFieldType(form, annotation)
    rectangle = pdfium.FS_RECTF()
    is_seen = kind in _TICKED | _TYPED and not pdfium.FPDFAnnot_GetFlags(annotation) & _UNSEEN
    if not is_seen or not pdfium.FPDFAnnot_GetRect(annotation, rectangle):
        return None
    sides = rectangle.left, rectangle.bottom, rectangle.right, rectangle.top
    label = _text(pdfium.FPDFAnnot_GetFormFieldAlternateName, form, annotation)
    name = _text(pdfium.FPDFAnnot_GetFormFieldName, form, annotation)
    if kind in _TICKED:
        is_radio = kind == pdfium.FPDF_FORMFIELD_RADIOBUTTON
        if is_radio:
            name = _text(pdfium.FPDFAnnot_GetFormFieldExportValue, form, annotation) or name
        return FormField(sides, label, name, bool(pdfium.FPDFAnnot_IsChecked(form, annotation)), "", is_radio)
    value = _value_of(annotation, form, kind)
    return None if value is None else FormField(sides, label, name, None, value)


def _value_of(annotation: Any, form: Any, kind: int) -> str | None:
    """Return what a field contains, or None for a password."""
    if kind == pdfium.FPDF_FORMFIELD_TEXTFIELD:
        is_password = pdfium.FPDFAnnot_GetFormFieldFlags(form, annotation) & _PASSWORD
        return None if is_password else _text(pdfium.FPDFAnnot_GetFormFieldValue, form, annotation)
    chosen = ", ".join(_chosen(annotation, form))
    return chosen[:MAX_CHARS] or _text(pdfium.FPDFAnnot_GetFormFieldValue, form, annotation)


def _chosen(annotation: Any, form: Any) -> Iterator[str]:
    """Yield the chosen options as a person sees them."""
    count = min(max(0, pdfium.FPDFAnnot_GetOptionCount(form, annotation)), MAX_FIELDS)
    for index in range(count):
        if pdfium.FPDFAnnot_IsOptionSelected(form, annotation, index):
            yield _filled(partial(_option, form, annotation, index))


def _option(form: Any, annotation: Any, index: int, buffer: Any, size: int) -> int:
    return int(pdfium.FPDFAnnot_GetOptionLabel(form, annotation, index, buffer, size))


def _text(read: Callable[..., int], form: Any, annotation: Any) -> str:
    return _filled(lambda buffer, size: read(form, annotation, buffer, size))


def _filled(read: Callable[[Any, int], int]) -> str:
    """Return the text that a function of PDFium writes into a buffer."""
    size = read(None, 0)
    if not 2 < size <= 2 * MAX_CHARS:
        return ""
    buffer = (ctypes.c_ushort * (size // 2 + 1))()
    read(buffer, size)
    units = bytes(buffer)[: size - 2]
    return units.decode("utf-16-le", "ignore").replace("\x00", "").replace("\r\n", "\n").replace("\r", "\n").strip()
