"""Print receipts as tills do: narrow, the shop's name at the top, and what was paid."""

from tests.benchmarks.documents.billing.content import Content
from tests.benchmarks.documents.billing.pen import Pen

WIDTH, LEFT, RIGHT, MIDDLE = 240.0, 14.0, 226.0, 120.0


def print_receipt(content: Content, pen: Pen) -> None:
    step, y = pen.size * 1.35, 34.0
    pen.write(MIDDLE, y, (content.supplier.name, "supplier"), size=1.3, style="bold", align="center")
    for line in (content.supplier.street, content.supplier.city, f"{content.pick('phone')} 0{content.customer}"):
        y += step
        pen.write(MIDDLE, y, line, align="center")
    y += 1.8 * step
    if content.chance.random() < 0.7:
        pen.write(MIDDLE, y, content.pick("receipt"), style="bold", size=1.2, align="center")
        y += 1.5 * step
    y = _numbers(content, pen, y, step)
    for item in content.items:
        text = item.description if item.quantity == 1 else f"{item.quantity} x {item.description}"
        pen.write(LEFT, y, text)
        pen.write(RIGHT, y, content.number_text(item.amount), align="right")
        y += step
    pen.rule(LEFT, y - 0.5 * step, RIGHT)
    y = _sums(content, pen, y + 0.6 * step, step)
    pen.write(MIDDLE, y + step, content.pick("thanks")[:32].rsplit(" ", 1)[0], align="center", size=0.9)


def _numbers(content: Content, pen: Pen, y: float, step: float) -> float:
    time = f"{content.chance.randint(8, 20)}:{content.chance.randint(10, 59)}"
    day = (content.day(content.issued), "issue_date")
    if content.chance.random() < 0.5:
        pen.write(LEFT, y, f"{content.pick('issued')}: ", day)
    else:
        pen.write(LEFT, y, day, f" {time}")
    y += step
    pen.write(LEFT, y, f"{content.pick('receipt_number')} ", (content.number, "invoice_number"))
    return y + 1.8 * step


def _sums(content: Content, pen: Pen, y: float, step: float) -> float:
    rows: list[tuple[str, str, str | None]] = []
    if content.design.has_net:
        rows.append((content.pick("net"), content.money(content.net), "net"))
    label = content.pick("tax")
    if len(content.rates) == 1:
        rows.append((f"{label} {content.rate_text(next(iter(content.rates)))}", content.money(content.tax), "tax"))
    else:
        for rate, (_, tax) in content.rates.items():
            rows.append((f"{label} {content.rate_text(rate)}", content.money(tax), None))
    total = content.pick("total") + (f" {content.currency}" if content.design.currency == "total" else "")
    rows.append((total, content.money(content.total), "total"))
    given = (content.total // 50 + 1) * 50
    rows += [
        (content.pick("cash"), content.money(given), None),
        (content.pick("change"), content.money(given - content.total), None),
    ]
    for text, value, name in rows:
        style = "bold" if name == "total" else "regular"
        pen.write(LEFT, y, text, style=style)
        pen.write(RIGHT, y, (value, name), style=style, align="right")
        y += step * 1.1
    return y
