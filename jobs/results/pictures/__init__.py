"""Pictures of pages as they were read: upright, with the sheet cut out of a photograph."""
