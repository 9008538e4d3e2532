"""The classification of a text by its similarity to typical sentences of each kind of document."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float32]

OTHER = "other"
MIN_SCORE = 0.25
"""The lowest cosine at which a text resembles a kind, chosen on the samples of the tests."""

# There are several sentences per kind, since documents of a kind differ. There are German sentences beside the English
# ones, since the model knows German words mostly by their spelling.
PROTOTYPES: Mapping[str, tuple[str, ...]] = {
    "invoice": (
        "Invoice number, invoice date, due date, bill to, quantity, unit price, subtotal, VAT, "
        "total amount due. Please pay by bank transfer to the IBAN below.",
        "Receipt for your purchase: items, price, tax, total paid by card, order number.",
        "Your bill: account number, billing period, usage, charges, amount due, pay by.",
        "Rechnung Nr., Rechnungsdatum, Kundennummer, Menge, Einzelpreis, Nettobetrag, zzgl. 19 % MwSt., "
        "Gesamtbetrag. Bitte überweisen Sie den Betrag innerhalb von 14 Tagen.",
    ),
    "contract": (
        "This agreement is entered into by and between the parties. The parties agree to the following "
        "terms and conditions: term, termination, confidentiality, liability, governing law.",
        "Lease agreement between landlord and tenant: rent, deposit, notice period, signatures.",
        "Employment contract: the employee shall be employed from the start date, salary, working hours, "
        "probation and notice period.",
        "Vertrag zwischen den Vertragsparteien. § 1 Gegenstand des Vertrages, § 2 Laufzeit und "
        "Kündigung, § 3 Haftung, Gerichtsstand, Unterschriften.",
    ),
    "letter": (
        "Dear Sir or Madam, thank you for your letter. I am writing to you regarding our conversation. "
        "I look forward to hearing from you. Yours sincerely,",
        "Place and date. Dear Ms, thank you for your order and for our talk on the telephone. Our colleagues will "
        "visit your office. Please do not hesitate to call me with any question. Yours sincerely,",
        "Dear Anna, it was lovely to see you last week. Give my love to the family. Best wishes,",
        "Dear Mr Smith, I am writing to apply for the position you advertised. Kind regards,",
        "Sehr geehrte Damen und Herren, vielen Dank für Ihr Schreiben vom. Für Rückfragen stehe ich "
        "Ihnen gern zur Verfügung. Mit freundlichen Grüßen",
    ),
    "report": (
        "Annual report: executive summary, introduction, results, revenue grew compared with the "
        "previous year, figures and tables, conclusions and outlook.",
        "Abstract. In this study we measured and analysed data. Methods, results, discussion, conclusion.",
        "We tested the effect on participants; the results were statistically significant.",
        "Inspection report: findings, observations, condition of the site, recommended measures.",
        "Report on the state of a place or a project: summary, numbered findings, years and counts, recommendation "
        "and what to do first.",
        "Bericht: Zusammenfassung, Untersuchung, Ergebnisse, Umsatz stieg gegenüber dem Vorjahr.",
    ),
    "form": (
        "Application form. Please complete in block capitals. Surname, first name, date of birth, "
        "address, telephone number. Tick the box that applies. Signature of applicant.",
        "Registration form fields: name, email, phone, yes / no, check all that apply.",
        "Formular: Antrag auf. Bitte ausfüllen und ankreuzen. Name, Vorname, Geburtsdatum, Anschrift, "
        "Unterschrift des Antragstellers.",
    ),
    OTHER: (
        "A recipe: ingredients, chop the onions, stir, bake in the oven for thirty minutes.",
        "Once upon a time there was a story, a poem, a tale told at night under the stars.",
        "News article about sports: the team won the match in the final minutes.",
        "Source code of a program: import, def, return, class, function.",
        "Menu of a restaurant: starters, main courses, desserts, drinks.",
        "Instructions for assembling and using a product; warnings and troubleshooting.",
    ),
}


@dataclass(frozen=True, slots=True)
class Classification:
    label: str
    score: float
    scores: Mapping[str, float]
    """The best cosine with the examples of each label."""


def prototype_sentences() -> tuple[str, ...]:
    return tuple(sentence for sentences in PROTOTYPES.values() for sentence in sentences)


def prototype_labels() -> tuple[str, ...]:
    """Return the kind of each sentence in `prototype_sentences()`."""
    return tuple(kind for kind, sentences in PROTOTYPES.items() for _ in sentences)


def classify(
    embedding: Vectors, examples: Vectors, labels: Sequence[str], *, min_score: float, otherwise: str
) -> Classification:
    """Return the label of the most similar example, or `otherwise`. All vectors have length 1, one for each label."""
    scores: dict[str, float] = {}
    for label, cosine in zip(labels, (examples @ embedding).tolist(), strict=True):
        scores[label] = max(cosine, scores.get(label, -1.0))
    best = max(scores, key=lambda label: scores[label])
    if scores[best] < min_score:
        best = otherwise
    return Classification(best, scores.get(best, 0.0), scores)
