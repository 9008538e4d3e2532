"""What every page of the dashboard stands on: the frame, its account, and how times are written."""
