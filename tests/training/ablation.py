"""What each group of features adds: the hit rates of left-out repositories without it.

python -m tests.training.ablation TABLES
"""

import re
import sys
from pathlib import Path

import numpy as np

from tests.training.train_places import RANKS, feature_names, left_out_scores, load, ranks, training_rows

GROUPS = {
    "nothing": r"^$",
    "history, all": r" like|^often$|^lately$|^last$|^mentioned$",
    "like commits": r" like",
    "frequency and recency": r"^often$|^lately$|^last$",
    "citations": r"^(?:frame|line|file|name|only name|mentioned|code .*|message .*)$",
    "query of code names": r"^code ",
    "query of quoted messages": r"^message ",
    "neighbours by imports": r"^imports$|^imported by$|seeds|^importers$",
    "neighbours in the folder": r"^folder$",
    "kind of file": r"^kind ",
    "path": r" path",
    "names defined": r" names",
    "literals": r" strings",
    "whole text": r" body",
    "fields together": r"^fields$",
    "title apart": r"^title ",
    "absolute shares": r" share$",
    "size of issue and tree": r"^title words$|^prose words$|^files$",
    "length, depth": r"^length$|^depth$|^stem in title$",
}


def main(folder: Path) -> None:
    """Print a line for each group."""
    whole = feature_names(folder)
    tables = load(folder, whole)
    rows = training_rows(tables, whole)
    for group, pattern in GROUPS.items():
        columns = [at for at, name in enumerate(whole) if not re.search(pattern, name)]
        fewer = {name: table._replace(values=table.values[:, columns]) for name, table in tables.items()}
        scores = left_out_scores(fewer, rows._replace(values=rows.values[:, columns]))
        figures = []
        for is_issue in (False, True):
            rank = np.hstack(
                [
                    ranks(table, scores[name])[(table.tickets[:, 0] < 0) == is_issue]
                    for name, table in fewer.items()
                ]
            )
            figures.append("/".join(f"{(rank <= most).mean():.3f}" for most in RANKS))
        print(f"| {group} | {figures[0]} | {figures[1]} |", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
