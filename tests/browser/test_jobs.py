"""What a person does with documents in a browser, against the whole running product."""

import httpx
import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from tests.browser.conftest import Windows
from tests.live_stack import RunningStack
from tests.samples.pdfs import many_pages_pdf, text_pdf

pytestmark = pytest.mark.browser


def send(page: Page, name: str, content: bytes) -> None:
    page.set_input_files("#file", {"name": name, "mimeType": "application/pdf", "buffer": content})
    page.click("#upload button")


def sample(stack: RunningStack) -> bytes:
    return (stack.home / "sample.pdf").read_bytes()


def submit_by_api(stack: RunningStack, name: str, content: bytes) -> str:
    answer = httpx.post(
        f"{stack.url}/v1/jobs",
        headers={"Authorization": f"Bearer {stack.demo['MAAS_API_KEY']}"},
        data={"model": "parse"},
        files={"file": (name, content)},
        timeout=30,
    )
    answer.raise_for_status()
    return str(answer.json()["id"])


def test_a_document_is_sent_watched_and_read(windows: Windows, live_stack: RunningStack) -> None:
    with windows.member() as page:
        send(page, "scan.pdf", sample(live_stack))
        page.click("#uploads a")
        expect(page.locator("#job .state")).to_have_text("succeeded")
        expect(page.locator("#page-1 .lines")).to_contain_text("INVOICE")
        picture = page.locator("#page-1 img")
        expect(picture).to_be_visible()
        page.wait_for_function("document.querySelector('#page-1 img').naturalWidth > 0")
    assert windows.complaints == []


def test_a_job_sent_elsewhere_appears_and_ends_without_a_reload(
    windows: Windows, live_stack: RunningStack
) -> None:
    with windows.member() as page:
        page.evaluate("window.neverReloaded = true")
        job = submit_by_api(live_stack, "elsewhere.pdf", sample(live_stack))
        expect(page.locator(f"#job-{job} .state")).to_have_text("succeeded")
        assert page.evaluate("window.neverReloaded") is True


def test_a_page_whose_socket_breaks_connects_again(windows: Windows, live_stack: RunningStack) -> None:
    sockets: list[WebSocketRoute] = []

    def pass_on(socket: WebSocketRoute) -> None:
        sockets.append(socket)
        socket.connect_to_server()

    with windows.member() as page:
        page.route_web_socket("**/ws/v1/events", pass_on)
        with page.expect_websocket():
            page.reload()
        sockets[0].close(code=1011)
        job = submit_by_api(live_stack, "after the break.pdf", sample(live_stack))
        expect(page.locator(f"#job-{job} .state")).to_have_text("succeeded")
    assert len(sockets) > 1


def test_a_file_that_cannot_be_read_is_refused_in_words(windows: Windows) -> None:
    with windows.member() as page:
        send(page, "broken.pdf", b"%PDF-1.7 and nothing more")
        expect(page.locator("#uploads .bad")).to_contain_text("broken.pdf: ")
        expect(page.locator("#uploads .bad")).to_contain_text("damaged")


def test_a_dropped_file_is_sent_at_once(windows: Windows) -> None:
    with windows.member() as page:
        page.evaluate("""() => {
            const held = new DataTransfer();
            held.items.add(new File(["Dear Anna"], "dropped.txt", { type: "text/plain" }));
            const drop = new DragEvent("drop", { dataTransfer: held, bubbles: true, cancelable: true });
            document.querySelector("main").dispatchEvent(drop);
        }""")
        expect(page.locator("#uploads")).to_contain_text("dropped.txt: accepted")


def test_a_job_is_canceled_and_retried_by_its_buttons(windows: Windows, live_stack: RunningStack) -> None:
    job = submit_by_api(live_stack, "long.pdf", many_pages_pdf(300))
    with windows.member() as page:
        page.goto(f"/jobs/{job}")
        page.click("#cancel")
        expect(page.locator("#job .state")).to_have_text("canceled")
        page.click("#retry")
        page.wait_for_url(lambda url: job not in url)
        expect(page.locator("#job dl")).to_contain_text("Retry of")
        page.click("#cancel")
        expect(page.locator("#job .state")).to_have_text("canceled")


def test_what_has_the_keyboard_keeps_it_while_the_list_changes(
    windows: Windows, live_stack: RunningStack
) -> None:
    with windows.member() as page:
        job = submit_by_api(live_stack, "focus.pdf", sample(live_stack))
        link = page.locator(f"#open-{job}")
        link.focus()
        expect(page.locator(f"#job-{job} .state")).to_have_text("succeeded")
        expect(link).to_be_focused()


def test_nothing_is_wider_than_a_phone(windows: Windows, live_stack: RunningStack) -> None:
    job = submit_by_api(live_stack, f"{'long_name_' * 12}.pdf", text_pdf("wide " * 40))
    with windows.member(width=390) as page:
        for address in ("/jobs", f"/jobs/{job}", "/jobs/none"):
            page.goto(address)
            root = "document.documentElement"
            assert page.evaluate(f"{root}.scrollWidth <= {root}.clientWidth"), address


def test_no_page_breaks_the_content_security_policy(windows: Windows) -> None:
    with windows.member() as page:
        page.goto("/v1/docs")
        expect(page.locator(".opblock").first).to_be_visible()
    with windows.operator() as page:
        for address in ("/admin/jobs/job/workers/", "/admin/tenants/user/add/", "/admin/jobs/job/"):
            answer = page.goto(address)
            assert answer is not None
            assert answer.headers["content-security-policy"].startswith("default-src 'self'")
    assert windows.complaints == []
