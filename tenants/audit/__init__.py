"""Who changed what in an account, from where and when: rows that are added and never changed."""
