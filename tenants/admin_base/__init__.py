"""What every list of the operator's admin stands on."""
