"""The reasons why language data cannot be had. The product starts without it."""


class NotToBeHad(Exception):
    """The error for language data that cannot be fetched. The message says why."""


class WrongData(NotToBeHad):
    """The error for a file whose content is not the known one."""
