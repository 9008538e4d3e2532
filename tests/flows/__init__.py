"""Tests what a buyer would try: the whole product from outside, by HTTP, websocket, command line and signal."""
