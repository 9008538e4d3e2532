"""The judgment of a reading: its quality from 0 to 1, and warnings in plain sentences."""
