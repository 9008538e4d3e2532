"""The ASGI application of the web process: request guard, then health, live (uploads, waits, sockets), then Django."""

from maas.web_processes.loaded import Front

application = Front.from_settings()
