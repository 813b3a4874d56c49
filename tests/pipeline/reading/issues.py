"""Issues and templates that the tests of reading share."""

from collections.abc import Sequence

from pipeline.domain.issue import Citation, CitationKind, IssueDocument, SectionRole
from pipeline.domain.ticket import IncomingTicket
from pipeline.reading.document import read_issue
from pipeline.reading.templates import IssueTemplate, TemplateFile, parse_templates

REPOSITORY = "acme/orders"

MARKDOWN_TEMPLATE = """\
---
name: Bug report
about: Something is broken
labels: bug, needs triage
---

<!-- Thank you for the report! -->

### What happened

A clear and concise description of what the problem is.

**Expected behavior:** [What you expect to happen]

### Steps to reproduce

1. [First step]
2. [Second step]

### Checklist

- [ ] I have searched the open issues
"""

FORM_TEMPLATE = """\
name: Feature request
description: Suggest an idea
labels: [enhancement]
body:
  - type: markdown
    attributes:
      value: Thank you for your idea, please search first.
  - type: textarea
    id: problem
    attributes:
      label: Tell us everything
      description: Which problem does it solve?
      placeholder: I am always annoyed when
  - type: textarea
    id: solution
    attributes:
      label: The change
      value: Write what you want to happen
  - type: textarea
    id: logs
    attributes:
      label: Anything from the terminal
      render: shell
  - type: dropdown
    id: edition
    attributes:
      label: Which one do you run?
      options: [Community Edition, Enterprise Edition]
  - type: checkboxes
    attributes:
      label: Code of Conduct
      options:
        - label: I agree to follow the rules of this project
"""


def templates(*files: tuple[str, str]) -> tuple[IssueTemplate, ...]:
    return parse_templates([TemplateFile(path, text) for path, text in files]).templates


BOTH_TEMPLATES = templates(
    (".github/ISSUE_TEMPLATE/bug_report.md", MARKDOWN_TEMPLATE),
    (".github/ISSUE_TEMPLATE/feature.yml", FORM_TEMPLATE),
)


def read(
    body: str,
    *,
    title: str = "Orders",
    templates: Sequence[IssueTemplate] = (),
    labels: Sequence[str] = (),
) -> IssueDocument:
    return read_issue(IncomingTicket(title=title, body=body, repository=REPOSITORY), templates, labels)


def sections(document: IssueDocument) -> list[tuple[str, str, str]]:
    """Role, heading and text of every section but the title."""
    return [
        (section.role.value, section.heading, section.text)
        for section in document.sections
        if section.role is not SectionRole.TITLE
    ]


def cited(body: str, *kinds: CitationKind) -> list[str]:
    """What a body cites, as `kind text`; of these kinds only where some are named."""
    return [_in_words(one) for one in read(body).citations if not kinds or one.kind in kinds]


def _in_words(citation: Citation) -> str:
    parts = [citation.kind.value, citation.method, citation.text]
    place = f":{citation.line}" if citation.line is not None else ""
    function = f" in {citation.function}" if citation.function else ""
    depth = f" #{citation.depth}" if citation.depth is not None else ""
    return " ".join(part for part in parts if part) + place + function + depth
