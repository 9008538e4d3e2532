"""The parts that last longer than a usual request: event streams, sockets, and requests that wait for an end."""
