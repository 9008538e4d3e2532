"""The interface that every payment provider implements."""
