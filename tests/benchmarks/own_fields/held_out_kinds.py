"""The kinds of documents that the engine of own fields was never tuned on: its figures come from them."""

from tests.benchmarks.own_fields.contents import Contents, dotted, slashed
from tests.benchmarks.own_fields.pen import Pen

SENTENCES = (
    "Thank you for contacting us about the damage to your property.",
    "Our surveyor has now completed the report and sent it to us.",
    "Please keep all receipts until your claim has been closed.",
    "You do not need to do anything else at this stage.",
    "We are sorry for the time that this has taken.",
    "A copy of this letter has been sent to your broker.",
)
MARKS = {
    "VOLKSWAGEN": "GOLF VARIANT",
    "OPEL": "CORSA",
    "BMW": "320D TOURING",
    "FORD": "TRANSIT CUSTOM",
    "SKODA": "FABIA",
}


def insurance_letter(pen: Pen, make: Contents) -> None:
    """Print an English letter about a claim, of one or two pages, with sums in its sentences."""
    chance = pen.chance
    pen.text(545, make.firm() + " Insurance", size=1.4, style="B", align="right")
    pen.down(4)
    name = make.person()
    pen.lines("addressee", 60, [name, make.street(), make.town()])
    pen.down(3)
    written = make.day()
    happened = make.day()
    pen.text(60, "Date:")
    pen.value("written", 140, f"{written.day} {written:%B %Y}", written.isoformat())
    pen.down()
    pen.text(60, "Our ref:")
    pen.value("our_reference", 140, make.code("AA/999999/AA"))
    pen.down()
    if pen.likely(0.6):
        pen.text(60, "Your ref:")
        pen.value("your_reference", 140, make.code("AA-9999"))
        pen.down()
    pen.text(60, "Policy number:")
    pen.value("policy", 140, make.code("HH99 9999999"))
    pen.down()
    pen.text(60, "Claim number:")
    pen.value("claim", 140, make.code("CL99999999"))
    pen.down(2.5)
    pen.text(60, f"Dear {name},")
    pen.down(2)
    pen.sentence(
        60,
        535,
        ["We write about the incident on", ("happened", slashed(happened), happened.isoformat()), "at your home."],
    )
    for _ in range(chance.randint(0, 4)):
        pen.down(0.6)
        pen.sentence(60, 535, [chance.choice(SENTENCES)])
    pen.down(0.6)
    paid, plain = make.number(200, 18000, 2)
    excess, plain_excess = make.number(50, 500, 2)
    parts = ["We will pay the sum of GBP", ("paid", paid, plain), "within ten days, after the excess of GBP"]
    pen.sentence(60, 535, [*parts, ("excess", excess, plain_excess), "has been taken off."])
    if chance.random() < 0.4:
        pen.text(545, "1", align="right")
        pen.page()
        pen.text(60, chance.choice(SENTENCES))
    pen.down(2)
    pen.text(60, "Yours sincerely")
    pen.down(3)
    pen.value("handler", 60, make.person())
    pen.down()
    pen.text(60, "Claims handler")
    if pen.likely(0.8):
        pen.down()
        mail = f"{make.code('AAAA').lower()}@brightwell.example"
        pen.pair("Email:", 60, "email", mail)
    pen.down()
    pen.text(60, f"Telephone: {make.code('020 7999 9999')}")


def vehicle_registration(pen: Pen, make: Contents) -> None:
    """Print a German registration of a vehicle: a grid of fields with codes and small labels."""
    chance = pen.chance
    pen.text(50, "Zulassungsbescheinigung Teil I", size=1.3, style="B")
    pen.text(545, make.code("AA 999999"), align="right")
    pen.down(3)
    first, holder = make.day(-4000, 800), make.person()
    pen.pair("A  Amtliches Kennzeichen", 50, "plate", make.code("AA-AA 9999"), at=210)
    pen.down(1.5)
    pen.pair("B  Datum der Erstzulassung", 50, "first_registration", dotted(first), first.isoformat(), at=210)
    pen.down(1.5)
    pen.text(50, "C.1  Halter", style="B")
    pen.down(1.5)
    pen.pair("C.1.1  Name", 50, "holder", holder.split(" ", 1)[1], at=210)
    pen.down(1.5)
    pen.pair("C.1.2  Vorname(n)", 50, "given_name", holder.split(" ", 1)[0], at=210)
    pen.down(1.5)
    pen.text(50, "C.1.3  Anschrift")
    pen.lines("holder_address", 210, [make.street(), make.town()])
    pen.down(2)
    mark = chance.choice(list(MARKS))
    pen.pair("D.1  Marke", 50, "mark", mark, at=210)
    pen.down(1.5)
    if pen.likely(0.8):
        pen.pair("D.3  Handelsbezeichnung", 50, "model", MARKS[mark], at=210)
    else:
        pen.text(50, "D.3  Handelsbezeichnung")
    pen.down(1.5)
    pen.pair("E  Fahrzeug-Ident.-Nr.", 50, "vin", make.code("WAAAAA9AA9A999999"), at=210)
    pen.down(2)
    power, mass = str(chance.randint(40, 220)), str(chance.randint(1200, 3500))
    pen.pair("F.1", 50, "mass", mass, at=90)
    pen.text(170, "G")
    pen.text(210, str(chance.randint(900, 2400)))
    pen.pair("P.2", 290, "power", power, at=330)
    pen.text(410, "P.1")
    pen.text(450, str(chance.randint(900, 3900)))
    pen.down(1.5)
    pen.text(50, "S.1")
    pen.text(90, str(chance.choice((2, 4, 5, 7, 9))))
    pen.text(170, "T")
    pen.text(210, str(chance.randint(140, 250)))
    pen.text(290, "R")
    pen.value("color", 330, chance.choice(("SCHWARZ", "GRAU", "WEISS", "BLAU")))
    pen.down(3)
    issued = make.day()
    pen.text(50, f"Ort, Datum: {make.town().split(' ', 1)[1]},")
    pen.value("issued", 200, dotted(issued), issued.isoformat())


def customs_form(pen: Pen, make: Contents) -> None:
    """Print a Spanish customs declaration: numbered boxes of unlike sizes, with values under their labels."""
    chance = pen.chance
    pen.text(50, "DECLARACIÓN DE EXPORTACIÓN", size=1.2, style="B")
    pen.value("mrn", 545, make.code("99ES99999999999999"), align="right")
    pen.y += 25
    _box(pen, (50, 300, 80), "2 Exportador", "exporter", "\n".join([make.firm(), make.street(), make.town()]))
    _box(pen, (300, 545, 40), "1 Declaración", "declaration", chance.choice(("EX A", "EX D", "CO A")))
    pen.y += 40
    _box(pen, (300, 420, 40), "5 Partidas", "items", str(chance.randint(1, 40)))
    _box(pen, (420, 545, 40), "6 Total bultos", "parcels", str(chance.randint(1, 900)))
    pen.y += 40
    _box(pen, (50, 300, 80), "8 Destinatario", "consignee", "\n".join([make.person(), make.street(), make.town()]))
    _box(pen, (300, 545, 40), "7 Número de referencia", "reference", make.code("AAA999999"))
    pen.y += 40
    _box(pen, (300, 420, 40), "15 País de exp.", "", chance.choice(("España", "Portugal")))
    countries = ("Marruecos", "Reino Unido", "Suiza", "Noruega", "Brasil")
    _box(pen, (420, 545, 40), "17 País destino", "destination", chance.choice(countries))
    pen.y += 40
    total, plain = make.number(500, 90000, 2)
    _box(pen, (50, 300, 40), "22 Divisa e importe total", "total", f"EUR {total}", plain)
    _box(pen, (300, 420, 40), "23 Tipo de cambio", "", make.number(0.8, 1.3, 4)[0])
    _box(pen, (420, 545, 40), "24 Transacción", "", make.code("99"))
    pen.y += 40
    rows = chance.randint(1, 4)
    _box(pen, (50, 300, 30 + 14 * rows), "31 Bultos y mercancías", "", "\n".join([make.code("AA 9999 cajas")] * rows))
    _box(pen, (300, 420, 30 + 14 * rows), "33 Código mercancía", "commodity", make.code("9999 99 99"))
    _box(pen, (420, 545, 30 + 14 * rows), "34 País origen", "", chance.choice(("ES", "PT", "FR")))
    pen.y += 30 + 14 * rows
    gross, plain_gross = make.number(20, 9000, 1)
    net, plain_net = make.number(10, 8000, 1)
    _box(pen, (50, 300, 40), "35 Masa bruta (kg)", "gross", gross, plain_gross)
    _box(pen, (300, 420, 40), "38 Masa neta (kg)", "net" if pen.likely(0.8) else "", net, plain_net)
    _box(pen, (420, 545, 40), "37 Régimen", "", make.code("99 99"))
    pen.y += 80
    day = make.day()
    pen.text(50, "54 Lugar y fecha:")
    pen.value("signed", 140, slashed(day), day.isoformat())
    pen.text(300, "Firma:")


def _box(pen: Pen, sides: tuple[float, float, float], label: str, *value: str) -> None:
    """Print a box from a left to a right, of a height, with its label and a value, in several lines if it has any.

    The value is its field's name, its text, and the same as a program reads it. A value without a name is no field's.
    """
    name, text, normalized = (*value, "")[:3]
    texts = text.split("\n")
    left, right, height = sides
    top = pen.y
    pen.frame(left, top - 10, right, top + height - 10)
    pen.text(left + 3, label, size=0.7)
    pen.y = top + 15
    if len(texts) > 1 and name:
        pen.lines(name, left + 8, texts)
    elif name:
        pen.value(name, left + 8, texts[0], normalized)
    else:
        for text in texts:
            pen.text(left + 8, text)
            pen.down()
    pen.y = top


def pay_slip(pen: Pen, make: Contents) -> None:
    """Print a French pay slip: a table of named sums in two columns, and the employee's address."""
    chance = pen.chance
    pen.text(50, make.firm(), style="B", size=1.2)
    pen.text(545, "BULLETIN DE PAIE", style="B", size=1.2, align="right")
    pen.down(2)
    starts, ends = make.day(), make.day()
    pen.text(50, f"{make.street()}, {make.town()}")
    pen.text(330, "Période du")
    end = pen.value("starts", 385, slashed(starts), starts.isoformat())
    end = pen.text(end + 4, "au")
    pen.value("ends", end + 4, slashed(ends), ends.isoformat())
    pen.down()
    pen.text(50, "SIRET : " + make.code("999 999 999 99999"))
    pen.pair("Matricule :", 330, "staff_number", make.code("99999"))
    pen.down()
    pen.text(50, "Code NAF : " + make.code("9999A"))
    number = make.code("1 99 99 99 999 999 99")
    pen.pair("N° Sécurité sociale :", 330, "social_number", number)
    pen.down()
    job = chance.choice(("Comptable", "Chef de projet", "Technicien de maintenance", "Vendeuse"))
    pen.pair("Emploi :", 330, "job", job)
    pen.down(3)
    pen.lines("employee", 330, [make.person(), make.street(), make.town()])
    pen.down(3)
    gross = chance.randint(170000, 620000) / 100
    rows: list[list[str | tuple[str, str, str]]] = [["Rubrique", "Base", "Taux", "Montant"]]
    rows.append(["Salaire de base", "151,67", make.number(11, 40, 2)[0], make.written(gross, 2)[0]])
    for name in ("Prime d'ancienneté", "Heures supplémentaires", "Indemnité transport"):
        if chance.random() < 0.5:
            rows.append([name, "", "", make.number(20, 400, 2)[0]])
    rows.append(["Salaire brut", "", "", ("gross", *make.written(gross, 2))])
    for name in ("Assurance maladie", "Retraite complémentaire", "CSG déductible", "CSG non déductible", "Prévoyance"):
        if chance.random() < 0.8:
            rows.append([name, make.written(gross, 2)[0], make.number(0.4, 9, 2)[0], make.number(9, 300, 2)[0]])
    rows.append(["Net imposable", "", "", ("taxable", *make.written(gross * 0.82, 2))])
    if pen.likely(0.7):
        tax = make.written(gross * 0.05, 2)
        rows.append(["Impôt sur le revenu", "", "", ("income_tax", *tax)])
    pen.table((50, -330, -430, -530), rows, ruled=True, right=540)
    pen.down(1.5)
    paid = make.written(gross * 0.77, 2)
    pen.text(330, "NET À PAYER", style="B", size=1.2)
    pen.value("paid", 530, f"{paid[0]} EUR", paid[1], align="right", size=1.2)
    pen.down(2)
    day = make.day()
    pen.pair("Payé le", 50, "paid_on", slashed(day), day.isoformat())
    iban = make.iban()
    pen.pair("par virement IBAN", 150, "iban", iban, iban.replace(" ", ""))


def certificate(pen: Pen, make: Contents) -> None:
    """Print an English certificate, whose values have hardly any labels but a place of their own."""
    chance = pen.chance
    pen.y = 140
    pen.text(297, "CERTIFICATE OF ATTENDANCE", size=2, style="B", align="center")
    pen.y = 200
    pen.text(297, "This is to certify that", align="center")
    pen.y = 245
    pen.value("attendee", 297, make.person(), size=2, align="center")
    pen.y = 285
    pen.text(297, "has taken part in the course", align="center")
    pen.y = 325
    courses = ("Safe Use of Ladders", "First Aid at Work", "Data Protection in Practice", "Forklift Truck Refresher")
    pen.value("course", 297, chance.choice(courses), size=1.5, align="center")
    pen.y = 365
    held = make.day()
    hours = str(chance.randint(2, 40))
    pen.text(180, "held on")
    end = pen.value("held", 220, f"{held.day} {held:%B %Y}", held.isoformat())
    end = pen.text(end + 6, "with a length of")
    end = pen.value("length", end + 4, hours)
    pen.text(end + 3, "hours")
    pen.y = 400
    for topic in chance.sample(("Law and duties", "Practice in groups", "Risk assessment", "Written test"), 3):
        pen.text(297, topic, align="center")
        pen.down(1.3)
    pen.y = 640
    pen.value("trainer", 90, make.person())
    pen.text(400, make.person())
    pen.rule(80, 646, 260)
    pen.rule(390, 646, 540)
    pen.y = 660
    pen.text(90, "Course leader", size=0.8)
    pen.text(400, "Head of training", size=0.8)
    pen.y = 790
    pen.value("number", 545, make.code("C-99-99999"), size=0.8, align="right")
    pen.text(50, f"{make.firm()}, {make.street()}, {make.town()}", size=0.8)
