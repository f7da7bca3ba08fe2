"""What papers have claimed, as numbers beside the exact ones. One paper a file; no guarantee rests on these.

Every function applies one statement to one case and returns it with our verdict: sound, loose, false or
vacuous. `docs/errata.md` has the counterexamples.
"""

from privior.papers.published import (
    dirichlet,
    gibbs,
    gibbs_proofs,
    gibbs_steps,
    gibbs_strong,
    hellinger,
    networks,
    posterior_sampling,
    regression,
    reinforcement,
)
from privior.papers.published.statement import Paper, Published, Verdict
