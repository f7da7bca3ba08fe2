"""Regressions: weights, noise variance and latent moments together, given noisy moments."""
