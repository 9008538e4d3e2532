"""The last API requests of each tenant, and the number of requests of all tenants in each minute, to be looked at."""
