"""Error as mathematics: what a release will cost in accuracy, exactly where that is known. No data, no noise.

Exact values: `histogram_loss` and `draw_divergence`. What papers have stated about error, as numbers
beside the exact ones and with a verdict: `dirichlet_utility` and `hellinger_accuracy`.
"""
