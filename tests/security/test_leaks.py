"""No sequence of saves, promotions and recalls ever shows one user another's memories."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    MultipleResults,
    RuleBasedStateMachine,
    initialize,
    invariant,
    multiple,
    rule,
)

from commonplace import Commonplace, CommonplaceError, Context, NotFound, Scope
from commonplace.books.open import open_book
from commonplace.rules import access
from commonplace.settings import Settings
from tests import as_person

WORD = "marzipan"
CONTEXTS = [
    Context(),
    Context(org="acme", role="admin"),
    Context(org="acme", user="ada", role="member"),
    Context(org="acme", user="bob", role="member", grants=frozenset({"/org/acme"})),
    Context(org="acme", user="ada", project="x", role="member"),
    Context(org="acme", user="ada", task="t1", role="member"),
    Context(org="acme", user="ada", task="t2", role="member"),
    Context(org="globex", user="ada", role="member"),
    Context(project="x", agent="coding"),
]
SCOPES = [
    "/", "/org/acme", "/org/globex", "/org/acme/user/ada", "/org/acme/user/bob",
    "/org/acme/user/Ada", "/org/globex/user/ada", "/org/acme/user/ada/project/x",
    "/org/acme/user/ada/task/t1", "/org/acme/user/bob/task/t1", "/project/x",
    "/project/x/agent/coding", "/agent/coding",
]  # fmt: skip
contexts = st.sampled_from(CONTEXTS)


class Tenants(RuleBasedStateMachine):
    """Several users share one book; what each one sees is checked after every step."""

    store = "sqlite"
    memories: Bundle[str] = Bundle("memories")

    @initialize()
    def open(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        root = Path(self.folder.name)
        self.book = open_book(
            self.url(root / "book"),
            settings=Settings(state=str(root / "s"), embedder="none"),
        )
        self.number = 0

    def url(self, place: Path) -> str:
        return f"{self.store}:{place}"

    def teardown(self) -> None:
        if hasattr(self, "book"):
            self.book.close()
            self.folder.cleanup()

    @rule(target=memories, context=contexts, scope=st.sampled_from(SCOPES))
    def save(self, context: Context, scope: str) -> str | MultipleResults[str]:
        self.number += 1
        book = self.book.as_context(context)
        try:
            saved = book.save(f"{WORD} number {self.number} of {scope}", scope=scope)
        except CommonplaceError:
            assert not access.may_write(context, Scope.parse(scope))
            return multiple()
        return saved.id

    @rule(target=memories, context=contexts, id=memories, to=st.sampled_from(SCOPES))
    def promote(self, context: Context, id: str, to: str) -> str | MultipleResults[str]:
        try:
            return self.book.as_context(context).promote(id, to).memory.id
        except CommonplaceError:
            return multiple()

    @rule(context=contexts, id=memories)
    def forget(self, context: Context, id: str) -> None:
        memory = self.book.get(id)
        try:
            self.book.as_context(context).forget(id)
        except CommonplaceError:
            return
        assert access.visible_to(context).allows(memory.scope)
        assert access.may_write(context, memory.scope)

    @rule(context=contexts, id=memories)
    def get(self, context: Context, id: str) -> None:
        scope = self.book.get(id).scope
        if access.visible_to(context).allows(scope):
            assert self.book.as_context(context).get(id).id == id
        else:
            with pytest.raises(NotFound):
                self.book.as_context(context).get(id)

    @invariant()
    def nobody_sees_a_sibling(self) -> None:
        if not hasattr(self, "book"):
            return
        for context in CONTEXTS:
            self._check(self.book.as_context(context), context)

    def _check(self, asked: Commonplace, context: Context) -> None:
        visible = access.visible_to(context)
        recalled = [hit.memory for hit in asked.recall(f"{WORD} number", limit=200)]
        listed = asked.list(include_archive=True, include_inbox=True)
        for memory in (*recalled, *listed):
            assert visible.allows(memory.scope), f"{context} saw {memory.scope}"
        # By text, because a memory and its promoted copy are shown once.
        mine = {m.content for m in self.book.list(limit=1000) if visible.allows(m.scope)}
        assert {memory.content for memory in recalled} == mine


class VaultTenants(Tenants):
    """The same in a vault, where folders are the scopes."""

    store = "vault"


class ServedTenants(Tenants):
    """The same on a server, where every user of every machine meets."""

    def url(self, place: Path) -> str:
        from tests.backends.postgres import server

        self.place = place
        return server.made(place)

    def teardown(self) -> None:
        from tests.backends.postgres import server

        if hasattr(self, "book"):
            server.give_back(self.place)
        super().teardown()


_settings = settings(
    max_examples=12,
    stateful_step_count=15,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
TestSqliteTenants = Tenants.TestCase
TestSqliteTenants.settings = _settings
TestVaultTenants = VaultTenants.TestCase
TestVaultTenants.settings = _settings
TestServedTenants = ServedTenants.TestCase
# A server answers later than a file, and the laws are the same.
TestServedTenants.settings = settings(_settings, max_examples=4, stateful_step_count=12)


def test_history_audit_and_log_keep_tenants_apart(book: Commonplace) -> None:
    ada = book.as_context({"org": "acme", "user": "ada", "role": "member"})
    bob = book.as_context({"org": "acme", "user": "bob", "role": "member"})
    secret = ada.save("Ada plans to leave in May")
    ada.recall("when does ada leave")
    assert bob.recall("Ada leave May") == []
    assert bob.audit() == []
    assert [one.query for one in bob.retrievals()] == ["Ada leave May"]
    assert bob.status().memories == 0
    for call in (
        bob.get,
        bob.history,
        bob.links,
        bob.forget,
        as_person(bob).purge,
        bob.restore,
        bob.revert,
    ):
        with pytest.raises(NotFound):
            call(secret.id)
    with pytest.raises(NotFound):
        bob.correct("Ada plans to leave in May", "Ada stays")
    assert ada.get(secret.id).status == "active"


def test_a_strangers_memories_change_neither_order_nor_score(book: Commonplace) -> None:
    ada = book.as_context({"user": "ada", "role": "member"})
    for text in ("tea in the morning", "coffee at noon and tea", "tea tea tea"):
        ada.save(text)
    before = [(hit.memory.id, hit.score) for hit in ada.recall("tea coffee")]
    bob = book.as_context({"user": "bob", "role": "member"})
    bob.save_many([f"coffee break number {n}, no tea" for n in range(60)])
    after = [(hit.memory.id, hit.score) for hit in ada.recall("tea coffee")]
    assert [id for id, _ in after] == [id for id, _ in before]
    for (_, old), (_, new) in zip(before, after, strict=True):
        assert new == pytest.approx(old, rel=1e-6)
