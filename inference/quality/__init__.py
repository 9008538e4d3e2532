"""How well a page was read: its quality from 0 to 1, and warnings in plain sentences."""
