"""Decides which pool of workers serves the work of a tenant, by its tier and by what each pool can do now. Pure."""
