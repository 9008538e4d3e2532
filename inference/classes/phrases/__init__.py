"""The words and phrases that speak for each class of documents, in English, German and a few other languages."""

from inference.classes.phrases import contract, form, invoice, letter, other, report
from inference.classes.phrases.evidence import Evidence

EVIDENCE: tuple[Evidence, ...] = (
    *invoice.EVIDENCE,
    *contract.EVIDENCE,
    *letter.EVIDENCE,
    *report.EVIDENCE,
    *form.EVIDENCE,
    *other.EVIDENCE,
)
