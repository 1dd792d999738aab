"""Code that several backend families share: SQLite, ledger tables, leases, HTTP, arithmetic."""
