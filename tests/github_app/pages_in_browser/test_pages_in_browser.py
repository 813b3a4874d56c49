"""One conversation by clicking, as somebody who tries the sandbox sees it."""

from typing import TYPE_CHECKING

import pytest

from sandbox.demo import REVIEW

if TYPE_CHECKING:
    from tests.github_app.pages_in_browser.browser import Page
    from tests.github_app.pages_in_browser.served_issue import Place

pytestmark = pytest.mark.timeout(1800)


def test_a_person_labels_an_issue_answers_the_question_and_reviews_the_pull_request(
    page: "Page", issue: "Place"
) -> None:
    page.open(issue.address)
    assert page.find("h1").text == "Add a dry_run flag to the bulk action #1"
    page.picture("1-issue")

    page.click("button", "+ askfirst")
    page.find(".label", "askfirst")
    question = page.find(".bot .body", "which route")
    assert "POST /actions/stream" in question.text
    page.find(".label", "askfirst:needs-answer")
    page.picture("2-question")
    page.click(".bot summary", "What I looked at")
    page.picture("3-facts")

    page.find("#reply textarea").send_keys("2")
    page.click("#reply button", "Comment")
    page.find(".box .body", "2")
    page.find(".bot .body", "Answered by")
    page.find("#live .bot:last-child .body", "The change is there")
    page.picture("4-the-change-is-there")
    page.picture("5-the-same-on-a-telephone", width=400)

    page.click(".bot .body a", "#2")
    page.find("h1", "#2")
    page.find("#issue .body", "Closes #1")
    page.find("h2", "3 changed files")
    page.find(".box pre", "+    dry_run = bool(")
    page.picture("6-pull-request")
    page.find("#reply textarea").send_keys(REVIEW)
    page.click("#reply button", "Request changes")
    page.find(".box .head", "changes requested")
    page.find(".bot .body", "I have changed it again")
    page.find("h2", "4 changed files")
    page.find(".box pre", "+To see what a bulk action would do")
    page.picture("7-changed-again")

    page.click("header a", "Actions")
    page.find(".state", "success")
    page.picture("8-runs")
    page.click(".row:has(.state.success) a", "askfirst #1")
    page.find("h2", "Artifacts")
    page.picture("9-run")
    assert page.complaints() == []
