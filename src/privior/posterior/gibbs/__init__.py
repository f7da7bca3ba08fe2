"""Draws of Gibbs posteriors: what one or several of them say, and what they cannot say."""
