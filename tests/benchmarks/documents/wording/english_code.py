"""Pieces of source code; "~" begins a new line."""

TEXT = """| def count_{noun}(values):~    total = 0~    for value in values:~        if value > {count}:~            total += value~    return total
| class {noun^}:~    def __init__(self, name, size={small}):~        self.name = name~        self.size = size
| for (int i = 0; i < {count}; i++) {~    {noun}[i] = i * {small};~    printf("%d\\n", {noun}[i]);~}
| const {noun} = await fetch("/api/{noun}/{count}");~if (!{noun}.ok) {~  throw new Error("no {noun}");~}
| SELECT name, SUM(amount) AS total~  FROM {noun}s~ WHERE year >= {year}~ GROUP BY name~ ORDER BY total DESC;
| # Read the {noun} and print each line.~with open("{noun}.txt") as file:~    for line in file:~        print(line.strip())
| fn {noun}(x: u32) -> u32 {~    let y = x + {count};~    y * {small}~}
| if [ -f "{noun}.conf" ]; then~  echo "found {noun}"~  exit {small}~fi
| import json~import random~~def pick_{noun}(items):~    random.seed({count})~    return random.choice(items)
| public static int {noun}(int a, int b) {~    while (b != 0) {~        int rest = a % b;~        a = b;~        b = rest;~    }~    return a;~}
| try:~    {noun} = json.loads(text)~except ValueError as error:~    log.warning("bad {noun}: %s", error)~    {noun} = {}
| <div class="{noun}">~  <h2>The {noun}</h2>~  <p id="p{count}">{count} items</p>~</div>
| @cache~def {noun}_of(number):~    if number < {small}:~        return number~    return {noun}_of(number - 1) + {count}"""
