"""The documentation under /docs: a built site if there is one, else the Markdown pages."""

import re

import pytest
from fastapi.testclient import TestClient

from rulestone.server import documents
from rulestone.server.app import create_app, serve
from tests.conftest import ROOT

SITE = {
    "index.html": "<!doctype html><title>Site</title><script>var here = 1</script><script src='a.js'></script>",
    "faq/index.html": "<!doctype html><title>Questions</title>",
    "a.js": "1",
    "house.svg": "<svg xmlns='http://www.w3.org/2000/svg'/>",
}


@pytest.fixture(scope="module", autouse=True)
def interpreted():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RULESTONE_JIT", "0")
        yield


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """A client of a server without a site."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(documents, "built", lambda: None)
        with TestClient(create_app(f"sqlite:///{tmp_path_factory.mktemp('plain') / 'tables.db'}", limits=False)) as client:
            yield client


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A client of a server with a small site, and a file beside it that is none of its business."""
    folder = tmp_path_factory.mktemp("site")
    for name, text in SITE.items():
        (folder / "site" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "site" / name).write_text(text)
    (folder / "secret.html").write_text("not yours")
    with TestClient(create_app(f"sqlite:///{folder / 'tables.db'}", limits=False, docs=folder / "site")) as client:
        yield client


def test_every_page_links_to_the_documents(plain):
    assert 'href="/docs/"' in plain.get("/").text


@pytest.mark.parametrize("file", sorted((ROOT / "docs").rglob("*.md")), ids=lambda file: str(file.relative_to(ROOT / "docs")))
def test_without_a_site_every_page_is_shown_and_leads_to_pages_that_are_there(plain, file):
    path = f"/docs/{file.relative_to(ROOT / 'docs')}"
    answer = plain.get(path)
    assert answer.status_code == 200
    assert "unsafe" not in answer.headers["content-security-policy"]
    for target in re.findall(r'(?:href|src)="(?![a-z]+:)([^"#]+)', answer.text):
        reached = answer.url.join(target)
        assert plain.get(str(reached)).status_code == 200, target


def test_without_a_site_the_front_page_comes_first_and_headings_have_anchors(plain):
    assert plain.get("/docs", follow_redirects=False).headers["location"] == "/docs/"
    assert "<h1" in plain.get("/docs/").text
    assert 'id="honest-dice"' in plain.get("/docs/for-players/fair-play.md").text


def test_without_a_site_the_addresses_of_the_site_lead_to_its_pages(plain):
    assert plain.get("/docs/server/socket/").url.path == "/docs/server/socket.md"
    assert plain.get("/docs/no/such/page/").status_code == 404


def test_without_a_site_nothing_but_documents_is_shown(plain):
    for path in ("nothing.md", "../README.md", "%2e%2e/README.md", "../pyproject.toml", "pictures", "a%00b"):
        assert plain.get(f"/docs/{path}").status_code == 404, path


def test_a_site_is_shown_with_its_own_scripts_and_no_others(site):
    answer = site.get("/docs/")
    policy = answer.headers["content-security-policy"]
    assert "<title>Site</title>" in answer.text
    assert re.search(r"script-src 'self' 'sha256-[\w+/=]{44}';", policy)
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in site.get("/docs/faq/").headers["content-security-policy"]


def test_a_site_has_folders_and_files_and_no_way_out(site):
    assert site.get("/docs/faq", follow_redirects=False).headers["location"] == "/docs/faq/"
    assert "Questions" in site.get("/docs/faq").text
    assert site.get("/docs/a.js").headers["content-type"].startswith("text/javascript")
    assert "sandbox" in site.get("/docs/house.svg").headers["content-security-policy"]
    for path in ("missing/", "..%2fsecret.html", "%2e%2e/secret.html", "faq/../../secret.html"):
        assert site.get(f"/docs/{path}").status_code == 404, path


def test_a_folder_without_a_site_is_refused_in_one_sentence(tmp_path):
    with pytest.raises(ValueError, match="there is no documentation site in"):
        serve("127.0.0.1", 8000, None, docs=tmp_path)
