"""The geometry of page pictures: their turn, their skew, and the sheet in a photograph."""
