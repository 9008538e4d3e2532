"""Tables of a page: their cells from words and rules, as pure geometry, and their forms in other formats."""
