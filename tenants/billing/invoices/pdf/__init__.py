"""Invoices on paper: from what never changes, byte by byte the same whenever they are asked for."""
