"""The shared parts of workers: the placement of models, queues, heartbeats and figures."""
