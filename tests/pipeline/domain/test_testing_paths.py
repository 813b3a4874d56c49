"""What is a test, by the conventions of many languages."""

import pytest

from pipeline.code_registry.text.past_changes import is_product_source
from pipeline.domain.testing_paths import is_test_path, may_hold_tests
from pipeline.places.file_kinds import FileKind, file_kind


@pytest.mark.parametrize(
    "path",
    [
        "tests.py", "shop/tests.py", "test.js", "tests/items.py", "test_items.py", "items_test.go", "spec/items_spec.rb",
        "src/items.test.ts", "src/items-spec.ts", "cypress/e2e/login.cy.js", "src/ItemsTest.java", "src/TestItems.kt",
        "Orders.Tests/Totals.cs", "OrdersTests/Totals.swift", "items.bats", "features/login.feature", "t/items.t",
        "app/src/androidTest/Login.kt", "src/tests.rs",
    ],
)  # fmt: skip
def test_a_test_is_known_by_its_folder_or_its_name_wherever_that_is_asked(path: str) -> None:
    assert may_hold_tests(path)
    assert is_test_path(path)
    assert file_kind(path) is FileKind.TEST
    assert not is_product_source(path)


@pytest.mark.parametrize(
    "path", ["mocks/cart.ts", "src/__fixtures__/cart.json", "testdata/a.go", "src/A.stories.tsx"]
)
def test_what_only_tests_use_belongs_to_them_and_holds_none(path: str) -> None:
    assert is_test_path(path)
    assert not may_hold_tests(path)


@pytest.mark.parametrize("path", ["src/lib.rs", "src/main.zig"])
def test_source_of_languages_with_inline_tests_may_hold_some(path: str) -> None:
    assert may_hold_tests(path)
    assert not is_test_path(path)


@pytest.mark.parametrize(
    "path",
    [
        "src/features/cart.ts", "app/latest.py", "contests/a.py", "src/ApiSpecs/List.js", "app/TestEmail.php",
        ".github/workflows/tests.yml", "test.md", "src/protest.py", "src/ab-test.ts", "api/speed-test.py",
        "src/speedTest/routes.ts", "src/abTests/routes.py",
    ],
)  # fmt: skip
def test_a_word_that_only_looks_like_test_makes_no_test(path: str) -> None:
    assert not may_hold_tests(path)
    assert not is_test_path(path)
