"""One conversation by clicking, as somebody who tries the sandbox sees it."""

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.github_app.pages_in_browser.conftest import Page, Place

pytestmark = [pytest.mark.browser, pytest.mark.timeout(1800)]


def test_a_person_labels_an_issue_reads_the_question_replies_and_sees_the_ticket(
    page: "Page", issue: "Place"
) -> None:
    page.open(issue.address)
    assert page.find("h1").text == "Add a dry_run flag to the bulk action #1"
    page.picture("1-issue")

    page.find("button", "+ askfirst").click()
    page.find(".label", "askfirst")
    question = page.find(".bot .body", "which route")
    assert "POST /actions/stream" in question.text
    page.find(".label", "askfirst:needs-answer")
    page.picture("2-question")
    page.find(".bot summary", "What I looked at").click()
    page.picture("3-facts")

    page.find("#reply textarea").send_keys("2")
    page.find("#reply button", "Comment").click()
    page.find(".box .body", "2")
    page.find(".bot .body", "Answered by")
    ticket = page.find("#live .bot:last-child .body", "POST /actions/stream")
    assert "dry_run" in ticket.text
    page.find(".label", "askfirst:ready")
    page.picture("4-ticket")
    page.picture("5-ticket-on-a-telephone", width=400)

    page.find("header a", "Actions").click()
    page.find(".state", "success")
    page.picture("6-runs")
    page.find(".row:has(.state.success) a", "askfirst #1").click()
    page.find("h2", "Artifacts")
    page.picture("7-run")
    assert page.complaints() == []
