"""The kinds of documents that the engine of own fields was tuned on."""

from tests.benchmarks.own_fields.contents import Contents, dotted, slashed
from tests.benchmarks.own_fields.pen import Pen

GOODS = (
    "Sechskantschrauben M8",
    "Dichtungsring 40 mm",
    "Schaltschrank Typ 3",
    "Kabelkanal",
    "Kupferrohr 22 mm",
    "Ventilblock",
    "Arbeitshandschuhe",
    "Druckluftfilter DF-20",
    "Palettenregal",
    "Schmierfett",
)


def delivery_note(pen: Pen, make: Contents) -> None:
    """Print a German delivery note: two addresses, a block of numbers, items, and totals where the items end."""
    chance = pen.chance
    pen.text(50, make.firm(), size=1.4, style="B")
    pen.down(1.2)
    pen.text(50, f"{make.street()}, {make.town()}", size=0.8)
    pen.down(3)
    top = pen.y
    pen.text(50, "Lieferanschrift", size=0.8)
    pen.down()
    pen.lines("ship_to", 50, make.address())
    bottom = pen.y
    pen.y = top
    pen.text(310, "Rechnungsanschrift", size=0.8)
    for line in make.address():
        pen.down()
        pen.text(310, line)
    pen.y = max(pen.y, bottom) + 40
    number = make.code("LS-99999")
    pen.text(50, "Lieferschein", size=1.5, style="B")
    pen.down(2)
    day = make.day()
    pen.pair("Lieferschein-Nr.:", 50, "note_number", number)
    pen.pair("Auftrags-Nr.:", 310, "order_number", make.code("AB-9999/99"))
    pen.down()
    pen.pair("Lieferdatum:", 50, "delivery_date", dotted(day), day.isoformat())
    ordered = make.day()
    pen.pair("Bestelldatum:", 310, "order_date", dotted(ordered), ordered.isoformat())
    pen.down()
    pen.pair("Kunden-Nr.:", 50, "customer_number", make.code("9" * chance.randint(5, 7)))
    if pen.likely(0.7):
        pen.pair("Ihr Zeichen:", 310, "customer_mark", make.code("AA-99"))
        pen.down()
    pen.text(310, "Unser Zeichen: " + make.code("AA-99"))
    pen.down(2.5)
    rows: list[list[str | tuple[str, str, str]]] = [["Pos.", "Artikel-Nr.", "Bezeichnung", "Menge", "Einheit"]]
    for place in range(1, chance.randint(2, 14) + 1):
        amount = str(chance.randint(1, 400))
        article = make.code("99-9999")
        unit = chance.choice(("Stk", "m", "kg"))
        rows.append(
            [str(place), ("articles", article, article), chance.choice(GOODS), ("amounts", amount, amount), unit]
        )
    pen.table((50, 90, 180, -430, 450), rows, ruled=False, right=520)
    pen.down(1.5)
    weight, plain = make.number(5, 2400, 1)
    pen.pair("Gesamtgewicht:", 50, "weight", f"{weight} kg", plain)
    pen.text(310, f"Anzahl Packstücke: {chance.randint(1, 9)}")
    pen.down()
    if pen.likely(0.7):
        pen.pair("Fahrer:", 50, "driver", make.person())
    pen.text(310, "Kennzeichen: " + make.code("AA-AA 999"))
    pen.down(3)
    pen.text(50, "Ware vollständig und unbeschädigt erhalten:")
    pen.rule(310, pen.y, 520)


TESTS = (
    ("Haemoglobin", "g/L", "130 - 170", 100, 180, 0),
    ("White cell count", "10^9/L", "4.0 - 11.0", 2, 16, 1),
    ("Platelets", "10^9/L", "150 - 410", 90, 500, 0),
    ("Glucose (fasting)", "mmol/L", "3.9 - 5.5", 3, 12, 1),
    ("Creatinine", "umol/L", "59 - 104", 40, 160, 0),
    ("Ferritin", "ug/L", "30 - 400", 8, 600, 0),
    ("Vitamin D", "nmol/L", "50 - 200", 15, 180, 0),
    ("Cholesterol, total", "mmol/L", "< 5.0", 3, 8, 1),
    ("HDL cholesterol", "mmol/L", "> 1.0", 0.7, 2.4, 2),
)
WANTED = {
    "Haemoglobin": "haemoglobin",
    "Glucose (fasting)": "glucose",
    "Ferritin": "ferritin",
    "HDL cholesterol": "hdl",
}


def lab_report(pen: Pen, make: Contents) -> None:
    """Print an English report of a laboratory: values and dates of two kinds side by side, and named results."""
    chance = pen.chance
    pen.text(297, make.firm() + " Pathology", size=1.5, style="B", align="center")
    pen.down(2)
    pen.text(297, "Laboratory report", size=1.2, align="center")
    pen.down(2.5)
    born, taken = make.day(-25000, -6000), make.day()
    pen.pair("Patient name", 50, "patient", make.person(), at=150)
    pen.pair("Specimen ID", 330, "specimen", make.code("A99-999999"), at=430)
    pen.down(1.2)
    pen.pair("Date of birth", 50, "born", slashed(born), born.isoformat(), at=150)
    pen.pair("Collected", 330, "collected", slashed(taken), taken.isoformat(), at=430)
    pen.down(1.2)
    pen.text(50, "Sex")
    pen.text(150, chance.choice(("Female", "Male")))
    reported = make.day()
    pen.pair("Reported", 330, "reported", slashed(reported), reported.isoformat(), at=430)
    pen.down(1.2)
    if pen.likely(0.75):
        pen.pair("Referred by", 50, "doctor", f"Dr {make.person()}", at=150)
    else:
        pen.text(50, "Referred by")
    pen.text(330, "Page")
    pen.text(430, "1 of 1")
    if chance.random() < 0.4:
        pen.down(1.2)
        pen.text(50, "Clinic")
        pen.text(150, make.firm())
    pen.down(3)
    rows: list[list[str | tuple[str, str, str]]] = [["Test", "Result", "Unit", "Reference range"]]
    for name, unit, reference, low, high, places in TESTS:
        if not pen.likely(0.75):
            continue
        result, plain = make.number(low, high, places)
        known = WANTED.get(name)
        rows.append([name, (known, result, plain) if known else result, unit, reference])
    pen.table((50, -290, 310, 400), rows, ruled=False, right=545)
    pen.down(2)
    pen.text(50, "Comment: results relate only to the specimen received.")


def timesheet(pen: Pen, make: Contents) -> None:
    """Print a Dutch timesheet: a form in two columns, days by hours, and sums under them."""
    chance = pen.chance
    pen.text(50, "Urenstaat", size=1.6, style="B")
    pen.text(545, make.firm(), align="right")
    pen.down(3)
    start, end = make.day(), make.day()
    pen.pair("Medewerker:", 50, "employee", make.person(), at=150)
    pen.pair("Personeelsnr.:", 320, "staff_number", make.code("9999"), at=420)
    pen.down(1.4)
    pen.pair("Afdeling:", 50, "department", chance.choice(("Techniek", "Bouw en Infra", "Kantoor", "Planning")), at=150)
    pen.pair("Week:", 320, "week", str(chance.randint(1, 52)), at=420)
    pen.down(1.4)
    pen.pair("Periode van:", 50, "starts", f"{start:%d-%m-%Y}", start.isoformat(), at=150)
    pen.pair("t/m:", 320, "ends", f"{end:%d-%m-%Y}", end.isoformat(), at=420)
    pen.down(1.4)
    pen.text(50, "Opdrachtgever:")
    if pen.likely(0.8):
        pen.value("client", 150, make.firm())
    pen.down(3)
    rows: list[list[str | tuple[str, str, str]]] = [["Datum", "Project", "Omschrijving", "Uren", "Km"]]
    total = 0.0
    for _ in range(chance.randint(3, 12)):
        hours = chance.randint(2, 36) / 4
        total += hours
        written, plain = make.written(hours, 2)
        project = make.code("P-9999")
        work = chance.choice(("Montage", "Overleg met klant", "Reistijd", "Onderhoud", "Administratie"))
        row_day = f"{make.day():%d-%m-%Y}"
        rows.append(
            [row_day, ("projects", project, project), work, ("hours", written, plain), str(chance.randint(0, 180))]
        )
    pen.table((50, 140, 220, -430, -520), rows, ruled=True, right=530)
    pen.down()
    written, plain = make.written(total, 2)
    pen.pair("Totaal uren:", 310, "total_hours", written, plain, at=395)
    pen.down(1.4)
    pen.text(310, "Overuren:")
    pen.text(395, make.written(chance.randint(0, 8) / 2, 2)[0])
    pen.down(3)
    pen.text(50, "Handtekening medewerker")
    pen.text(320, "Handtekening leidinggevende")


def meter_form(pen: Pen, make: Contents) -> None:
    """Print a French form for reading a meter: framed fields with small labels above the values, and tick boxes."""
    chance = pen.chance
    pen.text(50, f"{make.firm()} - Relevé de compteur", size=1.3, style="B")
    pen.down(3)
    for _ in range(chance.randint(0, 3)):
        pen.text(50, chance.choice(("Merci de compléter ce formulaire.", "À retourner sous huit jours.")))
        pen.down()
    pen.down()
    read = make.day()
    before, now = sorted(chance.sample(range(100, 99999), 2))
    power, plain_power = make.number(3, 36, 0)
    _framed(pen, 50, 250, "N° de compteur", "meter", make.code("A99 999999"))
    _framed(pen, 300, 150, "Date de relevé", "read_on", slashed(read), read.isoformat())
    pen.y += 45
    _framed(pen, 50, 150, "Index précédent", "before", f"{before:,}".replace(",", " "), str(before))
    _framed(pen, 200, 150, "Index relevé", "now", f"{now:,}".replace(",", " "), str(now))
    _framed(pen, 350, 100, "Puissance", "power", f"{power} kVA", plain_power)
    pen.y += 45
    _framed(pen, 50, 250, "Nom du titulaire", "holder" if pen.likely(0.8) else "", make.person())
    _framed(pen, 300, 200, "Référence client", "reference", make.code("9 999 999 999"))
    pen.y += 60
    pen.text(50, "Adresse du point de livraison", style="B")
    pen.down(1.2)
    pen.lines("site", 50, [make.person(), make.street(), make.town()][chance.randint(0, 1) :])
    pen.down(2.5)
    pen.text(50, "Téléphone :")
    phone = make.code("06 99 99 99 99")
    if pen.likely(0.8):
        pen.value("phone", 130, phone, phone.replace(" ", ""))
    pen.down(1.5)
    pen.text(50, "Compteur accessible :")
    accessible = chance.random() < 0.5
    for place, name, checked in ((170, "oui", accessible), (230, "non", not accessible)):
        pen.tick(place, checked)
        pen.text(place + 14, name)


def _framed(pen: Pen, left: float, width: float, label: str, *value: str) -> None:
    """Print a framed field with its label. The value is given as `pen.value` takes it, with its name first."""
    name, text, normalized = (*value, "")[:3]
    top = pen.y
    pen.frame(left, top - 12, left + width, top + 28)
    pen.y = top - 2
    pen.text(left + 4, label, size=0.75)
    pen.y = top + 18
    if name:
        pen.value(name, left + 6, text, normalized, size=1.1)
    pen.y = top


def rental_contract(pen: Pen, make: Contents) -> None:
    """Print the first page of an Italian lease, whose values are words of its sentences."""
    chance = pen.chance
    pen.text(297, "CONTRATTO DI LOCAZIONE AD USO ABITATIVO", size=1.3, style="B", align="center")
    pen.down(3)
    born, starts = make.day(-20000, -8000), make.day()
    other = make.day(-20000, -8000)
    tax = make.code("AAAAAA99A99A999A")
    pen.sentence(60, 535, ["Tra il locatore", ("landlord", make.person()), ", nato il", slashed(other), ", e"])
    pen.down(0.5)
    pen.sentence(
        60,
        535,
        [
            *("il conduttore", ("tenant", make.person()), ", nato il", ("born", slashed(born), born.isoformat())),
            *(", codice fiscale", ("tax_code", tax), ", si conviene e si stipula quanto segue."),
        ],
    )
    pen.down(1.5)
    for _ in range(chance.randint(0, 2)):
        pen.text(60, "Le premesse formano parte integrante del presente contratto.")
        pen.down(1.5)
    pen.text(60, "Art. 1 - Oggetto", style="B")
    pen.down(1.3)
    pen.text(60, "Il locatore concede in locazione l'immobile sito in:")
    pen.down(1.3)
    pen.lines("site", 80, [make.street(), make.town()])
    pen.down(2)
    pen.text(60, "Art. 2 - Durata", style="B")
    pen.down(1.3)
    years = str(chance.randint(1, 6))
    pen.sentence(
        60,
        535,
        [
            *("La durata della locazione è di anni", ("years", years), ", con decorrenza dal"),
            *(("starts", slashed(starts), starts.isoformat()), "salvo disdetta."),
        ],
    )
    pen.down(1.5)
    pen.text(60, "Art. 3 - Canone", style="B")
    pen.down(1.3)
    rent, plain_rent = make.number(350, 2900, 2)
    pen.sentence(
        60,
        535,
        [
            *("Il canone mensile è convenuto in Euro", ("rent", rent, plain_rent), ", da pagare entro il giorno"),
            *(str(chance.randint(1, 10)), "di ogni mese sul conto IBAN"),
        ],
    )
    iban = make.iban()
    pen.value("iban", 60, iban, iban.replace(" ", ""))
    pen.down(2)
    if pen.likely(0.7):
        deposit, plain = make.number(700, 6000, 2)
        pen.sentence(60, 535, ["Il conduttore versa un deposito cauzionale di Euro", ("deposit", deposit, plain), "."])
