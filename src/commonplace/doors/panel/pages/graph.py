"""Graph: memories as nodes; links, versions and derivations as edges."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nicegui import ui

from ....model.errors import CommonplaceError
from ....model.memory import LIVE
from ....ports.search_index import Where
from .. import components
from ..components import COLOURS, block, button, empty_state, heading, kind_colour, link, text_label
from ..frame import Frame, frame

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nicegui.events import EChartPointClickEventArguments

    from ....book import Commonplace
    from ....model.memory import Memory
    from ....verbs.links import Edge, Graph

STARTING_MEMORIES = 25
"""Number of memories whose neighbours are drawn when no memory is named."""
HOPS = 2
LINE_STYLES = {"supersedes": "dashed", "derived_from": "dotted"}


@ui.page("/graph")
async def graph(around: str = "", topic: str = "") -> None:
    """The graph around one memory, of a topic, or of the newest memories."""
    with frame("Graph", "/graph") as page:
        heading("Graph", "Links, versions and derivations. Click a memory to open it.")
        with block("cp-tools"):
            name = ui.input("Memory or topic", value=around or topic)
            name.props("outlined dense").classes("cp-search")
            button("Show", lambda: ui.navigate.to(f"/graph?around={_quoted(name.value)}"))
        picture = _GraphPage(page, around, topic)
        await picture.refresh()
        page.live(picture.refresh)


class _GraphPage:
    def __init__(self, page: Frame, around: str, topic: str) -> None:
        self._frame = page
        self._around, self._topic = around, topic
        self._shown: Graph | None = None
        self._whole = block()

    async def refresh(self) -> None:
        """Redraw the graph if it has changed."""
        found = await self._frame.session.attempt(
            lambda book: graph_to_draw(book, self._around, self._topic)
        )
        if found is None or found == self._shown:
            return  # A redraw would move the nodes.
        self._shown = found
        self._whole.clear()
        with self._whole:
            self._draw(found)

    def _draw(self, found: Graph) -> None:
        if not found.memories:
            empty_state(
                "No links yet.",
                "Write [[the name of another memory]] in a memory to link to it.",
            )
            return
        memories = list(found.memories)
        options = _options(memories, found.edges, self._around)
        ui.echart(options, on_point_click=lambda event: _open_memory(event, memories)).classes(
            "cp-graph"
        )
        _legend(memories)


def graph_to_draw(book: Commonplace, around: str, topic: str) -> Graph:
    """The graph around the named memory, else of the topic of that name, else of the newest."""
    from ....verbs.links import Graph

    if around:
        try:
            return book.graph(around, hops=HOPS)
        except CommonplaceError:
            topic = topic or around
    where = Where(statuses=LIVE, topics=(topic,) if topic else None)
    memories: dict[str, Memory] = {}
    edges: dict[Edge, None] = {}
    for hit in book.browse(where=where, limit=STARTING_MEMORIES):
        near = book.graph(hit.memory.id)
        if topic or near.edges:
            memories |= {one.id: one for one in near.memories}
            edges |= dict.fromkeys(near.edges)
    return Graph(tuple(memories.values()), tuple(edges))


def _quoted(text: str | None) -> str:
    from urllib.parse import quote

    return quote((text or "").strip(), safe="")


def _open_memory(event: EChartPointClickEventArguments, memories: Sequence[Memory]) -> None:
    if event.data_type == "node" and 0 <= event.data_index < len(memories):
        ui.navigate.to(f"/memory/{memories[event.data_index].id}")


def _options(memories: Sequence[Memory], edges: Sequence[Edge], centre: str) -> dict[str, object]:
    places = {memory.id: place for place, memory in enumerate(memories)}
    ties = {id: sum(id in (e.source, e.target) for e in edges) for id in places}
    nodes = [
        {
            # Numbers identify the nodes, because two memories may begin with the same words.
            "id": str(places[one.id]),
            "name": components.memory_name(one, 42),
            "value": ties[one.id],
            "symbolSize": 14 + min(26, 4 * ties[one.id]) + 10 * (one.id == centre),
            "itemStyle": {
                "color": COLOURS[kind_colour(one.kind)],
                "opacity": 1 if one.status in LIVE else 0.35,
            },
        }
        for one in memories
    ]
    lines = [
        {
            "source": str(places[one.source]),
            "target": str(places[one.target]),
            "lineStyle": {"type": LINE_STYLES.get(one.kind, "solid")},
        }
        for one in edges
    ]
    return {
        "series": [
            {
                "type": "graph",
                "layout": "force",
                "roam": True,
                "draggable": True,
                "data": nodes,
                "links": lines,
                "edgeSymbol": ["none", "arrow"],
                "edgeSymbolSize": 7,
                "force": {"repulsion": 260, "edgeLength": [60, 160], "layoutAnimation": False},
                "label": {
                    "show": True,
                    "position": "right",
                    "color": "#8a8378",
                    "fontSize": 12,
                    "width": 190,
                    "overflow": "truncate",
                },
                "lineStyle": {"color": "#8a8378", "opacity": 0.6, "width": 1.5},
                "emphasis": {"focus": "adjacency"},
            }
        ]
    }


def _legend(memories: Sequence[Memory]) -> None:
    with block("cp-chips"):
        for kind in sorted({memory.kind for memory in memories}):
            text_label(kind, f"cp-chip cp-kind cp-kind-{kind_colour(kind)}")
    with block("cp-quiet cp-small").style("margin: .6rem 0"):
        text_label("Solid lines are links, dashed lines newer versions, dotted lines derivations.")
    with block("cp-list cp-graph-list"):
        for memory in memories[:60]:
            with block("cp-row"):
                link(components.memory_name(memory), f"/memory/{memory.id}", "cp-link")
                link("focus", f"/graph?around={memory.id}", "cp-quiet cp-small")
