"""Stripe behind the interface of providers: what it is asked, how its words are read, and what it tells by itself."""
