"""Train the model of `pipeline/places` from tables of numbers, calibrate it on left-out repositories, and write it.

    python -m tests.training.train_places TABLES [--write]

`TABLES` is a folder of tables made by `tests.training.table`. The figures of left-out repositories are printed; with
`--write` the model is written, and `table.npz.xz`, the rows that its trees were fitted on.
"""

import io
import lzma
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import lightgbm
import msgspec
import numpy as np
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

from pipeline.places.model import Calibration, DecisionTree, PlaceModel

MODEL = Path(__file__).parents[2] / "pipeline" / "places" / "model.json"
PACKED = Path(__file__).parent / "table.npz.xz"
FOLDS = 4
ROUNDS = 160
PARAMETERS = {
    "objective": "binary",
    "learning_rate": 0.06,
    "num_leaves": 15,
    "min_data_in_leaf": 60,
    "feature_fraction": 0.5,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "lambda_l2": 5,
    "max_bin": 63,
    "verbose": -1,
    "num_threads": 1,
    "seed": 7,
    "deterministic": True,
    "force_row_wise": True,
}
ISSUE_WEIGHT = 3.0
"""What a real issue weighs beside a message of a commit: there are few, and they are what the model is for."""
NEAREST, FAR_SHARE = 8, 30
"""Wrong candidates of a ticket that are learnt from: the nearest, and of the rest one in so many, which stands for all of them."""
LEVELS = 63
"""Steps of a feature between 0 and 1."""
OTHERS = np.hstack([np.linspace(0, 0.98, 40), 1 - 0.02 / 2.0 ** np.arange(1, 7), 1])
"""Where the files behind the best one are parted into groups. Nearly all of them are wrong, and the few that may be right are
in the last hundredth, so each of the last groups is half of what is left.
"""
RANKS = (1, 3, 5, 10, 20)


class Table(NamedTuple):
    """The candidates of one repository."""

    values: Any
    right: Any
    queries: Any
    tickets: Any


def feature_names(folder: Path) -> list[str]:
    """All features of the tables of a folder."""
    return sorted({str(name) for file in folder.glob("*.npz") for name in np.load(file)["names"]})


def load(folder: Path, features: Sequence[str]) -> dict[str, Table]:
    """The tables of a folder by name, with their columns in the order of the features."""
    tables = {}
    for file in sorted(folder.glob("*.npz")):
        stored = np.load(file)
        names = {str(name): at for at, name in enumerate(stored["names"])}
        values = stored["values"]
        columns = [values[:, names[name]] if name in names else np.zeros(len(values)) for name in features]
        tables[file.stem] = Table(np.stack(columns, 1), stored["right"], stored["queries"], stored["tickets"])
    return tables


class TrainingRows(NamedTuple):
    """What a model is fitted on: features in steps of 1/63, what is right, weights, and the repository by index."""

    values: Any
    right: Any
    weights: Any
    repositories: Any


def training_rows(tables: Mapping[str, Table], features: Sequence[str]) -> TrainingRows:
    """The right candidates of each ticket, the wrong ones nearest to it, and a few of the others."""
    parts: list[tuple[Any, Any, Any, Any]] = []
    for index, table in enumerate(tables.values()):
        near = sum(table.values[:, features.index(name)] for name in ("fields", "wish like"))
        order = np.lexsort((-near, table.queries))
        starts = np.searchsorted(table.queries[order], np.arange(len(table.tickets) + 1))
        for ticket in range(len(table.tickets)):
            places = order[starts[ticket] : starts[ticket + 1]]
            wrong = places[~table.right[places]]
            far = wrong[NEAREST::FAR_SHARE]
            kept = np.concatenate([places[table.right[places]], wrong[:NEAREST], far])
            weight = ISSUE_WEIGHT if table.tickets[ticket, 0] < 0 else 1.0
            weights = np.full(len(kept), weight)
            weights[len(kept) - len(far) :] *= FAR_SHARE
            steps = np.clip(np.round(table.values[kept] * LEVELS), 0, 255).astype(np.uint8)
            parts.append(
                (steps, table.right[kept], weights.astype(np.uint8), np.full(len(kept), index, np.uint8))
            )
    return TrainingRows(*(np.concatenate([part[at] for part in parts]) for at in range(4)))


def fit(rows: TrainingRows, members: Any, parameters: Mapping[str, Any] = PARAMETERS) -> lightgbm.Booster:
    """A model of some of the rows."""
    data = lightgbm.Dataset(
        rows.values[members] / LEVELS, rows.right[members].astype(float), weight=rows.weights[members]
    )
    return lightgbm.train(dict(parameters), data, ROUNDS)


def left_out_scores(
    tables: Mapping[str, Table], rows: TrainingRows, parameters: Mapping[str, Any] = PARAMETERS
) -> dict[str, Any]:
    """For each repository the scores by a model that has not seen it."""
    names = list(tables)
    scores = {}
    for fold in range(FOLDS):
        model = fit(rows, rows.repositories % FOLDS != fold, parameters)
        for name in names[fold::FOLDS]:
            scores[name] = model.predict(tables[name].values, raw_score=True)
    return scores


def ranks(table: Table, scores: Any) -> Any:
    """The rank of the first right file of each ticket; 9999 where no candidate is right."""
    result = np.full(len(table.tickets), 9999)
    order = np.lexsort((-scores, table.queries))
    starts = np.searchsorted(table.queries[order], np.arange(len(table.tickets) + 1))
    for ticket in range(len(table.tickets)):
        places = np.flatnonzero(table.right[order[starts[ticket] : starts[ticket + 1]]])
        if len(places):
            result[ticket] = places[0] + 1
    return result


class Pairs(NamedTuple):
    """What calibration is fitted on: the best file of each ticket with its lead, and all others."""

    first: Any
    lead: Any
    is_first_right: Any
    others: Any
    are_others_right: Any


def pairs(tables: Mapping[str, Table], scores: Mapping[str, Any]) -> Pairs:
    """Scores of left-out repositories, the best file of each ticket apart."""
    first, lead, right, others, others_right = [], [], [], [], []
    for name, table in tables.items():
        order = np.lexsort((-scores[name], table.queries))
        starts = np.searchsorted(table.queries[order], np.arange(len(table.tickets) + 1))
        for ticket in range(len(table.tickets)):
            places = order[starts[ticket] : starts[ticket + 1]]
            if not len(places):
                continue
            values = scores[name][places]
            first.append(values[0])
            lead.append(values[0] - values[1] if len(values) > 1 else 0.0)
            right.append(table.right[places[0]])
            others.extend(values[1:])
            others_right.extend(table.right[places[1:]])
    return Pairs(np.array(first), np.array(lead), np.array(right), np.array(others), np.array(others_right))


class CalibrationPair(NamedTuple):
    """Calibration of the best file by score and lead, and of all others by score."""

    first: Calibration
    others: Calibration
    lead_weight: float


def calibrate(data: Pairs) -> CalibrationPair:
    """Fit the meaning of scores."""
    logistic = LogisticRegression(C=100).fit(np.c_[data.first, data.lead], data.is_first_right)
    weight = max(0.0, float(logistic.coef_[0][1] / logistic.coef_[0][0]))
    return CalibrationPair(
        _isotonic(data.first + weight * data.lead, data.is_first_right, np.linspace(0, 1, 31)),
        _isotonic(data.others, data.are_others_right, OTHERS),
        round(weight, 5),
    )


def _isotonic(scores: Any, right: Any, shares: Any) -> Calibration:
    """A rising line through groups of scores, parted at these shares of all. The end that claims rest on is made of at
    least 1/40 of the tickets: no group of three lucky ones.
    """
    edges = np.unique(np.quantile(scores, shares))
    groups = np.clip(np.searchsorted(edges, scores, side="right") - 1, 0, len(edges) - 2)
    centres, shares, weights = [], [], []
    for group in range(len(edges) - 1):
        members = groups == group
        if members.any():
            centres.append(scores[members].mean())
            shares.append((right[members].sum() + 0.5 * right.mean()) / (members.sum() + 0.5))
            weights.append(members.sum())
    rising = IsotonicRegression().fit_transform(centres, shares, sample_weight=weights)
    return Calibration(
        [round(float(one), 4) for one in centres], [round(float(min(one, 0.99)), 4) for one in rising]
    )


def export(model: lightgbm.Booster, features: Sequence[str], meaning: CalibrationPair) -> PlaceModel:
    """The model as data."""
    return PlaceModel(list(features), _trees(model), meaning.first, meaning.others, meaning.lead_weight)


def _trees(model: lightgbm.Booster) -> list[DecisionTree]:
    return [_tree(tree["tree_structure"]) for tree in model.dump_model()["tree_info"]]


def _tree(root: Mapping[str, Any]) -> DecisionTree:
    tree = DecisionTree([], [], [], [], [])

    def add(node: Mapping[str, Any]) -> int:
        if "leaf_value" in node:
            tree.leaves.append(round(node["leaf_value"], 5))
            return -len(tree.leaves)
        place = len(tree.features)
        tree.features.append(node["split_feature"])
        tree.thresholds.append(float(f"{node['threshold']:.6g}"))
        tree.left.append(0)
        tree.right.append(0)
        tree.left[place] = add(node["left_child"])
        tree.right[place] = add(node["right_child"])
        return place

    add(root)
    return tree


def refitted_trees() -> tuple[list[str], list[DecisionTree]]:
    """Features and trees of a model that is fitted on the packed rows."""
    packed = np.load(io.BytesIO(lzma.decompress(PACKED.read_bytes())))
    model = fit(TrainingRows(*(packed[name] for name in TrainingRows._fields)), slice(None))
    return [str(name) for name in packed["features"]], _trees(model)


def report(tables: Mapping[str, Table], scores: Mapping[str, Any]) -> list[str]:
    """Hit rates of left-out repositories, a line each, and together."""
    lines, ours, plain, issues = [], [], [], []
    for name, table in tables.items():
        rank = ranks(table, scores[name])
        is_commit = table.tickets[:, 0] >= 0
        newest = table.tickets[:, 0] == 0
        bm25 = table.tickets[:, 1]
        ours.append(rank[is_commit])
        plain.append(bm25[is_commit])
        issues.append((rank[~is_commit], bm25[~is_commit]))
        lines.append(
            f"| {name.replace('+', '/')} | {is_commit.sum()} | {_hits(bm25[is_commit])} | {_hits(rank[is_commit])}"
            f" | {newest.sum()} | {_hits(bm25[newest])} | {_hits(rank[newest])} |"
        )
    together = np.hstack(ours)
    lines.append(f"| together | {len(together)} | {_hits(np.hstack(plain))} | {_hits(together)} |")
    real = np.hstack([rank for rank, _ in issues])
    if len(real):
        lines.append(
            f"real issues {len(real)}: BM25 {_hits(np.hstack([one for _, one in issues]))}, ours {_hits(real)}"
        )
    return lines


def claims(tables: Mapping[str, Table], scores: Mapping[str, Any]) -> list[str]:
    """Precision of what is called sure, each half of the repositories calibrated on the other half."""
    names = list(tables)
    probability: list[float] = []
    right: list[bool] = []
    for half in (0, 1):
        inside, outside = names[half::2], names[1 - half :: 2]
        meaning = calibrate(pairs({name: tables[name] for name in outside}, scores))
        data = pairs({name: tables[name] for name in inside}, scores)
        sums = data.first + meaning.lead_weight * data.lead
        probability.extend(meaning.first.probability(float(one)) for one in sums)
        right.extend(data.is_first_right)
    sure, hit = np.array(probability), np.array(right)
    lines = []
    for low, high in ((0, 0.2), (0.2, 0.4), (0.4, 0.6), (0.6, 0.8), (0.8, 0.9), (0.9, 1.01)):
        members = (sure >= low) & (sure < high)
        if members.any():
            lines.append(
                f"| {low:.1f}-{min(high, 1):.1f} | {members.sum()} | {sure[members].mean():.2f} | {hit[members].mean():.2f} |"
            )
    return lines


def _hits(rank: Any) -> str:
    return "/".join(f"{(rank <= most).mean():.2f}" for most in RANKS) if len(rank) else "-"


def main(folder: Path, *, is_written: bool) -> None:
    """Train, report, and write the model and the rows that it is made of."""
    features = feature_names(folder)
    tables = load(folder, features)
    rows = training_rows(tables, features)
    scores = left_out_scores(tables, rows)
    print("\n".join([*report(tables, scores), *claims(tables, scores)]))
    if is_written:
        model = export(fit(rows, slice(None)), features, calibrate(pairs(tables, scores)))
        MODEL.write_bytes(msgspec.json.encode(model))
        plain = io.BytesIO()
        np.savez(plain, features=np.array(features), **rows._asdict())
        PACKED.write_bytes(lzma.compress(plain.getvalue(), preset=9))


if __name__ == "__main__":
    main(Path(sys.argv[1]), is_written="--write" in sys.argv)
