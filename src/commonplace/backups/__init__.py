"""Backups in a folder: pages of records and events that are written once, and a list per moment.

    PLACE/
      backup.json            the format, and the id of the book
      objects/ab/abcd…       pages: lines of JSON, compressed, named by their hash
      moments/2026-11-15T122000.123Z.json    which pages make up the book at that moment
      gone/                  what was erased since, by id and keyed hash, without any text

The same for every kind of book, so that any of them can be restored as any other.
"""
