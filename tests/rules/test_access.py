"""The laws of scopes: who sees what, who writes where."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.model.errors import BadScope, NotAllowed
from commonplace.model.scope import DIMENSIONS, Context, Scope, subsets
from commonplace.rules import access

values = st.sampled_from(["acme", "globex", "42", "43", "mech-fighters"])
dimensions = st.sampled_from(list[str](DIMENSIONS))
scopes = st.dictionaries(dimensions, values).map(Scope.of)
contexts = st.builds(
    lambda pairs, role: Context(**pairs, role=role),
    st.dictionaries(dimensions, values),
    st.sampled_from(["owner", "member", "admin"]),
)


@given(contexts, scopes)
def test_a_visible_memory_never_contradicts_the_context(context: Context, scope: Scope) -> None:
    if context.scope.pairs and access.visible_to(context).allows(scope):
        mine = dict(context.scope.pairs)
        for dimension, value in scope.pairs:
            if dimension == "task" and context.task is None:
                continue
            assert mine.get(dimension) == value


@given(contexts, scopes)
def test_every_subset_of_the_context_is_visible(context: Context, scope: Scope) -> None:
    if set(scope.pairs) <= set(context.scope.pairs):
        assert access.visible_to(context).allows(scope)


@given(contexts)
def test_a_context_needs_at_most_32_exact_scopes(context: Context) -> None:
    assert len(access.visible_to(context).scopes) <= 32


@given(scopes)
def test_a_scope_reads_back_from_its_path(scope: Scope) -> None:
    assert Scope.parse(str(scope)) == scope


@given(contexts, scopes)
def test_a_member_writes_only_its_own_user_or_what_it_was_granted(
    context: Context, scope: Scope
) -> None:
    if context.role == "member" and access.may_write(context, scope):
        assert scope.value("user") == context.user
        assert context.user is not None
        assert scope.value("org") == context.org


def test_siblings_never_see_each_other() -> None:
    ada, bob = Scope.parse("/org/acme/user/ada"), Scope.parse("/org/acme/user/bob")
    seen = access.visible_to(Context(org="acme", user="ada", role="member"))
    assert seen.allows(ada)
    assert not seen.allows(bob)


def test_an_org_role_does_not_read_its_users() -> None:
    seen = access.visible_to(Context(org="acme", role="admin"))
    assert seen.allows(Scope.parse("/org/acme"))
    assert not seen.allows(Scope.parse("/org/acme/user/ada"))


def test_a_user_reads_its_own_tasks_but_a_task_not_its_siblings() -> None:
    task = Scope.parse("/user/ada/task/migrate")
    assert access.visible_to(Context(user="ada", role="member")).allows(task)
    assert not access.visible_to(Context(user="bob", role="member")).allows(task)
    assert not access.visible_to(Context(user="ada", task="other", role="member")).allows(task)


def test_the_owner_without_a_context_sees_the_whole_book() -> None:
    assert access.visible_to(Context()).allows(Scope.parse("/org/acme/user/ada/task/x"))


@pytest.mark.parametrize(
    ("context", "home"),
    [
        ({"project": "mech", "agent": "coding", "task": "t-1"}, "/project/mech"),
        ({"org": "acme", "user": "ada", "project": "mech", "agent": "coding"},
         "/org/acme/user/ada/project/mech"),
        ({"user": "ada", "agent": "coding"}, "/user/ada"),
        ({"agent": "coding"}, "/"),
        ({}, "/"),
    ],
)  # fmt: skip
def test_what_is_learned_in_a_project_is_the_project_s(context: dict[str, str], home: str) -> None:
    assert str(access.write_scope(Context.of(context), None)) == home


def test_a_narrower_scope_is_written_when_it_is_named() -> None:
    context = Context(project="mech", agent="coding")
    assert str(access.write_scope(context, context.scope)) == "/project/mech/agent/coding"
    override = access.write_scope(context.but(task="t-1"), None, "override")
    assert str(override) == "/project/mech/agent/coding"


def test_only_an_admin_writes_the_root() -> None:
    root = Scope()
    assert access.may_write(Context(org="acme", role="admin"), root)
    with pytest.raises(NotAllowed):
        access.require_writable(Context(org="acme", user="ada", role="member"), root)


def test_an_admin_writes_what_users_share_and_nothing_of_theirs() -> None:
    admin = Context(org="acme", user="root", role="admin")
    for path in ("/org/acme", "/org/acme/project/x", "/org/acme/agent/a", "/org/acme/user/root"):
        assert access.may_write(admin, Scope.parse(path))
    for path in ("/org/acme/user/ada", "/org/acme/user/ada/project/x", "/org/globex/project/x"):
        assert not access.may_write(admin, Scope.parse(path))


@given(contexts, scopes)
def test_nobody_but_the_owner_writes_another_user_s_scope(context: Context, scope: Scope) -> None:
    if context.role != "owner" and scope.value("user") not in (None, context.user):
        assert not access.may_write(context, scope)


def test_an_org_scope_takes_a_grant() -> None:
    org = Scope.parse("/org/acme")
    assert not access.may_write(Context(org="acme", user="ada", role="member"), org)
    granted = Context(org="acme", user="ada", role="member", grants=frozenset({"/org/acme"}))
    assert access.may_write(granted, org)
    elsewhere = Context(org="globex", user="ada", role="member", grants=frozenset({"/org/acme"}))
    assert not access.may_write(elsewhere, org)


def test_promotion_goes_strictly_upward() -> None:
    project = Scope.parse("/project/x")
    override = Scope.parse("/project/x/agent/coding")
    access.require_promotable(override, project)
    for bad in (override, Scope.parse("/project/y"), Scope.parse("/user/ada")):
        with pytest.raises(BadScope):
            access.require_promotable(override if bad != override else project, bad)


def test_weights_follow_specificity() -> None:
    def weight(path: str) -> float:
        return access.scope_weight(Scope.parse(path))

    assert weight("/") < weight("/agent/coding") < weight("/project/x")
    assert weight("/project/x") < weight("/project/x/agent/coding")
    assert weight("/org/acme/user/ada") == weight("/user/ada")


def test_subsets_of_two_pairs() -> None:
    found = {str(scope) for scope in subsets((("org", "acme"), ("user", "ada")))}
    assert found == {"/", "/org/acme", "/user/ada", "/org/acme/user/ada"}


@pytest.mark.parametrize(
    "path",
    [
        "/project",
        "/planet/mars",
        "/project/../user/x",
        "/project/a\x00b",
        "/user/ ",
        "/user/" + "x" * 101,
    ],
)
def test_what_is_no_scope_is_refused(path: str) -> None:
    with pytest.raises(BadScope):
        Scope.parse(path)


def test_a_context_rejects_unknown_names_and_roles() -> None:
    with pytest.raises(BadScope):
        Context.of({"planet": "mars"})
    with pytest.raises(BadScope):
        Context(role="king")
