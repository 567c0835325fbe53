"""Us, the peers and the floor in one run and on one page: scripts/bench."""
