"""The program of a model host, which the sandbox runs as a package of its own. It reaches nothing else."""
