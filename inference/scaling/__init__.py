"""How many replicas of each pool are needed: pure decisions on seconds of work. Nothing here reads a clock."""
