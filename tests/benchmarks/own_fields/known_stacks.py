"""More kinds that the engine of own fields was tuned on: statements of several pages, and forms with tick boxes."""

from tests.benchmarks.own_fields.contents import Contents
from tests.benchmarks.own_fields.pen import Pen

Cell = str | tuple[str, str, str]
LEFTS = (50, 130, -430, -530)


def bank_statement(pen: Pen, make: Contents) -> None:
    """Print an English statement whose list of payments goes on over pages, with its sums on the last."""
    chance = pen.chance
    pen.text(50, make.firm() + " Bank", style="B", size=1.4)
    pen.down(2.5)
    start, end = make.day(), make.day()
    pen.pair("Account holder", 50, "holder", make.person(), at=150)
    pen.pair("Statement no.", 340, "statement", str(chance.randint(1, 240)), at=440)
    pen.down(1.3)
    pen.pair("Account number", 50, "account", make.code("99999999"), at=150)
    pen.pair("Sort code", 340, "sort_code", make.code("99-99-99"), at=440)
    pen.down(1.3)
    pen.text(50, "Period")
    after = pen.value("starts", 150, f"{start.day} {start:%b %Y}", start.isoformat())
    after = pen.text(after + 5, "to")
    pen.value("ends", after + 5, f"{end.day} {end:%b %Y}", end.isoformat())
    pen.down(2.5)
    for page in range(chance.randint(1, 3)):
        if page:
            pen.page()
        rows: list[list[Cell]] = [["Date", "Details", "Paid", "Balance"]]
        for _ in range(chance.randint(8, 24)):
            paid = make.number(1, 2000, 2)
            details = f"{chance.choice(('Card payment', 'Transfer', 'Direct debit'))} {make.code('AA999')}"
            rows.append([f"{make.day():%d/%m/%y}", details, ("payments", *paid), make.number(10, 9000, 2)[0]])
        pen.table(LEFTS, rows, ruled=False, right=535)
        pen.down()
    balance = make.number(10, 9000, 2)
    pen.text(300, "Balance brought forward")
    pen.text(530, make.number(10, 9000, 2)[0], align="right")
    pen.down(1.3)
    pen.text(300, "Closing balance", style="B")
    pen.value("closing", 530, balance[0], balance[1], align="right", style="B")
    if pen.likely(0.6):
        pen.down(1.3)
        pen.text(300, "Arranged overdraft")
        pen.value("overdraft", 530, *make.number(100, 3000, 2), align="right")


def admission_form(pen: Pen, make: Contents) -> None:
    """Print a Spanish admission form: questions with tick boxes, a choice of several, and dotted lines."""
    chance = pen.chance
    pen.text(297, "HOJA DE INGRESO", style="B", size=1.4, align="center")
    pen.down(3)
    born = make.day(-25000, -4000)
    pen.text(50, "Apellidos y nombre:")
    pen.value("patient", 160, make.person())
    pen.down(1.6)
    pen.text(50, "Fecha de nacimiento:")
    pen.value("born", 160, f"{born:%d/%m/%Y}", born.isoformat())
    pen.text(320, "N.º de historia:")
    pen.value("record", 410, make.code("999999"))
    pen.down(1.6)
    pen.text(50, "Habitación:")
    if pen.likely(0.7):
        pen.value("bed", 160, make.code("999-A"))
    pen.text(320, "Peso (kg):")
    pen.value("weight", 410, *make.number(40, 120, 1))
    pen.down(2.5)
    for question in ("Fumador", "Alergias conocidas", "Diabetes"):
        pen.text(50, question)
        yes = chance.random() < 0.5
        for at, name, checked in ((220, "sí", yes), (270, "no", not yes)):
            pen.tick(at, checked)
            if checked and question == "Alergias conocidas":
                pen.value("allergies", at + 14, name, "yes" if yes else "no")
            else:
                pen.text(at + 14, name)
        pen.down(1.6)
    pen.down()
    pen.text(50, "Contacto en caso de urgencia", style="B")
    pen.down(1.4)
    pen.text(50, "Nombre:")
    pen.value("contact", 160, make.person())
    pen.down(1.4)
    pen.text(50, "Teléfono:")
    phone = make.code("6 99 99 99 99").replace("6 ", "6")
    pen.value("phone", 160, phone, phone.replace(" ", ""))
    pen.down(2)
    pen.text(50, "Diagnóstico de ingreso")
    pen.down(1.3)
    pen.value("diagnosis", 50, chance.choice(("Fractura de tibia", "Neumonía", "Control postoperatorio", "Asma leve")))
    pen.down(3)
    admitted = make.day()
    pen.text(50, f"En {make.town().split(' ', 1)[1]}, a")
    pen.value("admitted", 160, f"{admitted:%d/%m/%Y}", admitted.isoformat())
