"""Who works with meaning: deterministic rules, or a model with the rules to fall back on."""
