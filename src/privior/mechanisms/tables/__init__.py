"""Mechanisms for one table of counts: noise on every cell, or draws of the cells' probabilities."""
