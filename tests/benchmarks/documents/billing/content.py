"""The content of an invoice: parties, numbers, dates, items and sums, and how they are written."""

import random
import string
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal

from inference.fields.identifiers import IBAN_LENGTHS
from tests.benchmarks.documents.billing.design import Design
from tests.benchmarks.documents.billing.truth import TruthItem
from tests.benchmarks.documents.billing.words import words_of
from tests.benchmarks.documents.wording.sentences import Table

HOME = {"en": "GB", "de": "DE", "fr": "FR", "es": "ES", "it": "IT", "nl": "NL"}
ABROAD = {"en": "US", "de": "CH", "fr": "CH", "es": "ES", "it": "CH", "nl": "BE"}
CURRENCIES = {"GB": "GBP", "US": "USD", "CH": "CHF"}
SIGNS = {"GBP": "£", "USD": "$", "EUR": "€", "CHF": "CHF"}
RATES = {
    "GB": ("20", "5"),
    "US": ("8.25", "4"),
    "DE": ("19", "7"),
    "CH": ("8.1", "2.6"),
    "FR": ("20", "5.5"),
    "ES": ("21", "10"),
    "IT": ("22", "10"),
    "NL": ("21", "9"),
    "BE": ("21", "6"),
}
_CENT = Decimal("0.01")


@dataclass(frozen=True)
class Party:
    name: str
    street: str
    city: str

    @property
    def lines(self) -> list[str]:
        return [self.name, self.street, self.city]


class Content:
    def __init__(self, design: Design, language: str, seed: int) -> None:
        self.design, self.language = design, language
        self.chance = random.Random(f"billing {design.template} {language} {seed}")
        self.words: Table = words_of(language, design.template % 2)
        self.country = (ABROAD if design.abroad else HOME)[language]
        self.currency = CURRENCIES.get(self.country, "EUR")
        firms = self.chance.sample(self.words["firm"], 2)
        self.supplier, self.buyer, self.site = (self._party(name) for name in (*firms, firms[1]))
        self.number = self._number()
        self.order = self._other_number()
        self.customer = str(self.chance.randint(10_000, 99_999))
        self.issued = date(2019, 1, 1) + timedelta(days=self.chance.randint(0, 2700))
        self.due = self.issued + timedelta(days=self.chance.choice((10, 14, 21, 30, 60)))
        self.delivered = self.issued - timedelta(days=self.chance.randint(1, 20))
        self.iban = iban_of("DE" if self.country == "US" else self.country, self.chance)
        self.items = self._items()
        self._sum()

    def pick(self, name: str) -> str:
        """Return a text of a name; the same one each time in a document."""
        chosen = self.words[name][self.chance.randrange(len(self.words[name]))]
        self.words = self.words | {name: [chosen]}
        return self.filled(chosen)

    def filled(self, text: str) -> str:
        for slot in ("city", "person"):
            if "{" + slot + "}" in text:
                text = text.replace("{" + slot + "}", self.chance.choice(self.words[slot]))
        while "{small}" in text:
            text = text.replace("{small}", str(self.chance.randint(1, 9)), 1)
        return text

    def _party(self, name: str) -> Party:
        chance = self.chance
        city, street = chance.choice(self.words["city"]), self.filled(chance.choice(self.words["street"]))
        digits = "".join(str(chance.randint(1, 9)) for _ in range(5))
        code = "".join(chance.choice("BCDGHLMNPRST") for _ in range(2))
        line = {
            "GB": f"{city} {code}{digits[0]} {digits[1]}{code}",
            "US": f"{city}, {chance.choice(('NY', 'CA', 'TX', 'OH'))} {digits}",
            "NL": f"{digits[:4]} {code} {city}",
            "CH": f"{digits[:4]} {city}",
            "BE": f"{digits[:4]} {city}",
        }.get(self.country, f"{digits} {city}")
        return Party(name, street, line)

    def _number(self) -> str:
        chance, year = self.chance, self.chance.randint(2019, 2026)
        count = chance.randint(100, 99_999)
        forms = (
            f"RE-{year}-{count:05}",
            f"{year}{count:05}",
            f"{chance.choice('ABFIR')}{count:06}",
            f"{year}/{count:04}",
            f"INV {count:05}",
            f"{count + 100_000}",
            f"FA{year % 100}-{count:04}",
            f"{chance.choice('ABC')}.{year}.{count:04}",
        )
        return forms[chance.randrange(len(forms))]

    def _other_number(self) -> str:
        count = self.chance.randint(10_000, 9_999_999)
        return self.chance.choice((f"45{count:08}", f"PO-{count}", f"B{count}", f"{count}"))

    def _items(self) -> list[TruthItem]:
        chance, design = self.chance, self.design
        count = chance.randint(18, 26) if design.pages == 2 else chance.randint(1, 7)
        rates = [Decimal(rate) for rate in RATES[self.country]]
        items = []
        for number in range(count):
            quantity, price = chance.randint(1, 24), Decimal(chance.randint(150, 45_000)) / 100
            rate = rates[number % 2] if design.several_rates and count > 1 else rates[0]
            items.append(TruthItem(chance.choice(self.words["thing"]), quantity, price, quantity * price, rate))
        return items

    def _sum(self) -> None:
        design, main = self.design, Decimal(RATES[self.country][0])
        bases: dict[Decimal, Decimal] = {}
        for item in self.items:
            bases[item.rate] = bases.get(item.rate, Decimal(0)) + item.amount
        self.subtotal = sum(bases.values(), Decimal(0))
        self.discount = Decimal(0)
        self.shipping = Decimal(self.chance.choice((490, 950, 1250))) / 100 if design.has_shipping else Decimal(0)
        if design.has_discount:
            self.discount = _rounded(bases[main] * Decimal("0.05"))
        bases[main] += self.shipping - self.discount
        self.rates = {rate: (base, _rounded(base * rate / 100)) for rate, base in bases.items()}
        self.net = sum((base for base, _ in self.rates.values()), Decimal(0))
        self.tax = sum((tax for _, tax in self.rates.values()), Decimal(0))
        self.total = self.net + self.tax
        self.deposit = _rounded(self.total / 4) if design.has_deposit else Decimal(0)

    def number_text(self, value: Decimal) -> str:
        plain = f"{abs(value):,.2f}"
        if self.country == "CH":
            return plain.replace(",", "'")
        if self.language == "en":
            return plain
        group = " " if self.language == "fr" else "."
        return plain.replace(",", "_").replace(".", ",").replace("_", group)

    def money(self, value: Decimal) -> str:
        sign = "-" if value < 0 else ""
        number, form = self.number_text(value), self.design.currency
        symbol = SIGNS[self.currency]
        if form == "before" or (form == "after" and self.language == "en"):
            return f"{sign}{symbol}{' ' if len(symbol) > 1 or self.language in ('nl', 'de') else ''}{number}"
        if form == "after":
            return f"{sign}{number} {symbol}"
        if form == "code_after":
            return f"{sign}{number} {self.currency}"
        return f"{self.currency} {sign}{number}" if form == "code_before" else f"{sign}{number}"

    def rate_text(self, rate: Decimal) -> str:
        text = f"{rate:f}"
        text = text if self.language == "en" or self.country == "CH" else text.replace(".", ",")
        return f"{text}{'' if self.language in ('en', 'it', 'nl') else ' '}%"

    def day(self, day: date) -> str:
        form, month = self.design.dates, self.words["month"][day.month - 1]
        if form == "iso":
            return day.isoformat()
        if form == "long":
            return {
                "en": f"{month} {day.day}, {day.year}" if self.country == "US" else f"{day.day} {month} {day.year}",
                "de": f"{day.day}. {month} {day.year}",
                "es": f"{day.day} de {month} de {day.year}",
            }.get(self.language, f"{day.day} {month} {day.year}")
        year = f"{day.year % 100:02}" if form == "short_year" else str(day.year)
        if self.country == "US":
            return f"{day.month:02}/{day.day:02}/{year}"
        mark = "." if self.language == "de" else "-" if self.language == "nl" else "/"
        mark = "/" if form == "slash" and self.language != "de" else mark
        return f"{day.day:02}{mark}{day.month:02}{mark}{year}"


def iban_of(country: str, chance: random.Random) -> str:
    """Return an account number of a country whose check digits are right, in groups of four."""
    length = IBAN_LENGTHS[country] - 4
    letters = {"NL": 4, "GB": 4, "IT": 1}.get(country, 0)
    account = "".join(chance.choice(string.ascii_uppercase) for _ in range(letters))
    account += "".join(str(chance.randint(0, 9)) for _ in range(length - letters))
    digits = "".join(str(int(sign, 36)) for sign in f"{account}{country}00")
    whole = f"{country}{98 - int(digits) % 97:02}{account}"
    return " ".join(whole[at : at + 4] for at in range(0, len(whole), 4))


def _rounded(value: Decimal) -> Decimal:
    return value.quantize(_CENT, ROUND_HALF_UP)
