"""What is shown in a file that ranks high: what a reader knows by a name."""

from pipeline.domain.ticket import IncomingTicket
from pipeline.reading.document import read_issue
from pipeline.stages.places import entries_of
from pipeline.stages.selection.terms import terms_of
from tests.pipeline.conftest import Built


def test_a_function_without_a_name_is_no_entry_of_a_place(built: Built) -> None:
    path = "src/icons.ts"
    registry = built(
        {
            path: """
                export function iconOf(visibility: string) { return visibility }
                watch((visibility: string) => { const icon = iconOf(visibility); return icon })
            """
        }
    )
    terms = terms_of(read_issue(IncomingTicket(title="Show an icon for the visibility", body=""), (), ()))
    assert {symbol.name[0] for symbol in registry.symbols if symbol.place.path == path} >= {"i", "<"}
    assert [place.id for place in entries_of([path], terms, registry)[path]] == [f"symbol:{path}::iconOf"]
