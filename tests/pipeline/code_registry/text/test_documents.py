"""One file as a document: what stands in which field, in any language."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.code_registry.text.documents import FIELDS, Style, read_document, style_of
from pipeline.domain.terms import TermTable, joined_terms, term_counts


def fields_of(term: str, data: bytes, path: str) -> set[str]:
    counts = read_document(data, style_of(path), TermTable()).counts.get(term, 0)
    return {name for at, name in enumerate(FIELDS) if counts >> 8 * at & 0xFF}


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("a.py", "class AuditLog:\n    pass\n"),
        ("a.py", "    async def audit_log(self):\n"),
        ("a.go", "func (s *Store) AuditLog(id string) error {\n"),
        ("a.ts", "export const auditLog = (id: string) => 1\n"),
        ("a.ts", "  auditLog(id: string): void {\n"),
        ("a.cs", "    public async Task<int> AuditLog(string id)\n"),
        ("a.java", "  private static final AuditLog log = null;\n  AuditLog auditLog() {\n"),
        ("a.rb", "  def self.audit_log\n"),
        ("a.rs", "pub(crate) fn audit_log() {\n"),
        ("a.php", "    protected function auditLog($id)\n"),
        ("a.sql", "CREATE TABLE audit_log (id int);\n"),
        ("a.vue", '<input id="audit-log">\n'),
        ("a.yml", "audit_log: true\n"),
        ("a.md", "# The audit log\n"),
    ],
)
def test_a_defined_name_stands_among_the_names_in_any_language(path: str, line: str) -> None:
    assert {"names", "body"} <= fields_of("audit", line.encode(), path)


@pytest.mark.parametrize(
    ("path", "text", "field"),
    [
        ("a.py", "x = 1  # the archive\n", "comments"),
        ("a.py", 'x = "the # archive"\n', "strings"),
        ("a.go", "// the archive\n", "comments"),
        ("a.go", 'u := "https://archive"\n', "strings"),
        ("a.ts", "/* the\n archive */\n", "comments"),
        ("a.ts", "const a = `the archive`\n", "strings"),
        ("a.vue", "<b>The archive</b>\n", "strings"),
        ("a.html", "<!-- archive -->\n", "comments"),
        ("a.tsx", "  return <b>The archive</b>\n", "strings"),
    ],
)
def test_literals_and_comments_are_told_apart(path: str, text: str, field: str) -> None:
    assert fields_of("archiv", text.encode(), path) == {field, "body"}


def test_a_name_and_neighbouring_words_of_prose_come_to_one_term() -> None:
    table = TermTable()
    assert "auditlog" in table[b"AuditLogs"]
    assert "auditlog" in table[b"audit_log"]
    assert ("auditlog", "audit logs") in set(joined_terms("Please keep the audit logs longer", table))


def test_words_of_scripts_without_spaces_are_read_as_pairs() -> None:
    assert set(term_counts("归档设置", TermTable())) == {"归档", "档设", "设置"}
    assert set(term_counts("настройки", TermTable())) == set(term_counts("настройка", TermTable()))


@given(st.binary(max_size=400), st.sampled_from(list(Style)))
def test_any_bytes_make_a_document_whose_fields_fit_eight_bits(data: bytes, style: Style) -> None:
    document = read_document(data, style, TermTable())
    assert all(0 < packed <= 0xFFFF_FFFF for packed in document.counts.values())


def test_a_term_that_stands_very_often_does_not_spill_into_another_field() -> None:
    counts = read_document(b"cart Cart CART carts " * 500, Style.SLASH, TermTable()).counts
    assert counts["cart"] & 0xFF_FFFF == 0
    assert counts["cart"] >> 24 > 100
