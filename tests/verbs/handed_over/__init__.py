"""198 prompts to six books, each with the memories that should be handed over with it.

`wanted` names memories that the answer needs; `fine` names those that do no harm. All others are
noise. The first three books are for tuning, the last three only for the final figures.
"""
