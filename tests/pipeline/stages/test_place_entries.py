"""What is shown in a file that ranks high: what a reader knows by a name."""

from inline_snapshot import snapshot

from pipeline.domain.ticket import IncomingTicket
from pipeline.reading.document import read_issue
from pipeline.stages.decomposition.candidates import symbol_choice
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


def test_a_function_inside_one_without_a_name_is_shown_by_its_own_name_and_its_line(built: Built) -> None:
    path = "src/icons.ts"
    registry = built(
        {
            path: """
                watch(() => { function visibleIcon() { return 1 } return visibleIcon() })
                export class Icons { show() { return [1].map(() => { const visible = () => 1; return visible() }) } }
            """
        }
    )
    terms = terms_of(read_issue(IncomingTicket(title="Show visible icons", body=""), (), ()))
    labels = [place.label for place in entries_of([path], terms, registry)[path]]
    assert labels == snapshot(
        [
            "Icons.show.visible, line 3 (src/icons.ts)",
            "visibleIcon, line 2 (src/icons.ts)",
            "Icons.show (src/icons.ts)",
        ]
    )
    places = [symbol_choice(registry, symbol).label for symbol in registry.symbols]
    assert not any("<" in label for label in places)
