"""The stages of a build: a ticket, rounds of coder and tests, and the change."""

from collections.abc import Callable

from pipeline.engine.graph import Condition, Inputs, Repeat, Stage, StageBody, previous_id
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

        def wrote_something(inputs: Inputs) -> bool:
            return said(inputs, "coder") != str(skips_tests_in)

        def is_green(inputs: Inputs) -> bool:
            return "tests" in inputs and said(inputs, "tests") == "green"

        self.repeat: Repeat[Stage] = Repeat(
            id="attempts",
            needs=("ticket",),
            stages=(
                Stage("coder", ("ticket",), previous=("tests", "coder")),
                Stage("tests", ("coder",), Condition("coder wrote something", wrote_something)),
            ),
            until=Condition("tests.text == 'green'", until or is_green),
            max=most,
            when=None if when is None else Condition("ticket.ready", when),
        )
        last = Stages().add("change", "attempts", "coder", "tests", optional=frozenset({"tests"}))
        self.after = last
        outer.declared += [self.repeat, *last.declared]
        outer.bodies |= last.bodies
        outer.bodies["coder"] = StageBody(coder, Text, "coder 1")
        outer.bodies["tests"] = StageBody(tests, Text, tests_key)

    def _note(self, stage: str, number: int) -> None:
        self.ran.append(f"{stage} {number}")
        if (stage, number) in self._ends:
            raise self._ends[stage, number]
