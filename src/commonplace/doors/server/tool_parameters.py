"""Types of the parameters of MCP tools, with the descriptions and limits of their schemas."""

from typing import Annotated

from pydantic import Field

from .signatures import DESCRIPTIONS

MAX_HITS = 50

Query = Annotated[str, Field(description=DESCRIPTIONS["query"], min_length=1, max_length=10_000)]
Content = Annotated[str, Field(description=DESCRIPTIONS["content"], min_length=1)]
Ref = Annotated[str, Field(description=DESCRIPTIONS["ref"], min_length=1)]
Kind = Annotated[str | None, Field(description=DESCRIPTIONS["kind"])]
Kinds = Annotated[list[str] | None, Field(description=DESCRIPTIONS["kinds"])]
InScope = Annotated[str | None, Field(description=DESCRIPTIONS["scope"])]
Topic = Annotated[str | None, Field(description=DESCRIPTIONS["topic"])]
Tags = Annotated[list[str] | None, Field(description=DESCRIPTIONS["tags"])]
Since = Annotated[str | None, Field(description=DESCRIPTIONS["since"])]
Until = Annotated[str | None, Field(description=DESCRIPTIONS["until"])]
Branch = Annotated[str | None, Field(description=DESCRIPTIONS["branch"])]
Inbox = Annotated[bool, Field(description=DESCRIPTIONS["include_inbox"])]
Sensitive = Annotated[
    bool, Field(description="Also sensitive memories; only if the user asks for them.")
]
Limit = Annotated[int, Field(description=DESCRIPTIONS["limit"], ge=1, le=MAX_HITS)]
Key = Annotated[str, Field(description=DESCRIPTIONS["key"], min_length=1, max_length=300)]
Namespace = Annotated[str | None, Field(description=DESCRIPTIONS["namespace"])]
Confidence = Annotated[float | None, Field(description=DESCRIPTIONS["confidence"], ge=0, le=1)]
Importance = Annotated[float | None, Field(description=DESCRIPTIONS["importance"], ge=0, le=1)]
