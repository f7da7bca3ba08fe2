"""What follows from releases of networks: their tables, and what these say together."""
