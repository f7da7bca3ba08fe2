"""Laws of parameters: priors, and the posteriors that follow from them, as values with exact parameters.

- `Beta`, `Gamma`, `Normal`: the conjugate ones
- `Truncated`: one of them, cut to an interval
- `Reweighted`: one of these, with less weight on sensitive parameters
- `NormalGamma`, `MultivariateNormal`, `Wishart`: of several parameters together
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from privior.models.laws.conjugate import Beta, Conjugate, Ends, Gamma, Normal
    from privior.models.laws.documents import Law, to_law
    from privior.models.laws.joint import JointLaw, MultivariateNormal, NormalGamma, Wishart, to_joint_law
    from privior.models.laws.reweighted import Piece, Reweighted
    from privior.models.laws.truncated import Truncated
else:
    from privior.contents import contents

    __getattr__ = contents(__name__)
