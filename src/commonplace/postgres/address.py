"""Where a book on a server is: `postgresql://server@host/database?schema=commonplace`."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from ..errors import BadInput
from ..value import Value

SCHEMA = "commonplace"
CONNECTIONS = 8
_NAME = re.compile(r"[a-z_][a-z0-9_]{0,62}")


class Address(Value):
    """A book's server, the schema that holds its tables, and how many connections may be open."""

    server: str
    """What the driver is told; may hold a password."""
    schema: str = SCHEMA
    connections: int = CONNECTIONS

    @classmethod
    def parse(cls, url: str) -> Address:
        """Read a URL; `schema` and `connections` among its options are ours."""
        scheme, place, path, query, _ = urlsplit(url)
        options = dict(parse_qsl(query))
        schema, connections = options.pop("schema", SCHEMA), options.pop("connections", "")
        if not is_name(schema):
            raise BadInput(
                f"{schema!r} cannot be the schema of a book.",
                hint="Use lower-case letters, digits and underscores.",
            )
        if connections and not (connections.isdecimal() and int(connections)):
            raise BadInput("`connections` is not a number.", hint="Use one from 1 on.")
        # Without `//` an address of a socket alone would lose its empty host.
        server = urlunsplit((scheme, place, path, urlencode(options), ""))
        server = server if "//" in server else server.replace(":", "://", 1)
        return cls(server, schema, int(connections or CONNECTIONS))

    def as_role(self, role: str) -> Address:
        """The same place, for another role."""
        scheme, place, path, query, _ = urlsplit(self.server)
        server = f"{scheme}://{role}@{place.rpartition('@')[2]}{path}"
        return self.but(server=f"{server}?{query}" if query else server)

    @property
    def search_path(self) -> str:
        """Where names are looked up; extensions such as pgvector are in `public` by custom."""
        return f"{self.schema}, public"

    @property
    def url(self) -> str:
        """The URL without its password, for people and logs."""
        scheme, place, path, query, _ = urlsplit(self.server)
        user, at, host = place.rpartition("@")
        options = {k: v for k, v in parse_qsl(query) if k != "password"}
        options |= {} if self.schema == SCHEMA else {"schema": self.schema}
        place = f"{user.partition(':')[0]}{at}{host}"
        return f"{scheme}://{place}{path}" + (f"?{urlencode(options)}" if options else "")


def is_name(text: str) -> bool:
    """Whether a schema or role of that name needs no quotes."""
    return bool(_NAME.fullmatch(text))
