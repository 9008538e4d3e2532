"""Stripe as an implementation of the provider interface: requests, parsing of responses, and events."""
