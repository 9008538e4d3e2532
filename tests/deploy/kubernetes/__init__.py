"""Reads, checks and plays the manifests of deploy/kubernetes, without a cluster."""
