"""The basis of every app, independent of any product: database work, errors, ids, ASGI, outgoing HTTP."""
