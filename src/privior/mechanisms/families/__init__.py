"""Mechanisms for families of one or several parameters: noise on sums, or draws of parameters and models."""
