"""Addresses of Milvus: `milvus://user:password@host:19530/database`, or `milvus:file.db`."""

from __future__ import annotations

import os
import re
from urllib.parse import parse_qsl, unquote, urlsplit

from ...model.errors import BadInput
from ...model.value import Value
from ...rules.server_address import address_fault

PORT = 19530
LEVELS = {"session": "Session", "strong": "Strong", "bounded": "Bounded"}
"""Consistency levels: see docs/milvus.md."""


class MilvusAddress(Value):
    """A server, or a file that this process serves to itself with Milvus Lite."""

    uri: str
    """The address as the driver takes it."""
    token: str = ""
    database: str = ""
    level: str = "Session"
    lite: bool = False

    @classmethod
    def parse(cls, url: str) -> MilvusAddress:
        """Read a URL; `secure` and `consistency` are the only options."""
        if not url.startswith("milvus://"):
            return cls._file(url.removeprefix("milvus:"))
        if fault := address_fault(url, ("milvus",)):
            raise BadInput(
                f"The address of the Milvus server {fault}.",
                hint="Use milvus://host:19530/database.",
            )
        _, place, path, query, _ = urlsplit(url)
        options = dict(parse_qsl(query))
        secure = options.pop("secure", "") in ("1", "true", "yes")
        level = LEVELS.get(options.pop("consistency", "session").casefold())
        user, _, host = place.rpartition("@")
        if options or level is None:
            raise BadInput(
                "The address of the Milvus server cannot be read.",
                hint="Use milvus://host:19530/database, with ?secure=true or ?consistency=strong.",
            )
        port = "" if re.search(r":\d+$", host) else f":{PORT}"
        return cls(
            f"{'https' if secure else 'http'}://{host}{port}", unquote(user), path.strip("/"), level
        )

    @classmethod
    def _file(cls, path: str) -> MilvusAddress:
        # The driver recognizes a file by its ending.
        if not path.endswith(".db"):
            raise BadInput(
                f"{path!r} cannot be a file of Milvus Lite.", hint="Let its name end in `.db`."
            )
        return cls(os.path.abspath(os.path.expanduser(path)), lite=True)

    @property
    def url(self) -> str:
        """The URL without its password, for people and logs."""
        if self.lite:
            return f"milvus:{self.uri}"
        return f"milvus://{urlsplit(self.uri).netloc}/{self.database}".rstrip("/")


def collection_name(text: str) -> str:
    """A name that a collection may have: letters, digits and underscores."""
    return "commonplace_" + re.sub(r"[^A-Za-z0-9]", "_", text)
