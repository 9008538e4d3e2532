"""What jobs hold and charge, and whether the books agree with that."""
