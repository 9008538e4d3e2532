"""The words that all parts of inference share: what is asked, what is answered, what can go wrong."""
