"""What the product sends to addresses that tenants name, and that nothing of it reaches what is not public."""
