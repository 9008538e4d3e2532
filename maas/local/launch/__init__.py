"""Starts the whole product on one machine: services, preparation steps, processes, and a message on what to do next."""
