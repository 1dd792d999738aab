"""Graph: memories as nodes; links, versions and derivations as edges."""

from __future__ import annotations

from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from nicegui import ui

from ....model.errors import CommonplaceError
from ....model.memory import LIVE
from ....ports.search_index import Where
from ....rules.proposals import PROPOSAL_KIND
from .. import components
from ..components import GREY, block, button, empty_state, heading, kind_colours, link, text_label
from ..frame import Frame, frame

if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet

    from nicegui.events import EChartPointClickEventArguments

    from ....book import Commonplace
    from ....model.memory import Memory
    from ....verbs.links import Edge, Graph

STARTING_MEMORIES = 200
"""Number of the newest memories whose connections are drawn when no memory is named."""
MOST_DRAWN = 80
"""More nodes than this leave no room for names."""
READABLE = 20
"""Characters of a name that are surely written beside its dot."""
WRITTEN = 30
"""Characters of a name that are written beside its dot where there is room."""
HOPS = 2
LINE_STYLES = {"supersedes": "dashed", "derived_from": "dotted"}


@ui.page("/graph")
async def graph(around: str = "", topic: str = "") -> None:
    """The graph around one memory, of a topic, or of the newest memories."""
    with frame("Graph", "/graph") as page:
        ui.add_head_html(f"<script>{_script()}</script>")
        heading("Graph", "Links, versions and derivations. Click a memory to open it.")
        with block("cp-tools"):
            name = ui.input("Memory or topic", value=around or topic)
            name.props("outlined dense").classes("cp-search")

            def show() -> None:
                ui.navigate.to(f"/graph?around={quote((name.value or '').strip(), safe='')}")

            name.on("keydown.enter", show)
            button("Show", show)
            if around or topic:
                link("Show the newest", "/graph", "cp-link")
        picture = _GraphPage(page, around, topic)
        await picture.refresh()
        page.live(picture.refresh)


class _GraphPage:
    def __init__(self, page: Frame, around: str, topic: str) -> None:
        self._frame = page
        self._around, self._topic = around, topic
        self._shown: tuple[Graph, str] | None = None
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
            self._draw(*found)

    def _draw(self, found: Graph, not_drawn: str) -> None:
        if not found.memories and (self._around or self._topic):
            named = components.one_line(self._around or self._topic, 80)
            empty_state(
                f"No memory and no topic is called “{named}”.",
                "Names are those of notes; a search in Browse finds memories by their words.",
            )
            return
        if not found.memories:
            empty_state(
                "No links yet.",
                "Write [[the name of another memory]] in a memory to link to it.",
                not_drawn,
            )
            return
        memories = list(found.memories)
        colours = kind_colours(memory.kind for memory in memories)
        options = _options(memories, found.edges, self._around, colours)
        chart = ui.echart(options, on_point_click=lambda event: _open_memory(event, memories))
        chart.classes("cp-graph").props(
            'role=img aria-label="Graph; the list below has the same memories"'
        )
        _legend(colours)
        drawn = components.plural(len(memories), "memory")
        edges = components.plural(len(found.edges), "connection")
        text_label(f"{drawn} with {edges}. {not_drawn}", "cp-quiet cp-small cp-not-drawn")
        # Filled by the script, which alone knows how much room the screen has.
        text_label("", "cp-quiet cp-small cp-unwritten").props("role=status")
        with block("cp-list cp-graph-list"):
            for memory in memories:
                with block("cp-row"):
                    link(components.memory_name(memory), f"/memory/{memory.id}", "cp-link")
                    link("focus", f"/graph?around={memory.id}", "cp-quiet cp-small")
        ui.run_javascript(f"window.fitGraph({chart.id})")


def graph_to_draw(book: Commonplace, around: str, topic: str) -> tuple[Graph, str]:
    """The graph around the named memory, else of the topic, else of the newest; what it lacks."""
    if around:
        try:
            return _trimmed(
                book.graph(around, hops=HOPS),
                [f"memories more than {HOPS} steps away"],
                keep=book.get(around).id,
            )
        except CommonplaceError:
            topic = topic or around
    where = Where(statuses=LIVE, topics=(topic,) if topic else None)
    found = _without_questions(book.newest_graph(where=where, limit=STARTING_MEMORIES))
    if topic:
        # A topic is shown whole: what belongs to it matters more than what is linked.
        return _trimmed(found.but(memories=(*found.memories, *found.unconnected)), [])
    lacking: list[str] = []
    turns = sum(one.kind == "turn" for one in found.unconnected)
    if alone := len(found.unconnected) - turns:
        lacking.append(f"{components.plural(alone, 'memory')} without connections")
    if turns:
        # No memories of their own, so that the others are counted as Browse counts them.
        lacking.append(f"{components.plural(turns, 'turn')} of conversations")
    total = sum(book.count_by("status", where=where).values())
    if total > STARTING_MEMORIES:
        older = components.plural(total - STARTING_MEMORIES, "older memory")
        lacking.append(f"{older} (name one above)")
    return _trimmed(found, lacking)


def _without_questions(found: Graph) -> Graph:
    """The graph with those memories unconnected that only a question of the inbox connects."""
    asked = {one.id for one in found.memories if one.kind == PROPOSAL_KIND}
    edges = [one for one in found.edges if asked.isdisjoint((one.source, one.target))]
    ends = {end for one in edges for end in (one.source, one.target)}
    alone = tuple(one for one in found.memories if one.id not in ends | asked)
    drawn = tuple(one for one in found.memories if one.id in ends | asked)
    return found.but(memories=drawn, unconnected=(*found.unconnected, *alone))


def _trimmed(found: Graph, lacking: list[str], keep: str = "") -> tuple[Graph, str]:
    """The graph without questions of the inbox and with room for names, and what is left out."""
    ties = _ties(found)
    asked = [one for one in found.memories if one.kind == PROPOSAL_KIND]
    memories = [one for one in found.memories if one.kind != PROPOSAL_KIND]
    if asked:
        lacking.append(f"{components.plural(len(asked), 'question')} of the inbox")
    if len(memories) > MOST_DRAWN:
        ranked = sorted(memories, key=lambda one: (one.id != keep, -ties[one.id]))
        kept = {one.id for one in ranked[:MOST_DRAWN]}
        lacking.append(f"{len(memories) - MOST_DRAWN:,} with fewer connections")
        memories = [one for one in memories if one.id in kept]
    ids = {one.id for one in memories}
    edges = tuple(one for one in found.edges if {one.source, one.target} <= ids)
    said = f"Not drawn: {', '.join(lacking)}." if lacking else "Nothing is left out."
    return found.but(memories=tuple(memories), edges=edges, unconnected=()), said


def _ties(found: Graph) -> dict[str, int]:
    ties = dict.fromkeys((one.id for one in found.memories), 0)
    for edge in found.edges:
        for end in (edge.source, edge.target):
            ties[end] = ties.get(end, 0) + 1
    return ties


def _open_memory(event: EChartPointClickEventArguments, memories: Sequence[Memory]) -> None:
    if event.data_type == "node" and 0 <= event.data_index < len(memories):
        ui.navigate.to(f"/memory/{memories[event.data_index].id}")


def _options(
    memories: Sequence[Memory], edges: Sequence[Edge], centre: str, colours: dict[str, str]
) -> dict[str, object]:
    written = written_names([components.memory_name(one, 100) for one in memories])
    places = {memory.id: place for place, memory in enumerate(memories)}
    ties = {id: sum(id in (e.source, e.target) for e in edges) for id in places}
    lines = [
        {
            "source": str(places[one.source]),
            "target": str(places[one.target]),
            "lineStyle": {"type": LINE_STYLES.get(one.kind, "solid")},
        }
        for one in edges
    ]
    return {
        # Drawn on the canvas, so that a name is never taken for HTML.
        "tooltip": {
            "renderMode": "richText",
            "formatter": "{b}",
            "confine": True,
            "textStyle": {"width": 240, "overflow": "break"},
        },
        "series": [
            {
                "type": "graph",
                "layout": "force",
                # The dots stand where they will stay; growing ones look like specks until then.
                "animation": False,
                "roam": True,
                "nodeScaleRatio": 0,  # Names keep their size, so that zooming in makes room.
                "data": [
                    _node(one, places[one.id], ties[one.id], colours[one.kind], one.id == centre)
                    | {"written": name}
                    for one, name in zip(memories, written, strict=True)
                ],
                "links": lines,
                "edgeSymbol": ["none", "arrow"],
                "edgeSymbolSize": 7,
                "force": {
                    "repulsion": 250 + 2_000 // len(memories),  # A few use the room there is.
                    "edgeLength": [70, 190],
                    "gravity": 0.3,
                    "layoutAnimation": False,
                },
                # `graph.js` writes the names, once it is known where the dots stand.
                "label": {
                    "show": False,
                    "position": "right",
                    "color": GREY,
                    "fontSize": 12,
                    "width": 210,
                    "overflow": "truncate",
                    "ellipsis": "…",
                },
                "lineStyle": {"color": GREY, "opacity": 0.6, "width": 1.5},
                "emphasis": {"focus": "adjacency"},
                # The others stay visible while one is pointed at.
                "blur": {"itemStyle": {"opacity": 0.35}, "label": {"opacity": 0.35}},
            }
        ],
    }


def _node(memory: Memory, place: int, ties: int, colour: str, centre: bool) -> dict[str, object]:
    hollow = memory.status not in LIVE
    return {
        # Numbers identify the nodes, because two memories may begin with the same words.
        "id": str(place),
        "name": components.memory_name(memory, 100),
        "value": ties,
        "symbolSize": 14 + min(26, 4 * ties) + 10 * centre,
        "itemStyle": {
            "color": "rgba(128, 128, 128, 0.1)" if hollow else colour,
            "borderColor": colour,
            "borderWidth": 2 if hollow else 0,
        },
    }


def written_names(names: Sequence[str]) -> list[str]:
    """The text written beside each dot; of names that begin alike, what tells them apart."""
    return [_from_difference(name, {*names} - {name}) for name in names]


def _from_difference(name: str, others: AbstractSet[str]) -> str:
    """A name that shares its beginning with another, from as far before the difference as fits."""
    shared = max((_alike(name, other) for other in others), default=0)
    if shared < READABLE:
        return name
    words = [0, *(place + 1 for place in range(shared) if name[place] == " ")]
    # The words before the last one here stand before the difference: they name the subject.
    fitting = (word for word in words[:-1] if len(name) - word <= WRITTEN)
    start = next(fitting, words[max(0, len(words) - 2)])
    return f"… {name[start:]}" if start else name


def _alike(one: str, other: str) -> int:
    """How many characters two names share at their beginning."""
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _legend(colours: dict[str, str]) -> None:
    with block("cp-chips cp-legend"):
        for kind, colour in colours.items():
            text_label(kind, "cp-chip cp-kind").style(f"background: {colour}")
    with block("cp-quiet cp-small").style("margin: .6rem 0"):
        text_label(
            "Solid lines are links, dashed lines newer versions, dotted lines derivations. Hollow"
            " dots are no longer in use."
        )


@cache
def _script() -> str:
    here = Path(__file__).parents[1]
    return (here / "assets" / "graph.js").read_text(encoding="utf-8")
