"""What happened to jobs, written down, and the hints that something did."""
