"""The geometry of page pictures: which way up they are, how far askew, and where the sheet lies in a photograph."""
