"""A graph that cannot run is refused before it runs, with all its mistakes at once."""

import pytest
from inline_snapshot import snapshot
from pydantic import BaseModel

from pipeline.domain.errors import DefinitionInvalid
from pipeline.engine.graph import Graph
from tests.pipeline.engine.declared_stages import Stages


class Changeable(BaseModel):
    text: str


def test_all_mistakes_of_a_graph_are_listed_in_one_error() -> None:
    stages = (
        Stages()
        .add("registry", "reading")
        .add("reading", "registry")
        .add("ticket", "desicion", optional=frozenset({"registry"}))
        .add("ticket")
        .add("../etc", output=Changeable)
    )
    with pytest.raises(DefinitionInvalid) as refused:
        Graph(tuple(stages.nodes))
    assert str(refused.value) == snapshot("""\
the stages do not make a graph that can run
two stages are named 'ticket'
'../etc' is not a stage id: letters, digits, _ and -, a letter first
'../etc' returns Changeable, which is not frozen: a later stage could change it
'ticket' needs 'desicion', which does not exist; there are: ../etc, reading, registry, ticket
'ticket' can do without 'registry', but does not need it
the stages need each other in a circle: registry -> reading -> registry
Correct the definition, then check and draw it: askfirst plan --definition FILE.yml\
""")


def test_a_graph_keeps_the_order_of_definition() -> None:
    stages = Stages().add("ticket", "reading").add("reading")
    assert [node.id for node in Graph(tuple(stages.nodes)).nodes] == ["ticket", "reading"]
