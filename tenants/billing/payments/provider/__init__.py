"""What a payment provider must do, whichever it is."""
