"""Rules are found on pictures, and rows of letters are none."""

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from inference.core.contracts import Box, Pixels
from inference.pictures.rules import MAX_RULES, find_rules

SIZE = (1240, 1754)
NEAR = 5


def page() -> tuple[Image.Image, ImageDraw.ImageDraw]:
    image = Image.new("RGB", SIZE, "white")
    return image, ImageDraw.Draw(image)


def near(found: list[Box], *wanted: float) -> bool:
    return any(all(abs(one - other) <= NEAR for one, other in zip(box, wanted, strict=True)) for box in found)


def pixels(image: Image.Image) -> Pixels:
    return np.asarray(image)


def test_level_and_upright_lines_are_found() -> None:
    image, draw = page()
    draw.line((100, 300, 1100, 300), fill="black", width=2)
    draw.line((400, 200, 400, 900), fill=(90, 90, 90), width=1)
    found = find_rules(pixels(image))
    assert near(found, 100, 300, 1100, 300)
    assert near(found, 400, 200, 400, 900)


def test_the_lines_of_a_grid_are_found_through_their_crossings() -> None:
    image, draw = page()
    for at in range(5):
        draw.line((100, 200 + 100 * at, 900, 200 + 100 * at), fill="black", width=2)
        draw.line((100 + 200 * at, 200, 100 + 200 * at, 600), fill="black", width=2)
    found = find_rules(pixels(image))
    assert all(near(found, 100, 200 + 100 * at, 900, 200 + 100 * at) for at in range(5))
    assert all(near(found, 100 + 200 * at, 200, 100 + 200 * at, 600) for at in range(5))


def test_a_line_that_leans_a_little_is_one_rule() -> None:
    image, draw = page()
    draw.line((100, 300, 1100, 304), fill="black", width=2)
    assert near(find_rules(pixels(image)), 100, 302, 1100, 302)


def test_rows_of_letters_are_no_rules() -> None:
    image, draw = page()
    for at in range(40):
        font = ImageFont.load_default(14 + at % 12)
        draw.text(
            (80, 60 + 40 * at),
            "An interesting summary of 318 assessments, with 2,506 sites in Dover",
            fill="black",
            font=font,
        )
    assert find_rules(pixels(image)) == []


def test_a_line_below_words_is_a_rule() -> None:
    image, draw = page()
    draw.text((100, 270), "Total of all sites", fill="black", font=ImageFont.load_default(22))
    draw.line((100, 300, 600, 300), fill="black", width=2)
    assert near(find_rules(pixels(image)), 100, 300, 600, 300)


def test_filled_areas_and_blank_pages_have_no_level_rules_inside() -> None:
    image, draw = page()
    assert find_rules(pixels(image)) == []
    draw.rectangle((100, 300, 900, 500), fill="black")
    assert not any(320 < (box[1] + box[3]) / 2 < 480 and box[2] - box[0] > 400 for box in find_rules(pixels(image)))


def test_a_page_full_of_lines_gives_a_bounded_number() -> None:
    image, draw = page()
    for at in range(0, SIZE[1], 8):
        for left in range(0, SIZE[0], 60):
            draw.line((left, at, left + 45, at), fill="black", width=1)
    assert len(find_rules(pixels(image))) <= MAX_RULES


def test_rules_far_apart_on_a_blank_and_noisy_page_are_found() -> None:
    grain = np.random.default_rng(1).normal(240, 8.0, (2339, 1654))
    page = np.repeat(np.clip(grain, 0, 255).astype(np.uint8)[..., None], 3, axis=2)
    assert find_rules(page) == []
    page[30:32, 5:60] = 60
    page[2200:2203, 1500:1600] = 60
    page[1000:1400, 1640:1642] = 60
    found = sorted(find_rules(page))
    assert len(found) == 3
    wanted = [(5, 30, 60, 32), (1500, 2200, 1600, 2203), (1640, 1000, 1642, 1400)]
    assert np.allclose(found, wanted, atol=12)
