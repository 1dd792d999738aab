"""Which reasoner a setting means.

rules               deterministic rules; nothing leaves this machine
openai:<model>      a model of OpenAI's
anthropic:<model>   a model of Anthropic's
http:<url>#<model>  any endpoint that speaks chat completions, such as http:http://127.0.0.1:11434/v1#qwen3
"""

from __future__ import annotations

from ..errors import BackendMissing, BadInput
from .rules import RulesReasoner
from .spending import Cap, Purse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from ..ports.auditing import Ledger
    from ..ports.reasoning import Reasoner
    from .asking import Model

NAMES = ("rules", "openai:<model>", "anthropic:<model>", "http:<url>#<model>")
KEY = "COMMONPLACE_REASONER_KEY"
"""The variable the key is in; it is never read from a file."""
OWN_KEYS = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}
"""The providers' usual variables, which are used when ours is not set."""


def open_reasoner(
    spec: str,
    *,
    cap: Cap,
    timeout_s: float,
    ledger: Ledger,
    now: Callable[[], datetime],
    environ: Mapping[str, str],
) -> Reasoner:
    """The reasoner that a setting names."""
    if spec == "rules":
        return RulesReasoner()
    kind, _, address = spec.partition(":")
    if kind not in ("openai", "anthropic", "http") or not address:
        raise BadInput(f"No reasoner is called {spec!r}.", hint=f"Use one of {', '.join(NAMES)}.")
    model = _model(kind, address, environ)
    from .llm import LlmReasoner

    return LlmReasoner(model, Purse(cap, ledger, now, model.label), timeout_s=timeout_s, now=now)


def _model(kind: str, address: str, environ: Mapping[str, str]) -> Model:
    try:
        from .asking import Model
    except ImportError as error:
        raise BackendMissing(
            "A model as reasoner needs pydantic-ai, which is not installed.",
            hint="Run `pip install 'commonplace[llm]'`.",
        ) from error
    key = environ.get(KEY, "") or environ.get(OWN_KEYS.get(kind, ""), "")
    if not (key.isascii() and key.isprintable()):
        raise BadInput("The reasoner's key is not one line of plain characters.")
    if kind != "http":
        return Model(kind, address, key.strip())
    url, _, name = address.partition("#")
    if not url.startswith(("http://", "https://")) or not name:
        raise BadInput(
            "A reasoner behind an address needs the address and a model.",
            hint="Write it like http:http://127.0.0.1:11434/v1#qwen3.",
        )
    return Model(kind, name, key.strip(), url)
