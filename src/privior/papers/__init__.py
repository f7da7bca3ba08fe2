"""The papers that privior began with: what they state, what is true, and their figures made anew.

Nobody who plans, releases or infers needs this ring, and no other part but the command line imports it.
`published` has what they claim about privacy, each as a number with a verdict; `sampling_utility`,
`distinguishing`, `stealth` and `dirichlet_prior` what they claim about error, testers and negative cells.
`theorems` puts lemmas and theorems beside the analysis of a model, `compared` beside a calculation; `studies`
makes figures anew.
`docs/errata.md` has the counterexamples.
"""

from privior.papers.compared import statements
from privior.papers.lemmas import Theorems, theorems
