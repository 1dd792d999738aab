"""The cipher: what it seals only its keys open, wherever these are kept."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import keyring
import pytest
from hypothesis import given
from hypothesis import strategies as st
from keyring.backends.fail import Keyring as NoKeyring

from commonplace import BadInput, Damaged, NotAllowed, Refused
from commonplace.backends.ciphers.fernet import (
    VARIABLE,
    FernetCipher,
    key_id,
    key_store_for,
    make_key,
)
from commonplace.model.errors import Unavailable
from commonplace.notes import display
from tests.backends.ciphers.file_keyring import FileKeyring

KEY = make_key()


@pytest.fixture
def _keyring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("KEYRING_FILE", str(tmp_path / "keyring.json"))
    before = keyring.get_keyring()
    keyring.set_keyring(FileKeyring())
    yield
    keyring.set_keyring(before)


def with_keys(*keys: str) -> FernetCipher:
    return FernetCipher(key_store_for("book", {VARIABLE: " ".join(keys)}))


@given(st.text(min_size=1))
def test_what_was_sealed_comes_back_and_is_not_in_the_sealed_text(text: str) -> None:
    cipher = with_keys(KEY)
    sealed = cipher.encrypt(text)
    assert cipher.decrypt(sealed) == text
    assert "\n" not in sealed
    assert display.sealed_parts(sealed) is not None
    assert cipher.encrypt(text) != sealed


def test_another_key_opens_nothing() -> None:
    sealed = with_keys(KEY).encrypt("the cabin's wifi")
    with pytest.raises(NotAllowed, match=key_id(KEY)):
        with_keys(make_key()).decrypt(sealed)


def test_an_old_key_still_opens_and_the_first_one_seals() -> None:
    new = make_key()
    sealed = with_keys(KEY).encrypt("the cabin's wifi")
    both = with_keys(new, KEY)
    assert both.decrypt(sealed) == "the cabin's wifi"
    assert both.encrypt("x").startswith(f"sealed:v1:{key_id(new)}:")
    assert both.keys().ids == (key_id(new), key_id(KEY))


def test_a_changed_text_is_told_from_a_missing_key() -> None:
    cipher = with_keys(KEY)
    sealed = cipher.encrypt("the cabin's wifi")
    swapped = sealed[:-9] + ("A" if sealed[-9] != "A" else "B") + sealed[-8:]
    with pytest.raises(Damaged):
        cipher.decrypt(swapped)
    with pytest.raises(Damaged):
        cipher.decrypt("the cabin's wifi")


def test_a_key_that_is_none_is_refused_without_being_repeated() -> None:
    with pytest.raises(BadInput) as failure:
        with_keys("correct-horse").encrypt("x")
    assert "correct-horse" not in str(failure.value)


def test_a_key_is_never_in_what_is_told_about_keys() -> None:
    told = with_keys(KEY).keys()
    assert KEY not in repr(told)
    assert told.ids == (key_id(KEY),)
    assert VARIABLE in told.where


def test_keys_of_the_environment_are_not_ours_to_change() -> None:
    with pytest.raises(Unavailable):
        with_keys(KEY).new_key()


@pytest.mark.usefixtures("_keyring")
def test_the_keyring_keeps_the_keys_of_each_book_apart() -> None:
    one, other = (FernetCipher(key_store_for(book, {})) for book in ("one", "other"))
    with pytest.raises(Refused, match="no key"):
        one.encrypt("x")
    first = one.new_key()
    second = one.new_key()
    assert one.keys().ids == (second, first)
    assert other.keys().ids == ()
    one.drop_keys([first])
    assert one.keys().ids == (second,)


def test_without_a_keyring_the_way_out_is_said() -> None:
    before = keyring.get_keyring()
    keyring.set_keyring(NoKeyring())
    try:
        with pytest.raises(Unavailable, match=VARIABLE):
            FernetCipher(key_store_for("book", {})).new_key()
    finally:
        keyring.set_keyring(before)
