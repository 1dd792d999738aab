"""Readers for the files that other products and Commonplace itself export."""
