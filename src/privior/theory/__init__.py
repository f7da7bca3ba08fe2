"""What the best test can do with N draws, and what answers from draws or from another prior lose. No data.

`likelihood_ratio`, `sampling_loss`, `draw_divergence`: proved, and used by analyses and decisions.
"""
