"""The last requests of each tenant to the API, and how many of all tenants there were each minute; for looking at."""
