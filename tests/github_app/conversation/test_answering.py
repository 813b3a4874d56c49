"""Who may answer which kind of question, walked whole."""

import itertools

import pytest

from github_app.conversation.answering import may_answer
from github_app.conversation.transcript import Issue, Person, Role
from pipeline.contract.clarification import StopKind

AUTHOR, ASSIGNEE, OTHER = Person(1, "octocat"), Person(2, "assignee"), Person(3, "other")
ISSUE = Issue(418, "t", "b", AUTHOR, assignee_ids=frozenset({2}))
WRITERS = {Role.WRITE, Role.MAINTAIN, Role.ADMIN}


@pytest.mark.parametrize(
    ("kind", "person", "role"), list(itertools.product(StopKind, (AUTHOR, ASSIGNEE, OTHER), Role))
)
def test_every_kind_person_and_role(kind, person, role):
    may = may_answer(kind, person, ISSUE, role)
    if kind is StopKind.CONFIRMATION_NEEDED:
        assert may == (role in WRITERS)
    else:
        assert may == (role in WRITERS or person in {AUTHOR, ASSIGNEE})


@pytest.mark.parametrize("kind", StopKind)
def test_a_bot_never_answers_whoever_it_is(kind):
    bot = Person(AUTHOR.id, "octocat[bot]", is_bot=True)
    assert not may_answer(kind, bot, ISSUE, Role.ADMIN)


def test_a_login_is_nobody():
    namesake = Person(99, AUTHOR.login)
    assert not may_answer(StopKind.CLARIFICATION_NEEDED, namesake, ISSUE, Role.READ)
