"""Print invoices and credit notes: addresses, numbers, items, totals and how to pay, as a design arranges them."""

from decimal import Decimal

from inference.layout.boxes import Box
from inference.tables.table import Cell, Table
from tests.benchmarks.documents.billing.content import Content, Party
from tests.benchmarks.documents.billing.pen import Pen
from tests.benchmarks.documents.billing.truth import TruthItem

LEFT, RIGHT = 56.0, 540.0
BOTTOM = 730.0
SHARES = {"position": 0.07, "code": 0.12, "item": 0.4, "quantity": 0.11, "price": 0.16, "rate": 0.1, "amount": 0.17}


class InvoicePage:
    """Prints one page of an invoice."""

    def __init__(self, content: Content, pen: Pen, number: int) -> None:
        self.content, self.pen, self.number = content, pen, number
        self.step = pen.size * content.chance.choice((1.3, 1.4, 1.55))
        self.y = 60.0
        self.tables: list[Table] = []

    def top(self) -> None:
        """Print addresses, title and numbers."""
        getattr(self, f"_header_{self.content.design.header}")()
        if self.content.design.numbers == "title":
            self._title(numbered=True)
            self._numbers_left_colon(without_number=True)
        elif self.content.design.numbers == "sentence_title":
            self._sentence_title()
        else:
            self._title(numbered=False)
            getattr(self, f"_numbers_{self.content.design.numbers}")()
        self.y += self.step
        if self.content.chance.random() < 0.5:
            self.pen.write(LEFT, self.y, self.content.pick("thanks"))
            self.y += 1.6 * self.step

    def short_top(self) -> None:
        """Print the top of a later page: who sends it, its number, and the number of the page."""
        content = self.content
        self.pen.write(LEFT, 48, (content.supplier.name, "supplier"), size=0.9)
        label = content.pick(self._number_name)
        self.pen.write(RIGHT, 48, f"{label}: ", (content.number, "invoice_number"), size=0.9, align="right")
        self.pen.rule(LEFT, 54, RIGHT)
        self.y = 84.0

    @property
    def _number_name(self) -> str:
        return "credit_number" if self.content.design.kind == "credit" else "number"

    def _party(
        self, party: Party, x: float, y: float, name: str | None, *, align: str = "left", size: float = 1.0
    ) -> float:
        lines = list(party.lines)
        if name == "buyer" and self.content.chance.random() < 0.3:
            lines.insert(1, self.content.pick("attention"))
        for number, line in enumerate(lines):
            span = (line, name) if number == 0 else (line, None)
            self.pen.write(x, y, span, align=align, size=size)
            y += self.step * size
        return y

    def _buyer(self, top: float) -> float:
        """Print the address of the buyer and return the height below it."""
        content, way = self.content, self.content.design.buyer
        x = LEFT if way != "right" else 330.0
        if way == "window":
            sender = " · ".join(content.supplier.lines)
            self.pen.write(x, top, (content.supplier.name, "supplier"), sender[len(content.supplier.name) :], size=0.7)
            top += 1.3 * self.step
        if way in ("labeled", "with_ship"):
            colon = content.chance.choice(("", ":"))
            self.pen.write(x, top, content.pick("buyer") + colon, style=content.chance.choice(("bold", "regular")))
            top += self.step
        bottom = self._party(content.buyer, x, top, "buyer")
        if way == "with_ship":
            self.pen.write(320, top - self.step, content.pick("ship"), style="bold")
            self._party(content.site, 320, top, "buyer")
        return bottom

    def _header_left(self) -> None:
        content = self.content
        self.pen.write(LEFT, self.y, (content.supplier.name, "supplier"), size=1.7, style="bold")
        self.y += 1.4 * self.step
        self._contact(LEFT, "left")
        self.y = self._buyer(self.y + 26) + 18

    def _header_right(self) -> None:
        content = self.content
        self.pen.write(RIGHT, self.y, (content.supplier.name, "supplier"), size=1.4, style="bold", align="right")
        self.y += 1.3 * self.step
        self._contact(RIGHT, "right")
        self.y = self._buyer(self.y + 14) + 18

    def _header_center(self) -> None:
        content = self.content
        self.pen.write(298, self.y, (content.supplier.name, "supplier"), size=1.6, style="bold", align="center")
        self.y += 1.3 * self.step
        self.pen.write(298, self.y, f"{content.supplier.street} · {content.supplier.city}", size=0.9, align="center")
        self.pen.rule(LEFT, self.y + 8, RIGHT)
        self.y = self._buyer(self.y + 40) + 18

    def _header_bar(self) -> None:
        self.pen.frame(LEFT - 10, self.y - 22, RIGHT + 10, self.y + 14, (214, 222, 232))
        self.pen.write(LEFT, self.y, (self.content.supplier.name, "supplier"), size=1.5, style="bold")
        self.y = self._buyer(self.y + 50) + 18

    def _header_logo(self) -> None:
        content = self.content
        self.pen.write(LEFT, self.y, content.supplier.name.split()[0].upper(), size=2.4, style="bold")
        self.y += 2 * self.step
        line = f" | {content.supplier.street} | {content.supplier.city}"
        self.pen.write(LEFT, self.y, (content.supplier.name, "supplier"), line, size=0.75)
        self.y = self._buyer(self.y + 24) + 18

    def _header_buyer_first(self) -> None:
        bottom = self._buyer(self.y)
        content = self.content
        x = LEFT if content.design.buyer == "right" else 330.0
        self.pen.write(x, self.y + 90, content.pick("seller"), style="bold")
        end = self._party(content.supplier, x, self.y + 90 + self.step, "supplier")
        self.y = max(bottom, end) + 20

    def _header_columns(self) -> None:
        content = self.content
        boxed = content.chance.random() < 0.4
        colon = content.chance.choice(("", ":"))
        self.pen.write(LEFT, self.y, content.pick("seller") + colon, style="bold")
        self.pen.write(310, self.y, content.pick("buyer") + colon, style="bold")
        top = self.y + self.step
        ends = self._party(content.supplier, LEFT, top, "supplier"), self._party(content.buyer, 310, top, "buyer")
        if boxed:
            for left in (LEFT, 310.0):
                self.pen.sheet.draw.rectangle(
                    [self.pen.sheet.px(each) for each in (left - 6, self.y - 14, left + 225, max(ends))],
                    outline=(80, 80, 80),
                )
        self.y = max(ends) + 24

    def _contact(self, x: float, align: str) -> None:
        content = self.content
        for line in (
            content.supplier.street,
            content.supplier.city,
            f"{content.pick('phone')} 0{content.customer} {content.customer}",
        ):
            self.pen.write(x, self.y, line, align=align, size=0.9)
            self.y += 0.95 * self.step

    def _title(self, *, numbered: bool) -> None:
        content = self.content
        title = content.pick("credit" if content.design.kind == "credit" else "title")
        self.y += 14
        if numbered:
            label = content.pick(self._number_name)
            self.pen.write(LEFT, self.y, f"{label} ", (content.number, "invoice_number"), size=1.5, style="bold")
        else:
            x, align = content.chance.choice(((LEFT, "left"), (LEFT, "left"), (RIGHT, "right")))
            self.pen.write(x, self.y, title, size=1.8, style="bold", align=align)
        self.y += 1.9 * self.step

    def _sentence_title(self) -> None:
        content = self.content
        label = content.pick(self._number_name)
        joint = {"en": "dated", "de": "vom", "fr": "du", "es": "de fecha", "it": "del", "nl": "van"}[content.language]
        self.y += 10
        self.pen.write(
            LEFT,
            self.y,
            f"{label} ",
            (content.number, "invoice_number"),
            f" {joint} ",
            (content.day(content.issued), "issue_date"),
            size=1.3,
            style="bold",
        )
        self.y += 1.8 * self.step
        for label, value, name in self._meta()[2:]:
            self.pen.write(LEFT, self.y, f"{label}: ", (value, name))
            self.y += self.step

    def _meta(self) -> list[tuple[str, str, str | None]]:
        """Return the labels, values and fields of the numbers and dates."""
        content, design = self.content, self.content.design
        rows: list[tuple[str, str, str | None]] = [
            (content.pick(self._number_name), content.number, "invoice_number"),
            (content.pick("issued"), content.day(content.issued), "issue_date"),
        ]
        others: list[tuple[str, str, str | None]] = []
        if design.has_due:
            others.append((content.pick("due"), content.day(content.due), "due_date"))
        if design.has_order:
            others.append((content.pick("order"), content.order, "order_number"))
        others.append((content.pick("customer"), content.customer, None))
        if content.chance.random() < 0.5:
            others.append((content.pick("delivered"), content.day(content.delivered), None))
        if content.chance.random() < 0.4:
            others.append((content.pick("note"), str(content.chance.randint(1000, 99_999)), None))
        content.chance.shuffle(others)
        return [*rows, *others]

    def _numbers_right_block(self) -> None:
        top = (
            max(150.0, self.y - 8 * self.step)
            if self.content.design.header in ("left", "logo", "bar", "center")
            else self.y
        )
        if self.content.design.buyer in ("right", "with_ship") or self.content.design.header == "left":
            top = self.y
        y = top
        for label, value, name in self._meta():
            self.pen.write(330, y, label)
            self.pen.write(RIGHT, y, (value, name), align="right")
            y += self.step
        self.y = max(self.y, y)

    def _numbers_left_colon(self, *, without_number: bool = False) -> None:
        for label, value, name in self._meta()[int(without_number) :]:
            self.pen.write(LEFT, self.y, f"{label}: ", (value, name))
            self.y += self.step

    def _numbers_leaders(self) -> None:
        for label, value, name in self._meta():
            dots = "." * max(4, 34 - len(label))
            self.pen.write(LEFT, self.y, f"{label} {dots} ", (value, name))
            self.y += self.step

    def _numbers_grid(self) -> None:
        self._meta_row(boxed=True)

    def _numbers_row(self) -> None:
        self._meta_row(boxed=False)

    def _meta_row(self, *, boxed: bool) -> None:
        rows = self._meta()[:4]
        width = (RIGHT - LEFT) / len(rows)
        for number, (label, value, name) in enumerate(rows):
            x = LEFT + number * width + 4
            self.pen.write(x, self.y, label, size=0.85, style="bold")
            self.pen.write(x, self.y + 1.5 * self.step, (value, name))
            if boxed:
                box = (x - 4, self.y - self.step, x - 4 + width, self.y + 2 * self.step)
                self.pen.sheet.draw.rectangle([self.pen.sheet.px(each) for each in box], outline=(80, 80, 80))
        self.y += 3 * self.step

    def _numbers_stacked(self) -> None:
        y = self.y
        for number, (label, value, name) in enumerate(self._meta()):
            x = LEFT if number % 2 == 0 else 330.0
            self.pen.write(x, y, label, size=0.8)
            self.pen.write(x, y + self.step, (value, name))
            y += 2.4 * self.step if number % 2 else 0
        self.y = y + 2.6 * self.step

    def items(self, items: list[TruthItem], first: int) -> int:
        """Print the heads and as many items as fit; return how many those are."""
        content, design, pen = self.content, self.content.design, self.pen
        whole = sum(SHARES[head] for head in design.heads)
        edges, x = [], LEFT
        for head in design.heads:
            width = (RIGHT - LEFT) * SHARES[head] / whole
            edges.append((x, x + width))
            x += width
        high = self.step * content.chance.choice((1.15, 1.4))
        top, cells = self.y - self.step, []
        names = {"position": "Pos.", "code": "SKU" if content.language == "en" else "Code"}
        texts = [names.get(head) or content.pick(head) for head in design.heads]
        if design.currency == "head":
            texts[-1] += f" {content.currency}"
        if design.rules in ("stripes", "head"):
            pen.sheet.draw.rectangle(
                [pen.sheet.px(each) for each in (LEFT - 4, top, RIGHT + 4, top + high)], fill=(222, 226, 230)
            )
        cells += self._row(0, texts, edges, "bold")
        self.y += high
        count = 0
        for number, item in enumerate(items, 1):
            if self.y > BOTTOM - 20:
                break
            if design.rules in ("rows", "grid"):
                pen.rule(LEFT - 4, self.y - self.step, RIGHT + 4, 0.4)
            cells += self._row(number, self._item_texts(item, first + number), edges, "regular")
            self.y += high
            count += 1
        box = Box(pen.sheet.px(LEFT), pen.sheet.px(top), pen.sheet.px(RIGHT), pen.sheet.px(self.y))
        self.tables.append(Table(count + 1, len(edges), tuple(cells), box, 1, continues=self.number > 1))
        self.y += 0.6 * self.step
        return count

    def _item_texts(self, item: TruthItem, number: int) -> list[str]:
        content = self.content
        texts = {
            "position": str(number),
            "code": f"{content.chance.randint(1000, 9999)}",
            "item": item.description,
            "quantity": str(item.quantity),
            "price": content.number_text(item.price),
            "rate": content.rate_text(item.rate),
            "amount": content.money(item.amount),
        }
        return [texts[head] for head in content.design.heads]

    def _row(self, row: int, texts: list[str], edges: list[tuple[float, float]], style: str) -> list[Cell]:
        cells = []
        for column, (head, text, (left, right)) in enumerate(zip(self.content.design.heads, texts, edges, strict=True)):
            at_left = head in ("position", "code", "item")
            x = left if at_left else right - 7 * (head == "quantity")
            self.pen.write(x, self.y, text, style=style, size=0.95, align="left" if at_left else "right", kind="table")
            cells.append(Cell(row, column, text, Box(*self.pen.box), header=row == 0))
        return cells

    def carry(self, amount: Decimal) -> None:
        self.pen.write(330, self.y + 6, self.content.pick("carry"))
        self.pen.write(RIGHT, self.y + 6, self.content.money(amount), align="right")

    def totals(self) -> None:
        rows = self._total_rows()
        if self.content.design.rate_table and len(self.content.rates) > 1:
            self._rate_table()
        if self.content.design.totals == "across":
            self._across(rows)
            return
        wide = self.content.design.totals in ("wide", "leaders")
        left = LEFT if wide else 330.0
        if self.content.design.totals == "boxed":
            self.pen.frame(left - 8, self.y - self.step, RIGHT + 8, self.y + len(rows) * 1.25 * self.step)
        for label, value, name in rows:
            style = "bold" if name == "total" else "regular"
            if self.content.design.totals == "leaders":
                dots = "." * max(4, 46 - len(label))
                self.pen.write(LEFT, self.y, f"{label} {dots} ", (value, name), style=style)
            else:
                self.pen.write(left, self.y, label, style=style, kind="table")
                self.pen.write(RIGHT, self.y, (value, name), style=style, align="right", kind="table")
            self.y += 1.25 * self.step
        self.y += self.step

    def _total_rows(self) -> list[tuple[str, str, str | None]]:
        content, design = self.content, self.content.design
        rows: list[tuple[str, str, str | None]] = []
        if design.has_discount or design.has_shipping:
            rows.append((content.pick("subtotal"), content.money(content.subtotal), None))
        if design.has_discount:
            rows.append((f"{content.pick('discount')} 5 %", content.money(-content.discount), None))
        if design.has_shipping:
            rows.append((content.pick("shipping"), content.money(content.shipping), None))
        if design.has_net:
            rows.append((content.pick("net"), content.money(content.net), "net"))
        rows += self._tax_rows()
        label = content.pick("total")
        if design.currency == "total":
            label += f" {content.currency}"
        rows.append((label, content.money(content.total), "total"))
        if design.has_deposit:
            rows.append((content.pick("paid"), content.money(-content.deposit), None))
        return rows

    def _tax_rows(self) -> list[tuple[str, str, str | None]]:
        content, design = self.content, self.content.design
        label = content.pick("tax")
        if len(content.rates) == 1:
            rate = next(iter(content.rates))
            return [(f"{label} {content.rate_text(rate)}", content.money(content.tax), "tax")]
        rows: list[tuple[str, str, str | None]] = []
        if not design.rate_table:
            rows = [
                (f"{label} {content.rate_text(rate)}", content.money(tax), None)
                for rate, (_, tax) in content.rates.items()
            ]
        if design.tax_sum or design.rate_table:
            rows.append((label, content.money(content.tax), "tax"))
        return rows

    def _rate_table(self) -> None:
        content, step = self.content, self.step
        heads = [content.pick(name) for name in ("rate", "net", "tax")]
        edges = (150.0, 240.0, 330.0)
        for head, right in zip(heads, edges, strict=True):
            self.pen.write(right, self.y, head, size=0.85, style="bold", align="right")
        self.y += step
        for rate, (base, tax) in content.rates.items():
            texts = content.rate_text(rate), content.number_text(base), content.number_text(tax)
            for text, right in zip(texts, edges, strict=True):
                self.pen.write(right, self.y, text, size=0.85, align="right")
            self.y += step
        self.y += step

    def _across(self, rows: list[tuple[str, str, str | None]]) -> None:
        width = (RIGHT - LEFT) / len(rows)
        for number, (label, value, name) in enumerate(rows):
            x = LEFT + (number + 1) * width - 4
            self.pen.write(x, self.y, label, size=0.8, align="right")
            self.pen.write(x, self.y + 1.4 * self.step, (value, name), align="right", size=0.9)
        self.y += 3.4 * self.step

    def foot(self) -> None:
        content, design = self.content, self.content.design
        if design.currency == "none" and content.chance.random() < 0.5:
            codes = {
                "en": "All amounts in",
                "de": "Alle Beträge in",
                "fr": "Montants en",
                "es": "Importes en",
                "it": "Importi in",
                "nl": "Bedragen in",
            }
            self.pen.write(LEFT, self.y, f"{codes[content.language]} ", (content.currency, "currency"))
            self.y += 1.4 * self.step
        if content.chance.random() < 0.6:
            self.pen.write(LEFT, self.y, content.pick("terms"))
            self.y += 1.5 * self.step
        if content.country == "US":
            self.pen.write(LEFT, self.y, f"Account no. {content.customer}0012 · Routing no. 021000021")
        else:
            getattr(self, f"_foot_{design.foot}")()

    def _foot_none(self) -> None:
        self.y += 1

    def _foot_line(self) -> None:
        self.pen.write(LEFT, self.y, "IBAN: ", (self.content.iban, "iban"), " BIC: COBADEFFXXX")

    def _foot_block(self) -> None:
        content = self.content
        rows = (
            (content.pick("holder"), content.supplier.name, "supplier"),
            ("Bank" if content.language != "fr" else "Banque", content.pick("bank"), None),
            ("IBAN", content.iban, "iban"),
            ("BIC", "COBADEFFXXX", None),
        )
        for label, value, name in rows:
            self.pen.write(LEFT, self.y, f"{label}:")
            self.pen.write(LEFT + 90, self.y, (value, name))
            self.y += self.step

    def _foot_columns(self) -> None:
        content, y, step = self.content, 770.0, 0.85 * self.step
        columns = (
            ((content.supplier.name, "supplier"), (content.supplier.street, None), (content.supplier.city, None)),
            (
                (f"{content.pick('phone')} 0{content.customer}", None),
                (f"{content.pick('vat_no')} {content.customer}12", None),
                ("www.example.com", None),
            ),
            ((content.pick("bank"), None), (content.iban, "iban"), ("BIC COBADEFFXXX", None)),
        )
        self.pen.rule(LEFT, y - 12, RIGHT, 0.4)
        for number, column in enumerate(columns):
            for row, (text, name) in enumerate(column):
                label = "IBAN " if name == "iban" else ""
                self.pen.write(LEFT + number * 165, y + row * step, label, (text, name), size=0.7)

    def _foot_dots(self) -> None:
        content = self.content
        self.pen.write(
            298,
            790,
            (content.supplier.name, "supplier"),
            f" · {content.supplier.street} · {content.supplier.city}",
            size=0.75,
            align="center",
        )
        self.pen.write(298, 802, f"{content.pick('bank')} · IBAN ", (content.iban, "iban"), size=0.75, align="center")

    def page_mark(self, of: int) -> None:
        text = self.content.words["page"][0].replace("{n}", str(self.number)).replace("{of}", str(of))
        self.pen.write(RIGHT, 822, text, size=0.8, align="right")
