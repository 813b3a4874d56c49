"""The defences that `tests/defences` takes out stand where its table says; `python -m tests.defences.take_out` tries them."""

import pytest

from tests.defences.take_out import ROOT, Defence, defences


@pytest.mark.parametrize("defence", defences(), ids=lambda defence: defence.attack)
def test_a_defence_of_the_table_is_there_once_and_so_are_its_tests(defence: Defence) -> None:
    assert defence.is_there
    assert (ROOT / defence.tests[0]).exists()
