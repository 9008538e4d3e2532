"""The basis of every page of the dashboard: the frame, the account, and the format of times."""
