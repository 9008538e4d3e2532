"""Short papers of three kinds with the same letterhead, as results of pages."""

import random
from typing import Any

from inference.class_sets.page_features import PageFeatures, features_of
from inference.class_sets.training import Example

KINDS = {
    "invoice": ("Invoice", "Please pay the amount due within 14 days.", "Amount due"),
    "delivery note": ("Delivery note", "Please sign that the goods are complete.", "Packages"),
    "offer": ("Offer", "This offer is valid for one month. We look forward to your order.", "Price offered"),
}
GOODS = ("Desk lamps", "Copper pipes", "Garden chairs", "Oak boards", "Paint brushes", "Cable drums", "Door handles")


def result(kind: str, seed: int, *, number: str = "", firm: str = "Northgate Ltd") -> dict[str, Any]:
    """Return the result of a page: a letterhead, a title, goods and a sum."""
    chance = random.Random(f"{kind} {seed}")
    title, sentence, total = KINDS[kind]
    goods = [f"{thing} {chance.randint(2, 40)} {chance.randint(5, 900)}.50" for thing in chance.sample(GOODS, 4)]
    lines = [firm, "12 Mill Road, Leeds", title, sentence, *goods, f"{total} {chance.randint(10, 999)}.00"]
    return printed([*lines, number] if number else lines, large=(0, 2))


def later_page(seed: int, *, number: str = "", firm: str = "Northgate Ltd") -> dict[str, Any]:
    chance = random.Random(f"later {seed}")
    goods = [f"{chance.choice(GOODS)} {chance.randint(2, 40)} {chance.randint(5, 900)}.50" for _ in range(12)]
    return printed([firm, *goods, *([number] if number else [])], large=())


def printed(texts: list[str], large: tuple[int, ...]) -> dict[str, Any]:
    lines = []
    for at, text in enumerate(texts):
        top, high = 40 + 30 * at, 18 if at in large else 10
        box = ((50, top), (50 + 6 * len(text), top), (50 + 6 * len(text), top + high), (50, top + high))
        lines.append({"text": text, "box": box, "confidence": 1.0})
    return {"text": "\n".join(texts), "lines": lines, "blocks": [], "width": 595, "height": 842}


def page(kind: str, seed: int, **options: str) -> PageFeatures:
    return features_of(result(kind, seed, **options))


def examples(count: int = 6) -> list[Example]:
    return [Example(f"{kind} {seed}", kind, [page(kind, seed)]) for kind in KINDS for seed in range(count)]
