"""Posteriors of finite families: which of a few models it is."""
