"""Tell tests by the folder and the name of a file: the conventions of many languages in one table."""

import re
from functools import lru_cache

_FOLDER = re.compile(
    r"(?:^|/)(?:(?i:tests?|testing|__tests__|specs?|e2e(?:-tests)?|cypress|playwright|(?:unit|integration)[_-]?tests?|androidtest)"
    r"|[^/]*\.(?i:tests?|specs?))/"  # Orders.Tests/ in C#
    r"|[a-z0-9]Tests?/(?:.*/)?[^/]*\.(?:swift|mm?|cs|fs|vb)$"  # OrdersTests/ in Swift
)
_NAME = re.compile(
    r"(?:^|/)(?:tests?_[^/]*|[^/]*_(?:tests?|spec)|conftest)\.\w+$"  # Python, Go, RSpec, Elixir, Dart, C++
    r"|(?:^|/)tests?\.(?:py|rb|rs|php|lua|jl|R|sh|[cm]?[jt]sx?)$"  # Django's app/tests.py, a small package's test.js
    r"|\.(?:tests?|cy|e2e)\.\w+$|[.-](?:spec|e2e-spec)\.\w+$"  # Vitest, Jest, Jasmine, Cypress, Playwright
    r"|(?:^|/)Test[A-Z][^/]*\.(?:java|kts?|groovy|scala)$"
    r"|[a-z0-9](?:Tests?|TestCase|Specs?|IT)\.(?:java|kts?|groovy|scala|cs|fs|vb|php|swift|m)$"
    r"|\.(?:bats|feature|t)$"  # Bats, Cucumber, Perl
)
_BESIDE_TESTS = re.compile(
    r"(?:^|/)(?i:test_?data|fixtures|mocks|__fixtures__|__mocks__|test[_-]?(?:utils?|helpers?))/|\.stories\.\w+$"
)
_WITH_INLINE_TESTS = re.compile(r"\.(?:rs|zig|d)$")
"""Languages whose unit tests stand in the source files themselves."""


def may_hold_tests(path: str) -> bool:
    """Whether a test runner of any language might find tests in a file."""
    return any(pattern.search(path) for pattern in (_FOLDER, _NAME, _WITH_INLINE_TESTS))


@lru_cache(maxsize=65_536)
def is_test_path(path: str) -> bool:
    """Whether a file belongs to the tests and not to the product: a test, or data and helpers of tests."""
    return any(pattern.search(path) for pattern in (_FOLDER, _NAME, _BESIDE_TESTS))
