"""The script of a line: Latin, Cyrillic, Arabic, … or handwriting, by what the text recognition makes of it."""
