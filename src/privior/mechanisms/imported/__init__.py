"""Noisy numbers that others made: laws of their noise, and what was done to them before."""
