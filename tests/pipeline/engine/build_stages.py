"""The stages of a build: a ticket, rounds of coder and tests, and the change."""

from collections.abc import Callable

from pipeline.engine.graph import Inputs, Repeat, StageNode, previous_id
from tests.pipeline.engine.declared_stages import Stages, Text


def said(inputs: Inputs, stage: str) -> str:
    output = inputs[stage]
    assert isinstance(output, Text)
    return output.text


class Build:
    """ticket -> repeat { coder -> tests } -> change. The coder counts on from the tests of the round before."""

    def __init__(
        self,
        *,
        good_at: int = 2,
        most: int = 3,
        ends: dict[tuple[str, int], BaseException] | None = None,
        skips_tests_in: int | None = None,
        until: Callable[[Inputs], bool] | None = None,
        when: Callable[[Inputs], bool] | None = None,
        tests_key: str | None = "tests 1",
    ) -> None:
        self.ran: list[str] = []
        self._ends = ends or {}
        outer = Stages().add("ticket")
        self.stages = outer
        before = (previous_id("tests"), previous_id("coder"))

        def coder(inputs: Inputs) -> Text:
            number = int(said(inputs, before[1])) + 1 if before[1] in inputs else 1
            self._note("coder", number)
            return Text(text=str(number))

        def tests(inputs: Inputs) -> Text:
            number = int(said(inputs, "coder"))
            self._note("tests", number)
            return Text(text="green" if number >= good_at else f"red {number}")

        self.repeat = Repeat(
            id="attempts",
            needs=("ticket",),
            nodes=(
                StageNode("coder", ("ticket",), coder, Text, "coder 1", previous=("tests", "coder")),
                StageNode(
                    "tests",
                    ("coder",),
                    tests,
                    Text,
                    tests_key,
                    when=lambda inputs: said(inputs, "coder") != str(skips_tests_in),
                    when_text="coder wrote something",
                ),
            ),
            until=until or (lambda inputs: "tests" in inputs and said(inputs, "tests") == "green"),
            until_text="tests.text == 'green'",
            max=most,
            when=when,
            when_text="ticket.ready",
        )
        last = Stages().add("change", "attempts", "coder", "tests", optional=frozenset({"tests"}))
        self.after = last
        outer.nodes.append(self.repeat)
        outer.nodes.extend(last.nodes)

    def _note(self, stage: str, number: int) -> None:
        self.ran.append(f"{stage} {number}")
        if (stage, number) in self._ends:
            raise self._ends[stage, number]
