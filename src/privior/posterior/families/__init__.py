"""Posteriors of families: of one parameter on a grid, of several by Markov chains over the unknown sums."""
