"""Test how a developer adds models, tries them, publishes another version, rolls back and deletes them."""

import json
import re

import numpy as np
import pytest
from onnx import TensorProto, helper
from playwright.sync_api import FilePayload, Page, Route, expect

from tests.browser.accessibility import LOOKS, faults_in_looks
from tests.browser.conftest import Windows
from tests.fixtures import unique
from tests.flows.product import Account, Product
from tests.inference.pipelines.declarations import READER, changed
from tests.live_stack import RunningStack

pytestmark = pytest.mark.browser
TWO_LOOKS = (LOOKS[0], LOOKS[-1])


@pytest.fixture(scope="module")
def product(live_stack: RunningStack) -> Product:
    return Product(live_stack)


@pytest.fixture
def developer(product: Product) -> Account:
    return product.create_account("Developer")


def classifier(seed: int) -> bytes:
    """Return the file of a classifier of three flowers by four measures, as scikit-learn's converter writes it."""
    draw = np.random.default_rng(seed)
    node = helper.make_node(
        "LinearClassifier",
        ["X"],
        ["label", "probabilities"],
        domain="ai.onnx.ml",
        coefficients=draw.normal(size=12).tolist(),
        intercepts=[0.1, 0.2, 0.3],
        classlabels_strings=["setosa", "versicolor", "virginica"],
        post_transform="SOFTMAX",
    )
    graph = helper.make_graph(
        [node],
        "flowers",
        [helper.make_tensor_value_info("X", TensorProto.FLOAT, ["rows", 4])],
        [
            helper.make_tensor_value_info("label", TensorProto.STRING, ["rows"]),
            helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, ["rows", 3]),
        ],
    )
    opsets = [helper.make_opsetid("", 20), helper.make_opsetid("ai.onnx.ml", 3)]
    return bytes(helper.make_model(graph, opset_imports=opsets, ir_version=10).SerializeToString())


def upload(page: Page, file_name: str, content: bytes) -> None:
    page.set_input_files("#file", FilePayload(name=file_name, mimeType="application/octet-stream", buffer=content))
    page.fill("#license", "MIT")
    page.get_by_role("button", name="Upload", exact=True).click()


def test_a_classifier_is_uploaded_tried_published_rolled_back_and_deleted(windows: Windows, developer: Account) -> None:
    name = unique("iris")
    with windows.owner(developer, width=1440) as page:
        page.goto("/models")
        page.get_by_role("link", name="Add a model").click()
        upload(page, f"{name}.onnx", classifier(1))
        page.wait_for_url(f"**/own-models/{name}/versions/1")
        expect(page.locator("h1")).to_contain_text("ready")
        expect(page.locator(".signature")).to_contain_text("any × 4")
        assert list(faults_in_looks(page, TWO_LOOKS)) == []

        page.get_by_role("link", name="Try it").click()
        expect(page.locator("[data-tensor=X]")).to_have_value("0.0, 0.1, 0.2, 0.3")
        page.fill("[data-tensor=X]", "5.1 3.5 1.4 0.2\n6.2 2.9 4.3 1.3")
        page.click("#run")
        expect(page.locator("#result .classes")).to_have_count(2)
        expect(page.locator("#result .classes").first).to_contain_text("setosa")
        assert list(faults_in_looks(page, TWO_LOOKS)) == []

        page.goto(f"/own-models/new?model={name}")
        upload(page, "better.onnx", classifier(2))
        page.wait_for_url(f"**/own-models/{name}/versions/2")
        page.get_by_role("button", name="Publish").click()
        expect(page.locator(".notice.good")).to_have_text("current is version 2 now.")

        page.goto(f"/own-models/{name}")
        page.fill("#alias", "champion")
        page.get_by_role("button", name="Set alias").click()
        expect(page.locator(".aliases")).to_contain_text(f"{name}@champion")
        assert list(faults_in_looks(page, TWO_LOOKS)) == []
        page.get_by_role("button", name="Roll back current").click()
        expect(page.locator(".notice.good")).to_have_text("current is version 1 again.")

        page.get_by_role("link", name="History").click()
        page.fill("#at", "2020-03-03T14:03:00")
        page.get_by_role("button", name="Look up").click()
        expect(page.locator(".answer")).to_contain_text("the alias current did not exist")
        assert list(faults_in_looks(page, TWO_LOOKS)) == []

        page.goto(f"/own-models/{name}/versions/1")
        page.locator("summary", has_text="Retire or delete").click()
        page.get_by_role("button", name="Delete version").click()
        expect(page.get_by_role("alert")).to_contain_text("Move it to another version first")
        page.goto(f"/own-models/{name}")
        page.locator("summary", has_text="Delete this model").click()
        page.get_by_role("button", name="Delete model").click()
        page.wait_for_url("**/models")
        expect(page.locator(".notice.good")).to_have_text(f"The model {name} is deleted.")
        assert page.goto(f"/own-models/{name}").status == 404  # type: ignore[union-attr]
    assert windows.complaints == []


def test_a_file_is_not_sent_before_the_script_of_the_page_listens(windows: Windows, developer: Account) -> None:
    name = unique("early")
    with windows.owner(developer) as page:
        held: list[Route] = []
        page.route("**/new-model*.js", lambda route: held.append(route))  # noqa: PLW0108  # no built-in is taken
        with page.expect_request("**/new-model*.js"):
            page.goto("/own-models/new", wait_until="commit")
        expect(page.locator("#send")).to_be_disabled()
        page.fill("#name", name)
        page.set_input_files("#file", FilePayload(name="early.onnx", mimeType="", buffer=classifier(1)))
        page.fill("#license", "MIT")
        held[0].continue_()
        page.get_by_role("button", name="Upload", exact=True).click()
        page.wait_for_url(f"**/own-models/{name}/versions/1")


def test_a_file_that_is_no_model_is_refused_with_what_to_do(windows: Windows, developer: Account) -> None:
    name = unique("broken")
    with windows.owner(developer, width=390) as page:
        page.goto("/own-models/new")
        assert list(faults_in_looks(page, TWO_LOOKS)) == []
        page.locator("#file").focus()
        page.keyboard.press("Tab")
        expect(page.locator("#name")).to_be_focused()
        upload(page, f"{name}.onnx", b"This is no model.")
        page.wait_for_url(f"**/own-models/{name}/versions/1")
        expect(page.locator("#refusal-title")).to_have_text("Why it was refused")
        expect(page.locator("main")).to_contain_text("What to do:")
        assert list(faults_in_looks(page, TWO_LOOKS)) == []
        page.goto("/models")
        expect(page.locator(".notice.wait")).to_contain_text(name)
    assert windows.complaints == []


def choose(page: Page, source: str) -> None:
    page.goto("/own-models/new")
    page.get_by_role("radio", name=source).check(force=True)


def add(page: Page, name: str, button: str) -> None:
    page.fill("#name", name)
    page.fill("#license", "MIT")
    page.get_by_role("button", name=button, exact=True).click()


def test_the_source_of_a_model_is_chosen_with_the_keyboard(windows: Windows, developer: Account) -> None:
    with windows.owner(developer, width=390) as page:
        page.goto("/own-models/new")
        page.get_by_role("radio", name="File").focus()
        for source, shown in (("url", "#url"), ("pipeline", "#pipeline"), ("file", "#drop")):
            page.keyboard.press("ArrowRight")
            expect(page.locator("[name=source]:checked")).to_have_value(source)
            expect(page.locator(shown)).to_be_visible()
            assert list(faults_in_looks(page, TWO_LOOKS)) == []
    assert windows.complaints == []


def test_a_url_that_is_not_allowed_is_refused_and_stays_in_its_field(windows: Windows, developer: Account) -> None:
    with windows.owner(developer, width=390) as page:
        choose(page, "URL")
        page.fill("#url", "https://127.0.0.1/flowers.onnx?key=secret")
        page.locator("#license").focus()
        expect(page.locator("#name")).to_have_value("flowers")
        add(page, unique("fetched"), "Fetch")
        expect(page.locator("#refusal")).to_contain_text("127.0.0.1")
        expect(page.locator("#url")).to_have_value("https://127.0.0.1/flowers.onnx?key=secret")
        expect(page.locator("#send")).to_be_enabled()
        assert list(faults_in_looks(page, TWO_LOOKS)) == []
    assert windows.complaints == []


def test_the_example_of_a_pipeline_is_added_and_drawn(windows: Windows, developer: Account) -> None:
    name = unique("pages")
    with windows.owner(developer, width=390) as page:
        choose(page, "Pipeline")
        page.click("#example")
        expect(page.get_by_label("Model for reader")).to_have_value("ocr")
        assert list(faults_in_looks(page, TWO_LOOKS)) == []
        add(page, name, "Add pipeline")
        page.wait_for_url(f"**/own-models/{name}/versions/1")
        expect(page.locator("h1")).to_contain_text("ready")
        expect(page.locator(".graph-list")).to_contain_text("ocr@1")
        assert list(faults_in_looks(page, TWO_LOOKS)) == []
    assert windows.complaints == []


def test_a_pipeline_in_a_file_is_refused_at_the_place_of_its_mistake(windows: Windows, developer: Account) -> None:
    name = unique("wrong")
    wrong = changed(READER, lambda declared: declared["steps"][0]["if"].update(value="input.has_words"))
    with windows.owner(developer, width=1440) as page:
        choose(page, "Pipeline")
        file = json.dumps({**wrong, "members": {"reader": "nowhere"}}).encode()
        page.set_input_files("#pipeline-file", FilePayload(name=f"{name}.json", mimeType="", buffer=file))
        expect(page.locator("#name")).to_have_value(name)
        expect(page.get_by_label("Model for reader")).to_have_value("nowhere")
        expect(page.locator("#pipeline")).not_to_have_value(re.compile("members"))
        add(page, name, "Add pipeline")
        expect(page.locator("#refusal")).to_contain_text("Member 'reader': ")
        page.get_by_label("Model for reader").fill("ocr")
        add(page, name, "Add pipeline")
        page.wait_for_url(f"**/own-models/{name}/versions/1")
        expect(page.locator("main")).to_contain_text("has_words")
        page.go_back()
        page.fill("#pipeline", '{"accepts": ["document"],}')
        add(page, name, "Add pipeline")
        expect(page.locator("#refusal")).to_contain_text("The field `pipeline` is not JSON")
        expect(page.locator("#refusal")).to_contain_text("column 26")
    assert windows.complaints == []


def test_work_that_ends_does_not_take_away_what_is_typed(windows: Windows, developer: Account) -> None:
    name = unique("typed")
    with windows.owner(developer, width=390) as page:
        page.goto("/own-models/new")
        upload(page, f"{name}.onnx", classifier(1))
        page.wait_for_url(f"**/own-models/{name}/versions/1")
        for typed in ("Tells flowers apart.", ""):
            page.get_by_role("button", name="Optimize").click()
            expect(page.locator(".work")).to_contain_text("Making faster variants")
            page.locator("summary", has_text="Edit description and card").click()
            page.fill("#description", typed)
            page.locator("summary", has_text="Edit description and card").focus()
            cancel_work(page, name)
            if typed:
                expect(page.locator("#work-ended")).to_contain_text("The optimization has ended. Show the result")
                expect(page.locator("#description")).to_have_value(typed)
                assert list(faults_in_looks(page, TWO_LOOKS)) == []
                page.get_by_role("link", name="Show the result").click()
            expect(page.locator("#description")).to_be_hidden()
            expect(page.get_by_role("button", name="Optimize")).to_be_enabled()
            expect(page.locator("#work-ended")).to_be_hidden()
    assert windows.complaints == []


def cancel_work(page: Page, model: str) -> None:
    """Cancel the newest task of the model as another window of its owner would."""
    page.evaluate(
        """async (model) => {
            const { get, post } = await import("/static/maas/js/requests.js");
            const { data } = await get(`/v1/models/${model}/tasks`);
            await post(`${data[0].url}/cancel`, "");
        }""",
        model,
    )
