"""Fill templates with words by chance: `{noun}` is replaced by a noun, `{noun^}` by one with a capital."""

import random
import re
from collections import defaultdict
from collections.abc import Callable
from functools import cache
from importlib import import_module

SLOT = re.compile(r"{(\w+)(\^?)}")
LANGUAGES = {"en": "english", "de": "german"}
SENTENCE = "sentence"
FEW = 4
FIXED = ("month",)
"""The names whose entries are looked up by number."""
Table = dict[str, list[str]]


def read_table(text: str) -> Table:
    """Read lines like `noun: river | teacher`, and `| A sentence.`; several lines of one name add up."""
    table: Table = defaultdict(list)
    for line in text.splitlines():
        if line.startswith("|"):
            table[SENTENCE].append(line[1:].strip())
            continue
        name, _, rest = line.partition(": ")
        table[name] += [part.strip() for part in rest.split(" | ")]
    return dict(table)


def half_of(table: Table, half: int) -> Table:
    """Return every second entry of each name, except of the names that have few."""
    return {
        name: entries[half::2] if len(entries) >= FEW and name not in FIXED else entries
        for name, entries in table.items()
    }


@cache
def table_of(language: str, subject: str) -> Table:
    """Return the words of a language, with the names and sentences of a subject ("prose" or a kind of document)."""
    general = import_module(f"{__package__}.{LANGUAGES[language]}")
    table = read_table(general.NAMES)
    if subject == "prose":
        return table | read_table(general.PROSE)
    special = import_module(f"{__package__}.{LANGUAGES[language]}_{subject}")
    return table | read_table(general.PROSE) | read_table(special.TEXT)


class Wording:
    """Speaks a language about a subject, by chance."""

    def __init__(self, language: str, chance: random.Random, subject: str = "prose", half: int | None = None) -> None:
        self.language = language
        self.chance = chance
        table = table_of(language, subject)
        self.table = table if half is None else half_of(table, half)

    def pick(self, name: str) -> str:
        """Return one entry of this name, filled."""
        return self.fill(self.chance.choice(self.table[name]))

    def some(self, name: str, count: int) -> list[str]:
        """Return different entries of this name, filled."""
        entries = self.table[name]
        return [self.fill(one) for one in self.chance.sample(entries, min(count, len(entries)))]

    def fill(self, template: str) -> str:
        return SLOT.sub(self._slot, template)

    def _slot(self, match: re.Match[str]) -> str:
        name, capital = match.groups()
        word = self._made(name) or self.pick(name)
        return word[:1].upper() + word[1:] if capital else word

    def _made(self, name: str) -> str:
        """Return a number, date or sum; nothing for other names."""
        chance = self.chance
        makers: dict[str, Callable[[], str]] = {
            "count": lambda: str(chance.randint(12, 980)),
            "small": lambda: str(chance.randint(2, 9)),
            "year": lambda: str(chance.randint(1890, 2026)),
            "amount": lambda: self.amount(chance.randint(900, 2_500_000)),
            "date": self.date,
            "number": lambda: f"{chance.choice('ABKRT')}{chance.choice('-/')}{chance.randint(10_000, 99_999)}",
            "person": lambda: self.fill("{first_name} {last_name}"),
            "iban": lambda: iban(chance),
        }
        return makers[name]() if name in makers else ""

    def amount(self, cents: int) -> str:
        whole, rest = divmod(cents, 100)
        if self.language == "de":
            return f"{whole:,}".replace(",", ".") + f",{rest:02} €"
        return f"${whole:,}.{rest:02}"

    def date(self) -> str:
        day, year, month = self.chance.randint(1, 28), self.chance.randint(2015, 2026), self.chance.randint(1, 12)
        name = self.table["month"][month - 1]
        if self.language == "de":
            return self.chance.choice((f"{day}. {name} {year}", f"{day:02}.{month:02}.{year}"))
        return self.chance.choice((f"{name} {day}, {year}", f"{day} {name} {year}", f"{month:02}/{day:02}/{year}"))

    def paragraph(self, sentences: int) -> str:
        return " ".join(self.pick(SENTENCE) for _ in range(sentences))


def iban(chance: random.Random) -> str:
    """Return an account number of which the check digits are right, in groups of four."""
    account = "".join(str(chance.randint(0, 9)) for _ in range(18))
    check = 98 - int(account + "131400") % 97
    whole = f"DE{check:02}{account}"
    return " ".join(whole[at : at + 4] for at in range(0, len(whole), 4))
