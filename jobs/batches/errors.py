"""The errors of requests about files and batches."""

from tenants.core.errors import DomainError


class FileInUse(DomainError):
    code = "file_in_use"


class TooManyFiles(DomainError):
    code = "too_many_files"
    gate = "stored_files"


class BatchFinished(DomainError):
    code = "batch_finished"


class TooManyBatches(DomainError):
    code = "too_many_batches"
    gate = "unfinished_batches"
