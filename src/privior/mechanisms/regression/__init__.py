"""Mechanisms for models of a formula: noise on moments, draws and minimisers of weights."""
