"""Whether the trees of the shipped model are those that the packed rows give. Needs no clone.

    python -m tests.training.check_model

The calibration is fitted on whole tables, which are too large to be kept, so it is not checked.
"""

import sys

import msgspec

from pipeline.places.model import PlaceModel
from tests.training.train_places import MODEL, PACKED, refitted_trees


def main() -> None:
    """Fit anew and compare; ends with 1 if a tree differs."""
    shipped_model = msgspec.json.decode(MODEL.read_bytes(), type=PlaceModel)
    features, trees = refitted_trees()
    if features != shipped_model.features:
        sys.exit(f"{MODEL.name} has other features than {PACKED.name}: write both with `make train`.")
    pairs = zip(trees, shipped_model.trees, strict=False)
    differing = abs(len(trees) - len(shipped_model.trees)) + sum(
        tree != shipped_tree for tree, shipped_tree in pairs
    )
    if differing:
        sys.exit(f"{differing} of {len(trees)} trees of {MODEL.name} differ: write it with `make train`.")
    print(f"{len(trees)} trees fitted on {PACKED.name}: those of {MODEL.name}, every one")


if __name__ == "__main__":
    main()
