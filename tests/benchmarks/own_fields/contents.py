"""Made-up people, places, codes, dates and amounts."""

from dataclasses import dataclass
from datetime import date, timedelta
from random import Random


def _listed(texts: str) -> list[str]:
    return texts.split("|")


FIRST = _listed(
    "Anna|Peter|Maria|Jan|Sofia|Luca|Emma|Paul|Claire|Hugo|Elena|Marco|Ingrid|Tom|Lucía|Pablo|Giulia|Pieter|"
    "Ruth|Oskar|Yasmin|Dirk|Noémie|Björn|Célia|Ahmed|Zoë|Max|Katharina-Luise|Jean-Pierre"
)
LAST = _listed(
    "Müller|Berg|Rossi|Dubois|García|Smith|de|Vries|Keller|Jansen|Moreau|Bianchi|Fernández|O'Neill|"
    "Schmidt-Hahn|Lindqvist|Brown|Ferrari|Lefèvre|Novak|Haas|Wolters|Peeters|Romano|Castillo|Whitfield|Ng|"
    "Vandenberghe"
)
FIRM = _listed(
    "Nordlicht|Alpenblick|Hafen|Meridian|Kestrel|Atlas|Bluewater|Terrafirma|Vela|Quercus|Silberbach|Montclair|"
    "Ondina|Tramonto|Zuidplas|Westerveld|Calypso|Brightwell|Ferrum|Arboris"
)
TRADE = {
    "de": _listed("Logistik GmbH|Bau GmbH & Co. KG|Handels AG|Maschinenbau GmbH|Getränke e. K."),
    "en": _listed("Logistics Ltd|Motors Ltd|Health Clinic|Trading Co.|Systems plc"),
    "fr": _listed("Transports SARL|Énergie SA|Conseil SAS|et Fils"),
    "it": _listed("S.r.l.|Costruzioni S.p.A.|Immobiliare S.r.l.|e Figli S.n.c."),
    "nl": _listed("B.V.|Techniek B.V.|Groep N.V.|Bouw B.V."),
    "es": _listed("S.L.|Exportaciones S.A.|y Asociados S.L.|Aduanas S.A."),
}
STREET = {
    "de": _listed("Hauptstraße|Am Markt|Lindenweg|Industriestraße|Alte Poststraße"),
    "en": _listed("High Street|Mill Lane|Station Road|Kings Avenue|Queen Anne's Gate"),
    "fr": _listed("rue de la Paix|avenue Foch|chemin du Moulin|boulevard Voltaire"),
    "it": _listed("Via Roma|Corso Italia|Via Giuseppe Verdi|Piazza Garibaldi"),
    "nl": _listed("Dorpsstraat|Keizersgracht|Stationsweg|Lange Nieuwstraat"),
    "es": _listed("Calle Mayor|Avenida de América|Calle del Prado|Plaza Nueva"),
}
TOWN = {
    "de": _listed("20457 Hamburg|80331 München|50667 Köln|99084 Erfurt|70173 Stuttgart"),
    "en": _listed("London SW1A 1AA|Leeds LS1 4AP|Bath BA1 1LN|Cardiff CF10 1EP|York YO1 7HH"),
    "fr": _listed("75002 Paris|69003 Lyon|31000 Toulouse|13001 Marseille|67000 Strasbourg"),
    "it": _listed("00184 Roma|20121 Milano|50122 Firenze|80133 Napoli|10121 Torino"),
    "nl": _listed("1015 CJ Amsterdam|3511 AB Utrecht|5611 AZ Eindhoven|9711 LM Groningen"),
    "es": _listed("28001 Madrid|08002 Barcelona|41001 Sevilla|46001 Valencia|48001 Bilbao"),
}
IBANS = {
    "de": _listed("DE89 3704 0044 0532 0130 00|DE02 1203 0000 0000 2020 51|DE02 5001 0517 0137 0750 30"),
    "it": _listed("IT60 X054 2811 1010 0000 0123 456|IT02 L123 4512 3451 2345 6789 012"),
    "fr": _listed("FR14 2004 1010 0505 0001 3M02 606|FR76 3000 6000 0112 3456 7890 189"),
    "nl": _listed("NL91 ABNA 0417 1643 00|NL02 ABNA 0123 4567 89"),
}
_DAY = date(2022, 1, 3)


@dataclass(frozen=True)
class Contents:
    chance: Random
    language: str

    def person(self) -> str:
        return f"{self.chance.choice(FIRST)} {self.chance.choice(LAST)}"

    def firm(self) -> str:
        return f"{self.chance.choice(FIRM)} {self.chance.choice(TRADE[self.language])}"

    def street(self) -> str:
        street, number = self.chance.choice(STREET[self.language]), self.chance.randint(1, 240)
        return f"{number} {street}" if self.language in ("en", "fr") else f"{street} {number}"

    def town(self) -> str:
        return self.chance.choice(TOWN[self.language])

    def address(self) -> list[str]:
        """Return the lines of an address, of which there are three to five."""
        lines = [self.firm() if self.chance.random() < 0.6 else self.person()]
        if self.chance.random() < 0.3:
            lines.append(self.person())
        lines.append(self.street())
        lines.append(self.town())
        return lines

    def code(self, pattern: str) -> str:
        """Return a text in which `9` stands for a digit and `A` for a capital letter."""
        letters = "ABCDEFGHJKLMNPRSTUVWXYZ"
        return "".join(
            str(self.chance.randint(0, 9)) if sign == "9" else self.chance.choice(letters) if sign == "A" else sign
            for sign in pattern
        )

    def iban(self) -> str:
        return self.chance.choice(IBANS[self.language])

    def day(self, first: int = 0, last: int = 1200) -> date:
        return _DAY + timedelta(days=self.chance.randint(first, last))

    def number(self, low: float, high: float, places: int) -> tuple[str, str]:
        """Return a number as it is written in the language, and with a point."""
        return self.written(round(self.chance.uniform(low, high), places), places)

    def written(self, number: float, places: int) -> tuple[str, str]:
        plain = f"{number:,.{places}f}"
        if self.language == "en":
            return plain, plain.replace(",", "")
        group = " " if self.language == "fr" else "."
        return plain.replace(",", "_").replace(".", ",").replace("_", group), f"{number:.{places}f}"


def dotted(day: date) -> str:
    return f"{day:%d.%m.%Y}"


def slashed(day: date) -> str:
    return f"{day:%d/%m/%Y}"
