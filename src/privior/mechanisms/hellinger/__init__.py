"""Mechanisms that draw a table with a chance that falls with its Hellinger distance from the true one."""
