"""A server that dies loses nothing that it had promised, and clients recover by themselves."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path

from . import killing


def test_every_acknowledged_write_is_there_once_after_the_server_was_killed(
    tmp_path: Path,
) -> None:
    with tempfile.TemporaryDirectory(prefix="commonplace-kill-") as room:
        Path(room).chmod(0o755)
        folder = Path(room) / "data"
        try:
            clients = killing.run(folder, tmp_path, clients=2, kills=2, every_s=1.0)
            found = Counter(killing.kept(folder, tmp_path))
        finally:
            killing.kill(folder)
    promised = [text for client in clients for text in client.promised]
    assert len(promised) == len(set(promised)) > 10
    assert {text: found[text] for text in promised} == dict.fromkeys(promised, 1)
    assert max(found.values()) == 1
