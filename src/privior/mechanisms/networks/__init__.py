"""Mechanisms for all tables of a network: noise on counts or parities, or draws of the tables."""
