"""The whole product under load while its processes are killed: nothing that was accepted is lost or charged twice."""
