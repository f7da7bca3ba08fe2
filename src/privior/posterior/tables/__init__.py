"""Posteriors of tables: the probabilities of cells, the true counts, the transitions of a Markov chain."""
