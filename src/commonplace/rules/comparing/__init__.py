"""Rules about two memories: do they say the same, and can both be true?"""
