"""The panel: web pages on which people browse, edit and decide."""
