"""A stored result is bound to the code that made it: every module and every data file that its stage runs."""

from pathlib import Path

import pytest

from pipeline.engine.code_versions import CodeVersions

FILES = {
    "shop/__init__.py": "",
    "shop/tables/__init__.py": "from shop.tables.first import FIRST\nTABLES = (FIRST,)\n",
    "shop/tables/first.py": "FIRST = 1\n",
    "shop/stages/refund.py": "from shop.prices.table import price\n\n\ndef run():\n    from shop.prices import tax\n    from shop.tables import TABLES\n",
    "shop/stages/greet.py": "from shop.words import hello\n",
    "shop/prices/table.py": "from shop.words import hello\n",
    "shop/prices/tax.py": "RATE = 7\n",
    "shop/prices/rates.json": "{}",
    "shop/words.py": "hello = 'Hello'\n",
    "shop/unused/old.py": "from shop.stages.refund import run\n",
    "shop/unused/rates.json": "{}",
    "mine.py": "from shop.stages import (\n    refund,\n)\n",
}


def shop(folder: Path, **changed: str) -> Path:
    for name, text in (FILES | changed).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def version(folder: Path, module: str = "shop/stages/refund.py") -> str:
    return CodeVersions(folder / "shop").of([folder / module])


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("shop/stages/refund.py", True),
        ("shop/prices/table.py", True),
        ("shop/prices/tax.py", True),
        ("shop/prices/rates.json", True),
        ("shop/words.py", True),
        ("shop/tables/__init__.py", True),
        ("shop/tables/first.py", True),
        ("shop/__init__.py", True),
        ("shop/unused/old.py", False),
        ("shop/stages/greet.py", False),
        ("shop/unused/rates.json", False),
    ],
)
def test_a_change_of_what_a_stage_runs_and_of_nothing_else_is_another_version(
    tmp_path: Path, name: str, counts: bool
) -> None:
    """`words.py` is reached over another module, `tax.py` by an import inside a function."""
    before = version(shop(tmp_path))
    after = version(shop(tmp_path, **{name: FILES[name] + " "}))
    assert (after != before) is counts


def test_the_same_code_in_another_folder_is_the_same_version(tmp_path: Path) -> None:
    assert version(shop(tmp_path / "here")) == version(shop(tmp_path / "there"))


def test_a_module_of_somebody_else_counts_with_what_it_takes_from_the_package(tmp_path: Path) -> None:
    before = version(shop(tmp_path), "mine.py")
    assert version(shop(tmp_path, **{"shop/prices/tax.py": "RATE = 8\n"}), "mine.py") != before
    assert version(shop(tmp_path, **{"mine.py": FILES["mine.py"] + "x = 1\n"}), "mine.py") != before


def test_modules_that_import_each_other_have_a_version(tmp_path: Path) -> None:
    shop(tmp_path, **{"shop/words.py": "from shop.stages.refund import run\n"})
    assert version(tmp_path)
