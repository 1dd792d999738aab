"""Kinds of work, by the words that prompts ask for them with and that standing rules name them by.

`Use pnpm, never npm` applies to `install lodash`, which has none of its words.
"""

from __future__ import annotations

_ACTIVITIES = (
    # packages
    (
        "install reinstall upgrade uninstall dependency dependencies package packages library"
        " libraries installiere installieren paket installe installer paquet instala instalar"
        " paquete",
        "npm pnpm yarn bun pip uv poetry conda cargo brew apt npx pipx bundler composer",
    ),
    # dates
    (
        "date dates deadline day due calendar appointment birthday schedule departure arrival datum"
        " termin fecha",
        "date dates mm/dd dd.mm dd/mm yyyy iso weekday datum daten fechas",
    ),
    # money
    (
        "price prices cost costs total amount amounts fee fees invoice invoices quote quotes salary"
        " preis preise betrag rechnung prix montant precio",
        "price prices money currency currencies cents euro euros dollars amounts"
        " preise beträge prix precios",
    ),
    # colours
    (
        "color colors colour colours reddish bluish greenish red blue green yellow background dark",
        "color colors colour colours palette hex",
    ),
    # figures
    (
        "plot plots chart charts graph figure figures histogram diagram scatter curve curves",
        "figure figures chart charts plot plots palette axis",
    ),
    # databases
    ("query queries sql join joins select subquery view", "sql query queries cte ctes"),
    # texts that users read
    (
        "tooltip tooltips label labels caption placeholder wording teaser headline banner message",
        "user-facing player-facing visible texts strings copy wording tone",
    ),
    # changes
    ("commit commits committing", "commit commits"),
    ("push merge pr prs", "push merge pull-request prs"),
    # measures
    (
        "distance km miles weight height temperature length kg pounds degrees litres speed",
        "metric imperial units celsius fahrenheit kilometres",
    ),
    # times
    ("time times timestamp timestamps hour hours timezone", "utc timezone 24-hour 12-hour clock"),
    # letters
    (
        "mail mails email emails letter letters newsletter invitation reply",
        "mail mails email emails letter letters salutation greeting signature sign",
    ),
    # output
    ("print prints logging log logs debug", "log logs logging print logger"),
    # tests
    (
        "test tests tested testing coverage spec specs regression",
        "test tests unittest pytest jest vitest mocks",
    ),
    # translation
    ("translate translation translations", "translate translation translations"),
    # releases
    (
        "release releases version ship publish tag",
        "release releases releasing changelog user-visible version versions tag tags",
    ),
    # branches
    ("branch branches", "branch branches"),
    # schemas
    (
        "migration migrations migrate schema table tables column columns field alter",
        "migration migrations migrate schema schemas ddl",
    ),
    # documentation
    (
        "document docs documentation docstring docstrings readme",
        "docstring docstrings docs documentation readme",
    ),
    # deployments
    ("deploy deployment production rollout", "deploy deploys deploying deployment deployments"),
)  # fmt: skip
ACTIVITIES: tuple[tuple[frozenset[str], frozenset[str]], ...] = tuple(
    (frozenset(asked.split()), frozenset(named.split())) for asked, named in _ACTIVITIES
)
"""For each kind of work the words of prompts, and the words of rules."""
