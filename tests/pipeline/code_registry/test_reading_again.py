"""What a file says does not depend on what was read before it, nor on which process reads it."""

from pipeline.code_registry.languages.python.extractor import extract


def test_parameters_that_are_written_again_have_their_own_lines() -> None:
    facts = extract(b"def f(x: int,\n      y=1): ...\n\n\ndef g(x: int,\n      y=1): ...\n")
    assert [[(a.name, a.line) for a in function.arguments] for function in facts.definitions[1:]] == [
        [("x", 1), ("y", 2)],
        [("x", 5), ("y", 6)],
    ]


def test_an_import_that_is_written_again_binds_in_its_own_scope() -> None:
    facts = extract(b"from a import b\ndef f():\n    from a import b\nfrom a import b\n")
    assert [(imported.scope, imported.local) for imported in facts.imports] == [(0, "b"), (1, "b"), (0, "b")]


def test_calls_inside_of_what_is_written_again_are_noted_again() -> None:
    source = b"f(g(), key=h(), other=1)\nf(g(), key=h(), other=1)\nx[0]['a']\nx[0]['a']\n"
    for _ in range(2):
        facts = extract(source)
        assert [site.call.line for site in facts.calls] == [1, 1, 1, 2, 2, 2]
        assert [(read.key, read.line) for read in facts.reads] == [("a", 3), ("a", 4)]
