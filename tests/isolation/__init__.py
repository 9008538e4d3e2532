"""Nothing of one tenant is seen by another, through whatever address there is."""
