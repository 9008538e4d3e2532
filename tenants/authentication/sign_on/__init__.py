"""Sign-in through another service that the operator has set up: an OpenID provider, Google, GitHub or Microsoft."""
