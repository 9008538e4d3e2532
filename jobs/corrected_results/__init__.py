"""Results of pages with what people corrected in them."""
