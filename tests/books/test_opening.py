"""Which book is opened: by URL, environment and settings file; what is unknown fails by name."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import commonplace
from commonplace import BackendMissing, BadInput, NoBook, registry, settings
from tests.permissions import held_to_permissions


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return {
        "HOME": str(tmp_path),
        "COMMONPLACE_STATE": str(tmp_path / "state"),
        "COMMONPLACE_CONFIG": str(tmp_path / "config.yaml"),
    }


@pytest.mark.parametrize("written", ["vault:{}/a/../notes", "{}/notes/", "sqlite:{}/./notes.db"])
def test_a_book_is_known_by_one_spelling_of_its_url(tmp_path: Path, written: str) -> None:
    url = written.format(tmp_path)
    with commonplace.open(url, settings=settings.Settings(state=str(tmp_path / "state"))) as book:
        assert registry.canonical_url(url) == registry.canonical_url(book.url) == book.url


@pytest.mark.parametrize(
    "written",
    [
        "postgresql://ada:secret@db:5433/notes",
        "postgres://ada@db:5433/notes?connections=3&password=secret",
    ],
)
def test_a_password_does_not_tell_a_book_from_others(written: str) -> None:
    assert registry.canonical_url(written) == "postgresql://ada@db:5433/notes"
    assert registry.canonical_url(f"{written}{'&' if '?' in written else '?'}schema=two") == (
        "postgresql://ada@db:5433/notes?schema=two"
    )


def test_a_relative_url_is_made_absolute_and_others_stay_as_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert registry.absolute_url("vault:notes") == f"vault:{tmp_path / 'notes'}"
    for url in ("vault:/a/../notes", "sqlite:~/notes.db", "postgresql://ada@db/notes"):
        assert registry.absolute_url(url) == url


def test_an_unknown_backend_fails_by_its_name() -> None:
    with pytest.raises(BackendMissing) as caught:
        commonplace.open("papyrus:scroll")
    assert "papyrus" in caught.value.sentence
    assert "vault" in caught.value.hint


def test_a_backend_that_is_not_installed_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    missing = registry.Backend("stone", "no_such_module:open", extra="stone")
    monkeypatch.setitem(registry.BACKENDS, "stone", missing)
    with pytest.raises(BackendMissing) as caught:
        commonplace.open("stone:tablet")
    assert "pip install 'commonplace-memory[stone]'" in caught.value.hint


def test_another_package_adds_a_backend_by_entry_point(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "shelf.py").write_text(
        "from commonplace.books.sqlite import open_sqlite as sqlite\n"
        "def open_shelf(address, settings, create):\n"
        "    return sqlite(address + '.shelf', settings, create)\n"
    )
    info = tmp_path / "shelf-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: shelf\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[commonplace.backends]\nshelf = shelf:open_shelf\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    chosen = commonplace.Settings(state=str(tmp_path / "state"), embedder="none")
    with commonplace.open(f"shelf:{tmp_path / 'book'}", settings=chosen) as book:
        assert book.save("On the shelf").action == "created"
    assert (tmp_path / "book.shelf").exists()


@pytest.mark.parametrize(
    ("url", "parts"),
    [
        ("vault:~/notes", ("vault", "~/notes")),
        ("/home/ada/notes", ("vault", "/home/ada/notes")),
        (r"C:\notes", ("vault", r"C:\notes")),
        ("sqlite:memory.db", ("sqlite", "memory.db")),
        ("postgresql://host/book", ("postgresql", "//host/book")),
    ],
)
def test_a_url_names_its_backend_and_a_path_is_a_vault(url: str, parts: tuple[str, str]) -> None:
    assert registry.split(url) == parts


def test_without_any_word_of_a_book_there_is_none(environ: dict[str, str]) -> None:
    with pytest.raises(NoBook) as caught:
        commonplace.open(settings=settings.load(environ))
    assert "commonplace init" in caught.value.hint


def test_the_environment_wins_over_the_file(environ: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text(
        "url: vault:/from/file\nranking:\n  half_life_days: 30\n  scope_weights: {agent: 0.9}\n"
    )
    read = settings.load(environ)
    assert read.url == "vault:/from/file"
    assert read.ranking.half_life_days == 30.0
    assert read.ranking.scope_weights["agent"] == 0.9
    assert read.ranking.scope_weights["book"] == 0.4
    again = settings.load({**environ, "COMMONPLACE_URL": "vault:/from/environment"})
    assert again.url == "vault:/from/environment"
    named = settings.load({**environ, "COMMONPLACE_RANKING_STALE_FACTOR": "0.25"})
    assert named.ranking.stale_factor == 0.25


def test_a_changed_file_is_read_again(environ: dict[str, str], tmp_path: Path) -> None:
    for url in ("vault:/one", "vault:/another"):
        (tmp_path / "config.yaml").write_text(f"url: {url}\n")
        assert settings.load(environ).url == url


@pytest.mark.parametrize(
    "text",
    ["urll: x\n", "url: [\n", "- a list\n", "retrieval_log: many\n", "ranking: {speed: 1}\n"],
)
def test_a_wrong_setting_is_named(environ: dict[str, str], tmp_path: Path, text: str) -> None:
    (tmp_path / "config.yaml").write_text(text)
    with pytest.raises(BadInput) as caught:
        settings.load(environ)
    assert caught.value.hint


@pytest.mark.parametrize(
    ("text", "told"),
    [("urll: vault:notes", "Did you mean url?"), ("ageing: {soft: 1}", "ageing.soft_days?")],
)
def test_a_wrong_name_is_told_with_its_file_and_what_was_meant(
    environ: dict[str, str], tmp_path: Path, text: str, told: str
) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(f"{text}\n")
    with pytest.raises(BadInput) as wrong:
        settings.load(environ)
    assert wrong.value.sentence.endswith(f" is not a setting, in {file}.")
    assert told in wrong.value.hint


def test_the_context_comes_from_the_environment() -> None:
    context = settings.context({"COMMONPLACE_USER": "ada", "COMMONPLACE_PROJECT": "x"})
    assert str(context.scope) == "/user/ada/project/x"


def test_book_in_a_locked_folder_cannot_be_read(tmp_path: Path) -> None:
    folder = tmp_path / "locked"
    folder.mkdir()
    url = f"sqlite:{folder / 'memory.db'}"
    local = commonplace.Settings(state=str(tmp_path / "state"), embedder="none")
    commonplace.open(url, create=True, settings=local).close()
    folder.chmod(0)
    try:
        with (
            held_to_permissions(),
            pytest.raises(commonplace.StoreUnavailable, match="cannot be read") as told,
        ):
            commonplace.open(url, settings=local)
    finally:
        folder.chmod(0o700)
    assert "permissions" in told.value.hint


def test_a_book_made_from_its_address_is_refused_at_once(tmp_path: Path) -> None:
    for address in (str(tmp_path / "notes"), tmp_path):
        with pytest.raises(BadInput, match="not made from its address") as refused:
            commonplace.Commonplace(address)  # pyright: ignore[reportArgumentType]
        assert "commonplace.open(" in refused.value.hint
    assert list(tmp_path.iterdir()) == []


def test_what_a_session_and_a_digest_take_is_at_the_top(tmp_path: Path) -> None:
    chosen = settings.Settings(state=str(tmp_path / "state"), embedder="none")
    with commonplace.open(f"vault:{tmp_path / 'notes'}", settings=chosen) as book:
        book.session("s1").end([commonplace.Turn("user", "I prefer tabs over spaces.")])
        few = commonplace.Budget(total=commonplace.Limit(tokens=200))
        assert "tabs" in book.prompt("tabs or spaces?", budget=few).text
    for name in commonplace.__all__:
        assert getattr(commonplace, name) is not None


def test_doctor_names_a_disk_with_hardly_any_room_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = settings.Settings(state=str(tmp_path / "state"), embedder="none")
    with commonplace.open(f"vault:{tmp_path / 'notes'}", settings=own) as book:
        assert not [one for one in book.doctor() if "room" in one.hint]
        # More than any disk has.
        monkeypatch.setattr("commonplace.books.services.LEAST_ROOM_BYTES", 1 << 62)
        [found] = [one for one in book.doctor() if "room" in one.hint]
    assert (found.where, found.severity) == (str(tmp_path / "notes"), "warning")
    assert "left" in found.what
