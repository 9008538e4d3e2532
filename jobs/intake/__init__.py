"""The intake of request bodies, which are read before Django is called."""
