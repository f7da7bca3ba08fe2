"""Error as mathematics: what a release will cost in accuracy, exactly where that is known. No data, no noise.

Exact: `histogram_loss`, `draw_divergence`, `dirichlet_prior`, `two_level_release`. What papers have stated
about error, each as a number with a verdict and the exact number beside it: `histogram_utility` and
`prior_utility` (Dirichlet posterior sampling), `hellinger_accuracy` and `hellinger_comparison`, and
`sampling_utility` (answers from posterior draws, or from another prior than one's own), `distinguishing` and
`smooth_examples` (testers who see draws; examples of smooth likelihoods). What the best test can do with N
draws: `likelihood_ratio`; how a prior concentrates on smooth parameters: `stochastic_lipschitz`.
`docs/errata.md` has the counterexamples.
"""
