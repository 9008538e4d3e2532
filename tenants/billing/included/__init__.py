"""Units that a plan's fee has paid for, as a prepaid account uses them up: at once."""
