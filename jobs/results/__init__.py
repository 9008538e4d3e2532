"""Results of jobs: their storage, reuse and export."""
