"""What has changed since a process read it: the rows that triggers write into `tenants_change`."""
