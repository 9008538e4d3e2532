"""What goes on while it goes on: event streams, sockets, and requests that wait for an end."""
