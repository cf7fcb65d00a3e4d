"""What strangers write stays text: markup in names and chat runs nowhere, even where the content security policy is switched off."""

import html
import json
import re

import pytest

from tests.browser.test_browser import new_table, until
from tests.browser.test_people import play_out

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
HOOK = """
window.ran = [];
for (const name of ["alert", "confirm", "prompt"]) window[name] = () => { window.ran.push(name); };
new MutationObserver((changes) => {
  for (const change of changes) for (const node of change.addedNodes) {
    if (node.nodeType !== 1) continue;
    for (const one of [node, ...node.querySelectorAll("*")]) {
      for (const attribute of one.attributes) if (/^on/i.test(attribute.name)) window.ran.push(`${one.tagName} ${attribute.name}`);
      if (one.matches("iframe[srcdoc], object, embed, base, [href^='javascript:' i]")) window.ran.push(one.outerHTML.slice(0, 80));
      if (one.localName === "script" && !one.src) window.ran.push("an inline script");
    }
  }
}).observe(document, { childList: true, subtree: true });
"""
"""Notes everything that runs or could: dialogs, handlers, inline scripts and foreign frames that get into the page."""
NAMES = ["<img src=x onerror=alert()>"[:24], "<svg/onload=alert()>", "<script>alert()", "'\"><b onclick=alert()"[:24]]
LONG = [
    "<img src=x onerror=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "</script><script>alert(1)</script>",
    "javascript:alert(1)",
    "{{7*7}}${alert(1)}`${alert(1)}`",
    "\u202egnp.exe\u202c \u2066abc",
    "]]><x onload=alert(1)>",
]
TITLE = "</title><svg onload=alert(1)>\"'&amp;"


@pytest.fixture
def opened(chromium, server):
    """Opens browsers whose complaints don't matter, such as those about pages that aren't there."""
    contexts = []

    def open_browser(width=1280, height=800, **more):
        context = chromium.new_context(base_url=server.address, viewport={"width": width, "height": height}, **more)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(20_000)
        return page

    yield open_browser
    for context in contexts:
        context.close()


@pytest.fixture
def evil(opened):
    """Browsers with the hook and without the content security policy, which would hide a mistake."""

    def open_browser(**more):
        page = opened(bypass_csp=True, **more)
        page.context.add_init_script(HOOK)
        return page

    return open_browser


def check(page):
    assert page.evaluate("window.ran") == [], page.url


def test_the_hook_notices_what_these_tests_look_for(evil):
    page = evil()
    page.goto("/about")
    for text in ("<img src=x onerror=alert(1)>", "<svg onload=alert(1)>", "<a href='javascript:alert(1)'>x</a>"):
        page.evaluate("(text) => { window.ran = []; document.body.insertAdjacentHTML('beforeend', text); }", text)
        page.wait_for_function("window.ran.length > 0")


def test_names_chat_and_table_names_run_nothing_anywhere(evil):
    anna, ben, spectator = evil(), evil(), evil(width=390, height=844)
    seats = [{"kind": "me", "name": NAMES[0]}, {"kind": "open"}]
    anna.goto("/")
    table = new_table(anna, "connect_four", seats, options={"line": 3}, name=TITLE, listed=True, series={"length": 2})
    spectator.goto("/")  # the list of open tables
    spectator.wait_for_selector(f"[href*='{table}']")
    assert TITLE in spectator.content() or html.escape(TITLE, quote=False) in spectator.content()
    check(spectator)
    ben.goto(f"/t/{table}")
    ben.request.post(f"/api/tables/{table}/sit", data={"seat": 1, "name": NAMES[1]})
    spectator.goto(f"/t/{table}")
    for k, text in enumerate(LONG):
        page, name = (anna, "") if k % 2 else (spectator, NAMES[2 + k // 2 % 2])
        page.goto(f"/t/{table}")
        page.wait_for_selector(".plate")
        assert page.request.post(f"/api/tables/{table}/chat", data={"text": text, "name": name}).status in (204, 429)
    for page in (anna, ben, spectator):
        page.goto(f"/t/{table}")
        page.wait_for_selector(".plate")
        until(page, f"document.body.textContent.includes({json.dumps(NAMES[0])})")
        check(page)
    play_out(table, anna, ben)
    anna.wait_for_selector(".ended")
    check(anna)
    series = anna.request.get(f"/api/tables/{table}").json()["table"]["series"]["id"]
    for path in (f"/t/{table}/replay", f"/embed/{table}", f"/series/{series}", "/my/games", "/my/devices", "/"):
        anna.goto(path)
        anna.wait_for_load_state("networkidle")
        check(anna)
    anna.request.put("/api/me", data={"name": NAMES[1]})
    anna.goto("/my/devices")
    anna.wait_for_function(f"document.getElementById('name').value === {json.dumps(NAMES[1])}")
    check(anna)


def test_what_other_sites_see_of_a_table_is_escaped(evil):
    anna = evil()
    anna.goto("/")
    table = new_table(anna, "connect_four", [{"kind": "me", "name": NAMES[1]}, {"kind": "me", "name": NAMES[0]}], name=TITLE)
    for path in (f"/t/{table}", f"/t/{table}/replay"):
        source = anna.request.get(path).text()
        assert TITLE not in source
        assert not any(name in source for name in NAMES[:2])
        assert not re.search(r"<meta[^>]*content=\"[^\"]*<", source)


def test_strange_addresses_run_nothing(evil):
    page = evil()
    for path in ("/t/<svg onload=alert(1)>", "/rules/%3Cscript%3Ealert(1)%3C%2Fscript%3E", "/new/'\"><img src=x onerror=alert(1)>"):
        page.goto(path)
        check(page)
    page.goto("/lab?game=<svg onload=alert(1)>")
    check(page)
    page.goto("/link#<img src=x onerror=alert(1)>")
    page.wait_for_load_state("networkidle")
    check(page)


def test_every_page_has_a_policy_that_allows_no_inline_script(opened):
    page = opened()
    page.goto("/")
    table = new_table(page, "connect_four", [{"kind": "me"}, {"kind": "me"}])
    paths = [
        "/",
        "/about",
        "/new/connect_four",
        f"/t/{table}",
        f"/t/{table}/replay",
        "/my/games",
        "/my/devices",
        "/lab",
        "/api",
        "/nowhere",
    ]
    for path in paths:
        headers = page.request.get(path).headers
        policy = dict(part.strip().split(" ", 1) for part in headers["content-security-policy"].split(";"))
        assert (policy["default-src"], policy["script-src"], policy["base-uri"]) == ("'none'", "'self'", "'none'"), path
        assert policy["frame-ancestors"] == "'none'"
        assert headers["x-content-type-options"] == "nosniff"
    page.goto("/about")
    blocked = page.evaluate(
        """() => new Promise((done) => {
            document.addEventListener("securitypolicyviolation", (event) => done(event.effectiveDirective));
            const script = document.createElement("script");
            script.textContent = "window.ran = true";
            document.body.append(script);
            setTimeout(() => done(window.ran), 5000);
        })"""
    )
    assert blocked.startswith("script-src")
