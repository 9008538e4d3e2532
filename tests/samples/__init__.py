"""Documents made in code for tests: good ones, and ones made to do harm."""
