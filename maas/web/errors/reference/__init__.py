"""What each error code means, as a page: the address that a problem's `type` names."""
