"""How a new memory relates to a known one: the same, a replacement, an addition, or another.

- `claims`, `claim_patterns`: read what a text says of which thing, and what it denies.
- `differences`: find the number, name, time or negation that keeps two texts apart.
- `duplicates`: decide whether two texts are the **same**, belong together, or are **other**.
- `slots`: tell two values of one thing from the same said of two things, by the form of texts.
- `contradiction`: judge by rules whether two texts can both be true.
- `verdict`: settle what these rules and the judge, a model, say of two texts.
- `replacement`: decide whether a memory **replaces** another, and make the records for it. Its
  docstring lists the other places that decide this.
- `merge`: make one memory of two when one **adds** to the other, without losing a statement.

Word lists are in `language.vocabulary`; the gates of a save (`engine.gates`) ask in this order.
"""
