"""The order of the lines on a page, and the blocks that they form: pure geometry and text, without pictures."""
