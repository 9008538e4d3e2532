-- What answered a job can be looked up later: a trained version is added and deleted, and never changed.
REVOKE UPDATE ON jobs_classsetversion FROM maas_app, maas_operator;
