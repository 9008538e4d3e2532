"""The class of a document: an invoice, contract, letter, report, form or something else, by its words and its looks."""
