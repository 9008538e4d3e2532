"""The traffic of days in minutes: the production policy on requests and replicas under a clock that only counts."""
