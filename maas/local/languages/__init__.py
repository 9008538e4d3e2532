"""Fetches the language data for text recognition in other scripts into MAAS_HOME."""
