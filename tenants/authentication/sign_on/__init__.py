"""Signing in through another service: an OpenID provider, Google, GitHub or Microsoft, where the operator set it up."""
