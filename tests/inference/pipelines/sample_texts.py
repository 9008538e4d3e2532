"""Provide texts like those of real pages, each with the kind of document that a person would name."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Sample:
    label: str
    text: str


CHOSEN: Mapping[str, tuple[str, ...]] = {
    "invoice": (
        "NORTHWIND TRADERS Ltd.\n12 Harbour Road, Bristol\nINVOICE\nInvoice no. 2024-0187\nDate 14 March 2024\n"
        "Bill to: Contoso GmbH\nQty Description Unit price Amount\n4 Office chair 129.00 516.00\n"
        "2 Standing desk 480.00 960.00\nSubtotal 1476.00\nVAT 20% 295.20\nTotal due 1771.20 GBP\n"
        "Payment within 30 days to IBAN GB33BUKB20201555555555",
        "Elektro Schneider GmbH\nRechnung Nr. 4711\nRechnungsdatum: 03.05.2024\nKundennummer 10023\n"
        "Pos. Menge Bezeichnung Einzelpreis Gesamtpreis\n1 3 Steckdose 7,90 23,70\n2 10 Kabel 1,20 12,00\n"
        "Nettobetrag 35,70 EUR\nzzgl. 19% MwSt. 6,78 EUR\nRechnungsbetrag 42,48 EUR\n"
        "Bitte überweisen Sie den Betrag auf das Konto DE89 3704 0044 0532 0130 00.",
        "City Power & Light\nYour electricity bill\nAccount 88213-22\nBilling period 1 Jan - 31 Jan\n"
        "Usage 312 kWh at 0.28\nStanding charge 9.40\nAmount due 96.76\nPay by 20 February",
        "GREEN GROCER\nStore 114\n2 x Apples 1.98\nMilk 1.15\nBread 2.40\nTOTAL 5.53\nVISA **** 4421 5.53\nThank you",
    ),
    "contract": (
        "CONSULTING AGREEMENT\nThis Agreement is made on 1 June 2024 between Fabrikam Inc. (the Client) and J. Doe "
        "(the Consultant).\n1. Services. The Consultant shall provide the services described in Schedule A.\n"
        "2. Term. This Agreement commences on the Effective Date and continues for twelve months.\n"
        "3. Confidentiality. Neither party shall disclose any Confidential Information.\n"
        "4. Termination. Either party may terminate upon thirty days' written notice.\n"
        "5. Governing law. The laws of the State of Delaware.",
        "Mietvertrag\nZwischen Herrn Karl Weber (Vermieter) und Frau Lena Braun (Mieterin) wird folgender "
        "Mietvertrag geschlossen:\n§ 1 Mietsache\n§ 2 Mietdauer: Das Mietverhältnis beginnt am 01.08.2024.\n"
        "§ 3 Miete: Die monatliche Miete beträgt 850 EUR.\n§ 4 Kaution\n§ 5 Kündigung mit einer Frist von drei "
        "Monaten.\nOrt, Datum, Unterschriften",
        "NON-DISCLOSURE AGREEMENT\nThe Receiving Party agrees to hold the Confidential Information of the "
        "Disclosing Party in strict confidence and not to use it for any purpose other than the Purpose. "
        "This obligation survives termination for five years. IN WITNESS WHEREOF the parties have executed "
        "this Agreement.",
    ),
    "letter": (
        "12 May 2024\nDear Mrs Thompson,\nThank you for your letter of 2 May about the noise from our building "
        "site. We are sorry for the disturbance and have asked our crew to begin no earlier than eight o'clock. "
        "Please do not hesitate to call me should it happen again.\nYours sincerely,\nPeter Hall",
        "Sehr geehrte Frau Müller,\nvielen Dank für Ihr Interesse an unserem Haus. Gern bestätigen wir Ihnen den "
        "Besuchstermin am kommenden Dienstag um 10 Uhr. Bitte melden Sie sich am Empfang. Wir freuen uns auf "
        "Ihren Besuch.\nMit freundlichen Grüßen\nThomas Klein",
        "Dear Hiring Manager,\nI am writing to apply for the position of data analyst. For the past four years I "
        "have worked with customer data and I would welcome the chance to meet you.\nKind regards,\nMaria Lopez",
    ),
    "report": (
        "Quarterly Business Report Q3\nExecutive summary\nRevenue grew by 8 percent over the second quarter while "
        "operating costs fell. Table 1 shows sales by region. The northern region contributed most.\n"
        "Outlook\nWe expect growth to continue in the fourth quarter. Recommendations: invest in logistics.",
        "Abstract\nWe study the effect of sleep on memory in 120 adults. Participants were assigned at random to "
        "two groups. Results show that recall improved significantly (p < 0.01). Methods: recall was measured "
        "after eight hours. Discussion: the findings agree with earlier work.",
        "Jahresbericht 2023\nZusammenfassung: Der Umsatz stieg um 5 Prozent gegenüber dem Vorjahr. Die Ergebnisse "
        "der Untersuchung zeigen einen Rückgang der Unfälle. Tabelle 2 enthält die Kennzahlen. Ausblick auf 2024.",
    ),
    "form": (
        "APPLICATION FOR MEMBERSHIP\nPlease print clearly\nLast name ________ First name ________\n"
        "Date of birth __/__/____\nStreet ________ City ________ Postcode ________\n"
        "[ ] Single [ ] Family\nSignature ________ Date ________",
        "Antrag auf Kindergeld\nBitte in Druckbuchstaben ausfüllen\nName, Vorname: ______\nGeburtsdatum: ______\n"
        "Familienstand: [ ] ledig [ ] verheiratet\nSteuer-ID: ______\nDatum, Unterschrift der antragstellenden "
        "Person",
        "PATIENT INTAKE FORM\nPatient name: ____ DOB: ____\nInsurance provider: ____ Policy no.: ____\n"
        "Do you smoke? [ ] Yes [ ] No\nList current medications: ____\nEmergency contact: ____\n"
        "Patient signature: ____",
    ),
    "other": (
        "Tomato soup\nFry two chopped onions in olive oil, add a kilo of ripe tomatoes and a little stock, and let "
        "it simmer for half an hour. Blend, season with salt, pepper and basil, and serve with bread.",
        "The fox ran along the frozen river, its breath white in the moonlight. Somewhere behind the hills a dog "
        "barked, and the forest held its breath until morning.",
        "def add(a, b):\n    return a + b\n\nfor number in range(10):\n    print(add(number, 1))",
    ),
}
UNSEEN: Mapping[str, tuple[str, ...]] = {
    "invoice": (
        "Tax invoice 558\nABN 51 824 753 556\nFor: garden maintenance, April\nLabour 6 hours @ 55.00 330.00\n"
        "Green waste removal 40.00\nGST 37.00\nBalance payable 407.00\nTerms: 7 days",
    ),
    "contract": (
        "SOFTWARE LICENSE\nLicensor grants Licensee a non-exclusive, non-transferable licence to use the Software. "
        "Licensee shall not sublicense, modify or reverse engineer it. In no event shall Licensor's liability "
        "exceed the fees paid. This licence terminates upon breach.",
    ),
    "letter": (
        "Dear Grandma,\nThe garden is full of strawberries and the children eat them before they are red. We will "
        "come at the end of August and stay the week. Dad's knee is better.\nLots of love from all of us, Emma",
    ),
    "report": (
        "Site inspection 18 April\nRoof: three cracked tiles on the north side, moisture in the attic. Electrical: "
        "compliant. Summary of findings: overall condition fair. We recommend repair of the flashing before winter.",
    ),
    "form": (
        "Change of address\nMembership no. ____\nOld address: ____\nNew address: ____\nValid from: __ / __ / ____\n"
        "Tick if you would like to be contacted by e-mail [ ]\nSigned: ____",
    ),
    "other": (
        "United beat City two nil on Saturday. The striker scored in the twelfth minute and again just before "
        "half time, and the home side never recovered in front of forty thousand fans.",
    ),
}
"""Samples that were written after the prototypes were settled, and were never used to choose them."""

SAMPLES = tuple(Sample(label, text) for kinds in (CHOSEN, UNSEEN) for label, texts in kinds.items() for text in texts)
