"""A variant as a link and as a file, from the page that sets up a table."""

import json

LINK = "/new/connect_four@ROWS=5?line=3"


def test_a_link_fills_in_the_page_and_the_table_says_what_is_changed(person, shoot):
    page = person()
    page.goto(LINK)
    assert "ROWS is 5 instead of 6" in page.locator(".changed").inner_text()
    assert page.locator("[name='option:line']").input_value() == "3"
    page.get_by_role("button", name="Create table").click()
    page.wait_for_url("**/t/*")
    changed = page.locator("#changed")
    changed.locator("summary").click()
    assert changed.locator("li").count() == 2
    assert changed.locator("a").get_attribute("href") == f"{LINK}&players=2"
    shoot(page, "variant-table")


def test_a_saved_file_opens_as_the_same_rules_also_on_a_phone(person, tmp_path, shoot):
    page = person(390, 844)
    page.goto(LINK)
    page.get_by_text("Share these rules").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as a file").click()
    assert download.value.suggested_filename == "connect_four-variant.json"
    file = tmp_path / "variant.json"
    download.value.save_as(file)
    assert json.loads(file.read_text())["game"] == "connect_four@ROWS=5"
    shoot(page, "variant-phone")
    page.goto("/new/connect_four")
    page.set_input_files("#open-variant", file)
    page.wait_for_url(f"**{LINK}*")
    page.goto("/lab")
    page.set_input_files("#record", file)
    page.wait_for_url(f"**{LINK}*")
