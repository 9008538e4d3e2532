"""The words of business papers of eight kinds in English and German: title | columns | closing lines | sentences."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

KINDS = ("invoice", "delivery note", "order confirmation", "reminder", "credit note", "offer", "payslip", "statement")


@dataclass(frozen=True)
class Words:
    titles: Sequence[str]
    columns: Sequence[str]
    """The heads of columns, with ; between them."""
    sums: Sequence[str]
    """The labels of the rows below the table, with ; between them."""
    sentences: Sequence[str]


def _words(text: str) -> Words:
    titles, columns, sums, *sentences = [line.strip() for line in text.strip().splitlines()]
    return Words(_choices(titles), _choices(columns), _choices(sums), sentences)


def _choices(line: str) -> list[str]:
    return [part.strip() for part in line.split("|")]


_ENGLISH = {
    "invoice": """
        Invoice | INVOICE no. {number} | Tax invoice | Bill
        Item; Qty; Price; Amount | Description; Quantity; Unit price; Total
        Net; VAT 20 %; Total due | Subtotal; Tax; Amount payable
        We charge you for the goods of our delivery note {number} as follows.
        Please pay the amount within {small} days without deduction.
        Payment is due on {date}. Please quote the invoice number.
        Thank you for your order {number}, which we bill as follows.""",
    "delivery note": """
        Delivery note | DELIVERY NOTE {number} | Packing slip | Goods delivered
        Item; Ordered; Delivered; Unit | Description; Quantity; Packages; Weight
        Packages | Total weight
        We delivered the following goods of your order {number}.
        Please check that the goods are complete and sign below.
        The invoice follows separately. Received in good order: ____________
        Carrier: {firm}. Shipped on {date} from our warehouse.""",
    "order confirmation": """
        Order confirmation | CONFIRMATION OF ORDER {number} | Order acknowledgment | Your order
        Item; Qty; Price; Amount | Description; Quantity; Unit price; Total
        Net; VAT 20 %; Order value | Subtotal; Tax; Total of the order
        Thank you for your order of {date}, which we confirm as follows.
        We expect to deliver in week {small}. The invoice is sent with the goods.
        Our offer {number} and our terms of delivery apply.
        Please tell us within two days if anything is not as you ordered it.""",
    "reminder": """
        Payment reminder | REMINDER | Second reminder | Overdue notice
        Invoice; Date; Due; Open amount | Document; Invoice date; Days late; Amount
        Open invoices; Fee; Total due | Sum; Interest; Amount payable
        According to our records the following invoices have not been paid yet.
        Please pay the open amount by {date}. You may ignore this letter if you have paid.
        If we do not receive your payment within {small} days, we will charge interest.
        The invoice of {date} may have escaped your notice.""",
    "credit note": """
        Credit note | CREDIT NOTE {number} | Credit memo | Refund
        Item; Qty; Price; Amount | Description; Quantity; Unit price; Total
        Net; VAT 20 %; Total credited | Subtotal; Tax; Amount in your favor
        We credit you for goods returned with delivery note {number}.
        The amount is set off against your next invoice.
        This corrects invoice {number} of {date}.
        We will refund the amount to your account within {small} days.""",
    "offer": """
        Offer | QUOTATION {number} | Quote | Our offer for you
        Item; Qty; Price; Amount | Description; Quantity; Unit price; Total
        Net; VAT 20 %; Total offered | Subtotal; Tax; Total price
        Thank you for your inquiry. We are pleased to offer you the following.
        This offer is valid until {date}. Delivery takes {small} weeks after your order.
        Prices are without obligation, payment within 30 days of the invoice.
        We would be glad to receive your order.""",
    "payslip": """
        Payslip | PAY STATEMENT {month} | Salary slip | Earnings statement
        Pay element; Hours; Rate; Amount | Description; Quantity; Factor; Total
        Gross pay; Deductions; Net pay | Gross; Income tax; Paid out
        Personnel no. {number}, tax class {small}, date of entry {date}.
        Your pay is transferred to the account {iban}.
        Vacation left: {small} days. Please keep this statement.
        Social security no. {number}, health insurance {firm}.""",
    "statement": """
        Account statement | STATEMENT OF ACCOUNT {number} | Bank statement | Statement no. {small}
        Date; Booking; Value; Amount | Booked; Details; Value date; Debit or credit
        Old balance; Turnover; New balance | Opening balance; Sum; Closing balance
        Bookings from {date} to {date} on account {iban}.
        Please check the bookings. Objections are possible within six weeks.
        Transfer for invoice {number}, thank you.
        Your overdraft limit is {amount}, the interest {small} percent.""",
}
_GERMAN = {
    "invoice": """
        Rechnung | RECHNUNG Nr. {number} | Rechnung und Leistungsnachweis | Schlussrechnung
        Artikel; Menge; Preis; Betrag | Bezeichnung; Anzahl; Einzelpreis; Gesamt
        Netto; MwSt. 19 %; Gesamtbetrag | Zwischensumme; USt.; Zu zahlen
        Für unsere Lieferung laut Lieferschein {number} berechnen wir Ihnen:
        Bitte zahlen Sie den Betrag innerhalb von {small} Tagen ohne Abzug.
        Zahlbar bis {date}. Bitte geben Sie die Rechnungsnummer an.
        Vielen Dank für Ihren Auftrag {number}, den wir wie folgt in Rechnung stellen.""",
    "delivery note": """
        Lieferschein | LIEFERSCHEIN {number} | Warenbegleitschein | Lieferung
        Artikel; Bestellt; Geliefert; Einheit | Bezeichnung; Menge; Packstücke; Gewicht
        Packstücke | Gesamtgewicht
        Wir lieferten Ihnen folgende Ware aus Ihrer Bestellung {number}.
        Bitte prüfen Sie die Ware auf Vollständigkeit und unterschreiben Sie unten.
        Die Rechnung folgt getrennt. Ware erhalten: ____________
        Spediteur: {firm}. Versand am {date} ab unserem Lager.""",
    "order confirmation": """
        Auftragsbestätigung | AUFTRAGSBESTÄTIGUNG {number} | Bestellbestätigung | Ihre Bestellung
        Artikel; Menge; Preis; Betrag | Bezeichnung; Anzahl; Einzelpreis; Gesamt
        Netto; MwSt. 19 %; Auftragswert | Zwischensumme; USt.; Auftragssumme
        Vielen Dank für Ihre Bestellung vom {date}, die wir wie folgt bestätigen.
        Wir liefern voraussichtlich in Woche {small}. Die Rechnung liegt der Ware bei.
        Es gelten unser Angebot {number} und unsere Lieferbedingungen.
        Bitte melden Sie sich binnen zwei Tagen, falls etwas von Ihrer Bestellung abweicht.""",
    "reminder": """
        Zahlungserinnerung | MAHNUNG | 2. Mahnung | Erinnerung an fällige Zahlungen
        Rechnung; Datum; Fällig; Offener Betrag | Beleg; Rechnungsdatum; Tage; Betrag
        Offene Posten; Mahngebühr; Zu zahlen | Summe; Zinsen; Gesamtbetrag
        Nach unseren Unterlagen sind folgende Rechnungen noch nicht bezahlt.
        Bitte begleichen Sie den offenen Betrag bis {date}. Falls Sie gezahlt haben, ist dies gegenstandslos.
        Geht die Zahlung nicht in {small} Tagen ein, berechnen wir Verzugszinsen.
        Die Rechnung vom {date} ist vielleicht übersehen worden.""",
    "credit note": """
        Gutschrift | GUTSCHRIFT {number} | Rechnungskorrektur | Stornorechnung
        Artikel; Menge; Preis; Betrag | Bezeichnung; Anzahl; Einzelpreis; Gesamt
        Netto; MwSt. 19 %; Gutschriftsbetrag | Zwischensumme; USt.; Zu Ihren Gunsten
        Für die Rücksendung mit Lieferschein {number} schreiben wir Ihnen gut:
        Der Betrag wird mit Ihrer nächsten Rechnung verrechnet.
        Dies korrigiert die Rechnung {number} vom {date}.
        Wir erstatten den Betrag innerhalb von {small} Tagen auf Ihr Konto.""",
    "offer": """
        Angebot | ANGEBOT Nr. {number} | Kostenvoranschlag | Unser Angebot für Sie
        Artikel; Menge; Preis; Betrag | Bezeichnung; Anzahl; Einzelpreis; Gesamt
        Netto; MwSt. 19 %; Angebotssumme | Zwischensumme; USt.; Gesamtpreis
        Vielen Dank für Ihre Anfrage. Gern bieten wir Ihnen an:
        Dieses Angebot gilt bis {date}. Lieferzeit {small} Wochen nach Ihrer Bestellung.
        Die Preise sind freibleibend, zahlbar 30 Tage nach Rechnung.
        Über Ihren Auftrag würden wir uns freuen.""",
    "payslip": """
        Gehaltsabrechnung | LOHNABRECHNUNG {month} | Entgeltabrechnung | Verdienstbescheinigung
        Lohnart; Stunden; Satz; Betrag | Bezeichnung; Anzahl; Faktor; Gesamt
        Brutto; Abzüge; Auszahlung | Gesamtbrutto; Lohnsteuer; Netto
        Personalnr. {number}, Steuerklasse {small}, Eintritt {date}.
        Ihr Lohn wird auf das Konto {iban} überwiesen.
        Resturlaub: {small} Tage. Bitte bewahren Sie die Abrechnung auf.
        Sozialversicherungsnr. {number}, Krankenkasse {firm}.""",
    "statement": """
        Kontoauszug | KONTOAUSZUG {number} | Auszug Nr. {small} | Umsätze
        Datum; Buchung; Wert; Betrag | Buchungstag; Vorgang; Wertstellung; Soll oder Haben
        Alter Saldo; Umsatz; Neuer Saldo | Anfangssaldo; Summe; Endsaldo
        Buchungen vom {date} bis {date} auf dem Konto {iban}.
        Bitte prüfen Sie die Buchungen. Einwendungen sind binnen sechs Wochen möglich.
        Überweisung zur Rechnung {number}, vielen Dank.
        Ihr Dispositionskredit beträgt {amount}, der Zins {small} Prozent.""",
}
WORDS: Mapping[str, Mapping[str, Words]] = {
    "en": {kind: _words(text) for kind, text in _ENGLISH.items()},
    "de": {kind: _words(text) for kind, text in _GERMAN.items()},
}
LABELS = {
    "en": (
        "Customer no.",
        "Date",
        "Order no.",
        "Delivery date",
        "Invoice no.",
        "Our reference",
        "Contact",
        "Delivery note",
    ),
    "de": (
        "Kundennr.",
        "Datum",
        "Auftragsnr.",
        "Liefertermin",
        "Rechnungsnr.",
        "Unser Zeichen",
        "Kontakt",
        "Lieferschein",
    ),
}
"""The labels of numbers, which any kind of paper may have."""
COMMON = {
    "en": (
        "If you have questions, call {person}, extension {count}.",
        "The goods remain our property until they are paid in full.",
        "This document was made by a computer and is valid without a signature.",
        "Please quote your customer number with every inquiry, order and payment.",
        "Our general terms of business, delivery and payment apply.",
    ),
    "de": (
        "Bei Fragen wenden Sie sich an {person}, Durchwahl {count}.",
        "Die Ware bleibt bis zur vollständigen Bezahlung unser Eigentum.",
        "Dieses Schreiben wurde maschinell erstellt und ist ohne Unterschrift gültig.",
        "Bitte geben Sie bei jeder Anfrage, Bestellung und Zahlung Ihre Kundennummer an.",
        "Es gelten unsere Allgemeinen Geschäfts-, Liefer- und Zahlungsbedingungen.",
    ),
}
NUMBERING = {
    "en": ("Page {n} of {m}", "Page {n}", "{n}/{m}", ""),
    "de": ("Seite {n} von {m}", "Seite {n}", "{n}/{m}", ""),
}
"""The ways to number pages, the last of which is none."""
