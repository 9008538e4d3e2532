"""Pieces of source code; "~" begins a new line."""

TEXT = """wort: rechnung | summe | kunde | liste | wert | zeile | konto | auftrag | datei | seite | monat | preis
| def count_{wort}(values):~    total = 0~    for value in values:~        if value > {count}:~            total += value~    return total
| class {wort^}:~    def __init__(self, name, size={small}):~        self.name = name~        self.size = size
| for (int i = 0; i < {count}; i++) {~    {wort}[i] = i * {small};~    printf("%d\\n", {wort}[i]);~}
| const {wort} = await fetch("/api/{wort}/{count}");~if (!{wort}.ok) {~  throw new Error("keine {wort}");~}
| SELECT name, SUM(betrag) AS summe~  FROM {wort}s~ WHERE year >= {year}~ GROUP BY name~ ORDER BY summe DESC;
| # Liest die {wort} und gibt jede Zeile aus.~with open("{wort}.txt") as file:~    for line in file:~        print(line.strip())
| fn {wort}(x: u32) -> u32 {~    let y = x + {count};~    y * {small}~}
| if [ -f "{wort}.conf" ]; then~  echo "gefunden: {wort}"~  exit {small}~fi
| import json~import random~~def pick_{wort}(items):~    random.seed({count})~    return random.choice(items)
| public static int {wort}(int a, int b) {~    while (b != 0) {~        int rest = a % b;~        a = b;~        b = rest;~    }~    return a;~}
| try:~    {wort} = json.loads(text)~except ValueError as error:~    log.warning("bad {wort}: %s", error)~    {wort} = {}
| <div class="{wort}">~  <h2>The {wort}</h2>~  <p id="p{count}">{count} Einträge</p>~</div>
| @cache~def {wort}_of(number):~    if number < {small}:~        return number~    return {wort}_of(number - 1) + {count}"""
