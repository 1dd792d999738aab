"""What a host of MCP bundles starts: the memory over standard input and output."""

import os
import sys

from commonplace import settings
from commonplace.__main__ import main
from commonplace.doors.default_book import create_book

if __name__ == "__main__":
    # Whoever installs a bundle has perhaps no terminal in which to make a book.
    if settings.load(os.environ).url is None:
        create_book(None, os.environ)
    sys.argv[1:] = ["mcp"]
    sys.exit(main())
