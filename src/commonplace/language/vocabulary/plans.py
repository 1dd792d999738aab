"""Verbs with which an assistant says what it does, in the forms that it uses."""

from __future__ import annotations

_REGULAR = """
add address answer arrange assign book build bundle call change check choose clean close commit
connect cook cool copy create cut debug default delete deliver deploy design document download drop
enable encode export fetch file fill fix format generate handle heat import include indent install
invite invoice keep label launch list load log mail make mark merge migrate mix mount move name
note offer open order pack paint park pay pick pin plan plant play post prepare print process prune
publish pull push put quote raise read rebuild record release rename render repeat replace reply
redo report request reserve reset resize restart restore retry return roll rotate round route run
save schedule seed sell send serve set share ship show sign sort split start stop store
submit switch tag take target teach test track train translate update upgrade upload use validate
wait warn wash water wire wrap write
"""
_DOUBLING = """
commit cut debug drop log pin plan put reset run set ship split stop submit tag wrap
"""
_DOUBLED = frozenset(_DOUBLING.split())
"""Verbs whose last letter is doubled before an ending."""
_DID = {
    "build": "built", "choose": "chose", "cut": "cut", "keep": "kept", "make": "made",
    "pay": "paid", "put": "put", "read": "read", "rebuild": "rebuilt", "redo": "redid",
    "reset": "reset", "run": "ran", "sell": "sold", "send": "sent", "set": "set", "show": "showed",
    "split": "split", "take": "took", "teach": "taught", "write": "wrote",
}  # fmt: skip
_DONE = {
    "choose": "chosen", "redo": "redone", "run": "run", "show": "shown", "take": "taken",
    "write": "written",
}  # fmt: skip


def _stem(verb: str) -> str:
    if verb.endswith("e"):
        return verb[:-1]
    return verb + verb[-1] if verb in _DOUBLED else verb


def _past(verb: str) -> str:
    if verb.endswith("y") and verb[-2] not in "aeo":
        return f"{verb[:-1]}ied"
    return _DID.get(verb, f"{_stem(verb)}ed")


BASE_VERBS = {
    form: verb
    for verb in _REGULAR.split()
    for form in (verb, f"{_stem(verb)}ing", _past(verb), _DONE.get(verb, verb))
}
"""Each form (`deploying`, `deployed`) with its verb (`deploy`)."""
HABITS = frozenset({
    *_REGULAR.split(), "buy", "drink", "eat", "feed", "live", "meet", "pay", "speak", "work",
}) - {"wait", "stop", "start", "check", "return", "repeat", "show", "restart", "note"}  # fmt: skip
"""Verbs of what a group does in general, and not only next."""
