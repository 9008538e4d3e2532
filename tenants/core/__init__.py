"""What every app stands on, and what knows of no product: database work, errors, ids, ASGI, outgoing HTTP."""
