"""The trained model as data: its trees, what its scores mean, and that the shipped file is whole."""

import pytest

from pipeline.places.file_kinds import FileKind, file_kind
from pipeline.places.model import Calibration, DecisionTree, PlaceModel, shipped_model


def test_a_tree_leads_each_row_to_its_leaf() -> None:
    tree = DecisionTree(
        features=[0, 1], thresholds=[0.5, 2.0], left=[1, -1], right=[-3, -2], leaves=[1.0, 2.0, 3.0]
    )
    assert [tree.value(row) for row in ([0.5, 2.0], [0.5, 2.1], [0.6, 0.0])] == [1.0, 2.0, 3.0]
    assert DecisionTree([], [], [], [], [7.0]).value([]) == 7.0


def test_between_two_calibrated_scores_lies_a_straight_line() -> None:
    line = Calibration([0.0, 2.0], [0.1, 0.5])
    assert [line.probability(score) for score in (-1, 0, 1, 2, 3)] == pytest.approx([0.1, 0.1, 0.3, 0.5, 0.5])


def test_a_lead_over_the_second_file_makes_the_first_more_probable() -> None:
    rising = Calibration([0.0, 10.0], [0.0, 1.0])
    model = PlaceModel([], [], rising, rising, lead_weight=1.0)
    assert model.probabilities([4.0, 3.0, 1.0]) == pytest.approx([0.5, 0.3, 0.1])
    assert model.probabilities([4.0, 1.0]) == pytest.approx([0.7, 0.1])
    assert model.probabilities([]) == []


def test_the_shipped_model_is_whole() -> None:
    model = shipped_model()
    assert len(set(model.features)) == len(model.features)
    for tree in model.trees:
        assert len(tree.features) == len(tree.thresholds) == len(tree.left) == len(tree.right)
        assert len(tree.leaves) == len(tree.features) + 1
        assert all(0 <= feature < len(model.features) for feature in tree.features)
    for line in (model.first, model.others):
        assert line.scores == sorted(line.scores)
        assert line.probabilities == sorted(line.probabilities)
        assert 0 <= line.probabilities[0] <= line.probabilities[-1] < 1


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("src/items.ts", FileKind.SOURCE),
        ("src/items.test.ts", FileKind.TEST),
        ("spec/items_spec.rb", FileKind.TEST),
        ("src/ItemsTest.java", FileKind.TEST),
        ("docs/items.md", FileKind.DOCUMENTATION),
        (".github/workflows/ci.yml", FileKind.WORKFLOW),
        ("app/locales/en.json", FileKind.TRANSLATION),
        ("db/migrate/1_items.rb", FileKind.MIGRATION),
        ("web/items.scss", FileKind.STYLE),
        ("Makefile", FileKind.CONFIGURATION),
    ],
)
def test_conventions_of_many_languages_say_what_a_file_is(path: str, kind: FileKind) -> None:
    assert file_kind(path) is kind
