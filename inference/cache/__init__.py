"""Cache results, so that the same input is answered again without a run. They are stored in the process and in the
cache Redis, separately for each tenant.
"""
