"""More kinds of documents that the engine of own fields was tuned on: forms with codes, boxes and named sums."""

from tests.benchmarks.own_fields.contents import Contents, dotted
from tests.benchmarks.own_fields.pen import Pen

Cell = str | tuple[str, str, str]


def tax_assessment(pen: Pen, make: Contents) -> None:
    """Print a German assessment: an address, numbers beside it, a table of named sums, and a sum to pay."""
    chance = pen.chance
    pen.text(50, "Finanzamt " + make.town().split(" ", 1)[1], style="B", size=1.2)
    pen.down(3)
    top = pen.y
    pen.lines("taxpayer", 50, [make.person(), make.street(), make.town()])
    bottom, pen.y = pen.y, top
    day, due = make.day(), make.day()
    pen.pair("Steuernummer", 340, "tax_number", make.code("99/999/99999"), at=440)
    pen.down(1.2)
    pen.pair("Datum", 340, "day", dotted(day), day.isoformat(), at=440)
    pen.down(1.2)
    pen.text(340, "Seite")
    pen.text(440, "1 von 1")
    pen.y = bottom + 50
    pen.text(50, f"Bescheid für {chance.randint(2019, 2024)} über Einkommensteuer", style="B", size=1.2)
    pen.down(2)
    base = chance.randint(20000, 90000)
    rows: list[list[Cell]] = [["Berechnung", "Person A", "Person B", "Summe"]]
    for name in ("Einkünfte aus nichtselbständiger Arbeit", "Kapitalerträge", "Werbungskosten", "Vermietung"):
        if pen.likely(0.6):
            rows.append([name, *(make.number(500, 40000, 2)[0] for _ in range(3))])
    rows.append(["Gesamtbetrag der Einkünfte", "", "", ("income", *make.written(base, 2))])
    if pen.likely(0.7):
        rows.append(["Sonderausgaben", "", "", ("expenses", *make.number(100, 4000, 2))])
    rows.append(["Zu versteuerndes Einkommen", "", "", ("taxable", *make.written(base * 0.9, 2))])
    rows.append(["Festgesetzte Einkommensteuer", "", "", ("tax", *make.written(base * 0.2, 2))])
    rows.append(["Abzug vom Lohn", "", "", make.written(base * 0.19, 2)[0]])
    pen.table((50, -330, -430, -530), rows, ruled=chance.random() < 0.5, right=540)
    pen.down()
    pen.text(50, "Verbleibende Nachzahlung", style="B")
    left = make.written(base * 0.01, 2)
    pen.value("to_pay", 530, f"{left[0]} EUR", left[1], align="right", style="B")
    pen.down(2)
    pen.sentence(50, 535, ["Bitte zahlen Sie den Betrag bis zum", ("due", dotted(due), due.isoformat()), "an uns."])


def inspection_report(pen: Pen, make: Contents) -> None:
    """Print an English report with codes before its labels, values at a tab, and short codes in one row."""
    chance = pen.chance
    pen.text(50, "Thorough examination report", style="B", size=1.4)
    pen.value("report", 545, make.code("TE 99999"), align="right")
    pen.down(3)
    made = str(chance.randint(1990, 2023))
    day, due = make.day(), make.day()
    pen.pair("1  Owner", 50, "owner", make.firm(), at=220)
    pen.down(1.5)
    pen.text(50, "2  Equipment", style="B")
    pen.down(1.5)
    kind = chance.choice(("Forklift", "Scissor lift", "Overhead crane", "Tail lift"))
    pen.pair("2.1  Description", 50, "equipment", kind, at=220)
    pen.down(1.5)
    pen.pair("2.2  Serial no.", 50, "serial", make.code("AA99AA9999"), at=220)
    pen.down(1.5)
    pen.text(50, "2.3  Maker")
    if pen.likely(0.7):
        pen.value("maker", 220, make.firm())
    pen.down(1.5)
    pen.pair("2.4  Year made", 50, "year", made, at=220)
    pen.down(2)
    load, height = str(chance.randint(500, 9000)), str(chance.randint(2, 40))
    pen.pair("L.1", 50, "load", load, at=90)
    pen.text(170, "L.2")
    pen.text(210, str(chance.randint(500, 9000)))
    pen.pair("H", 290, "height", height, at=330)
    pen.text(410, "V")
    pen.text(450, chance.choice(("24", "48", "230", "400")))
    pen.down(2.5)
    for defect in range(chance.randint(0, 3)):
        pen.text(50, f"Defect {defect + 1}: {chance.choice(('chain worn', 'oil leaking', 'sign missing'))}")
        pen.down()
    pen.down()
    pen.text(50, "Place and date: " + make.town().rsplit(" ", 2)[0] + ",")
    pen.value("day", 260, f"{day.day} {day:%B %Y}", day.isoformat())
    pen.down(1.5)
    pen.pair("Next examination due", 50, "due", f"{due.day} {due:%B %Y}", due.isoformat(), at=220)
    pen.down(3)
    pen.value("examiner", 60, make.person())
    pen.down()
    pen.text(60, "Competent person", size=0.8)


def waybill(pen: Pen, make: Contents) -> None:
    """Print a Dutch waybill: numbered boxes, side by side, with values under their small labels."""
    chance = pen.chance
    pen.text(50, "VRACHTBRIEF", style="B", size=1.3)
    pen.pair("Nr.", 440, "number", make.code("NL 999999"))
    pen.y += 25
    _box(pen, (50, 300, 75), "1 Afzender", "sender", "\n".join([make.firm(), make.street(), make.town()]))
    _box(pen, (300, 545, 75), "16 Vervoerder", "carrier", "\n".join([make.firm(), make.town()]))
    pen.y += 75
    _box(pen, (50, 300, 75), "2 Geadresseerde", "receiver", "\n".join([make.firm(), make.street(), make.town()]))
    _box(pen, (300, 545, 35), "17 Kenteken", "plate", make.code("99-AAA-9"))
    pen.y += 35
    _box(pen, (300, 420, 40), "18 Aanhanger", "", make.code("AA-99-AA"))
    _box(pen, (420, 545, 40), "19 Zegelnr.", "seal" if pen.likely(0.7) else "", make.code("999999"))
    pen.y += 40
    loaded = make.day()
    _box(pen, (50, 300, 40), "4 Plaats van inlading", "", make.town())
    _box(pen, (300, 420, 40), "5 Datum", "loaded", f"{loaded:%d-%m-%Y}", loaded.isoformat())
    _box(pen, (420, 545, 40), "6 Tijd", "", f"{chance.randint(6, 19):02}:{chance.choice(('00', '15', '30'))}")
    pen.y += 40
    count = chance.randint(1, 5)
    goods = "\n".join(chance.choice(("Pallets tegels", "Dozen papier", "Vaten olie")) for _ in range(count))
    height = 30 + 14 * count
    gross, plain = make.number(40, 24000, 1)
    _box(pen, (50, 300, height), "9 Aard der goederen", "", goods)
    _box(pen, (300, 420, height), "7 Aantal colli", "parcels", str(chance.randint(1, 99)))
    _box(pen, (420, 545, height), "11 Brutogewicht (kg)", "gross", gross, plain)
    pen.y += height
    price = make.number(80, 2400, 2)
    _box(pen, (50, 300, 40), "13 Instructies", "", chance.choice(("Niet stapelen", "Droog houden", "")))
    _box(pen, (300, 545, 40), "20 Vrachtprijs", "price", f"EUR {price[0]}", price[1])


def _box(pen: Pen, sides: tuple[float, float, float], label: str, *value: str) -> None:
    """Print a box from a left to a right, of a height, as `held_out_kinds` does, with its own white."""
    name, text, normalized = (*value, "")[:3]
    left, right, height = sides
    top = pen.y
    pen.frame(left, top - 11, right, top + height - 11)
    pen.text(left + 4, label, size=0.75)
    pen.y = top + 14
    texts = text.split("\n")
    if name and len(texts) > 1:
        pen.lines(name, left + 6, texts)
    elif name:
        pen.value(name, left + 6, text, normalized)
    elif text and label[0] != "1":
        for line in texts:
            pen.text(left + 6, line)
            pen.down()
    pen.y = top


def school_report(pen: Pen, make: Contents) -> None:
    """Print a Spanish school report: subjects by terms, where a clerk wants single grades, and a name without label."""
    chance = pen.chance
    pen.text(297, "Colegio " + make.firm().split(" ")[0], size=1.6, style="B", align="center")
    pen.down(2.5)
    pen.text(297, "Boletín de calificaciones", align="center")
    pen.down(2)
    pen.value("pupil", 297, make.person(), size=1.4, style="B", align="center")
    pen.down(2.5)
    pen.text(60, "Curso")
    year = chance.randint(2019, 2024)
    end = pen.value("year", 110, f"{year}/{year + 1 - 2000}")
    pen.text(end + 40, "Grupo")
    pen.value("group", end + 90, make.code("9A"))
    pen.text(400, "N.º de expediente")
    pen.value("file", 490, make.code("99999"))
    pen.down(2.5)
    rows: list[list[Cell]] = [["Materia", "1.ª eval.", "2.ª eval.", "Final", "Faltas"]]
    for name, known in (
        ("Lengua castellana", "language"),
        ("Matemáticas", "math"),
        ("Inglés", ""),
        ("Ciencias naturales", "science"),
        ("Educación física", ""),
        ("Música", ""),
    ):
        if not pen.likely(0.8):
            continue
        grades = [f"{chance.randint(30, 99) / 10:.1f}".replace(".", ",") for _ in range(3)]
        final: Cell = (known, grades[2], f"{float(grades[2].replace(',', '.')):.1f}") if known else grades[2]
        rows.append([name, grades[0], grades[1], final, str(chance.randint(0, 9))])
    pen.table((60, -270, -350, -430, -510), rows, ruled=True, right=520)
    pen.down()
    mean, plain = make.number(3, 9.9, 2)
    pen.pair("Nota media:", 60, "mean", mean, plain)
    pen.down(2)
    if pen.likely(0.6):
        pen.text(60, "Observaciones del tutor", style="B")
        pen.down(1.3)
        pen.value("remark", 60, chance.choice(("Buen trabajo este curso", "Debe mejorar la letra", "Participa mucho")))
    pen.y = 780
    pen.text(60, "El tutor:")
    pen.value("tutor", 110, make.person())
