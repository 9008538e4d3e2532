"""Reasons why something of another cell was not taken."""


class PartRefused(Exception):
    """The error for a part that cannot be applied in this cell. Its text says why, for the operator."""


class StorageAway(PartRefused):
    """The error for a file that the storage of this cell does not show or keep. Other files meet it as well."""


class CellAway(Exception):
    """The error for a cell that does not answer, or not in time or not in full. Its text says how."""


class DocumentRefused(Exception):
    """The error for a document that is not taken at all: its signature is wrong, or it is older than the last."""
