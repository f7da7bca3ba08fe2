"""What somebody needs who writes a model or a mechanism of her own, outside privior.

    model        subclass `Family` (one parameter), `JointFamily`, `DirichletTable`, `Network`, `Model`;
                 MODELS.register
    mechanism    subclass `SumNoise` (noise on sums), `TableMechanism`, `NodeTables` (noise on the tables of a
                 network) or `Mechanism`; MECHANISMS.register
    loss         of a Gibbs posterior: subclass `Loss`, state its constants; LOSSES.register
    posterior    for a model of another kind: subclass `Posterior`, posterior_for(YourModel)
    forecast     likewise: subclass `Forecaster`, FORECASTERS.register(YourModel)

`privior.testing` checks what you wrote; `examples/own_model.py` is a whole example. A guarantee that comes
from such code is called declared, everywhere: privior has not proved it.
"""

from privior.errors import InferenceError, ModelError, PlanError
from privior.forecasting import FORECASTERS, Forecast, Forecaster, error_law
from privior.mechanisms import (
    MECHANISMS,
    Asked,
    CellNoise,
    Mechanism,
    NetworkMechanism,
    NodeTables,
    Offer,
    PublicFacts,
    SumNoise,
    TableMechanism,
)
from privior.models import (
    LOSSES,
    MODELS,
    DirichletTable,
    ExactStatistics,
    Factor,
    Family,
    JointFamily,
    Layout,
    Loss,
    Model,
    Network,
    Observed,
    Summand,
    SummedModel,
    TableModel,
)
from privior.models.laws import Conjugate, Law
from privior.posterior import Posterior, posterior_for
from privior.privacy import DominatingPair, Guarantee, Sensitivity, SignedSteps
from privior.schema import Schema

__all__ = [
    "FORECASTERS",
    "LOSSES",
    "MECHANISMS",
    "MODELS",
    "Asked",
    "CellNoise",
    "Conjugate",
    "DirichletTable",
    "DominatingPair",
    "ExactStatistics",
    "Factor",
    "Family",
    "Forecast",
    "Forecaster",
    "Guarantee",
    "InferenceError",
    "JointFamily",
    "Law",
    "Layout",
    "Loss",
    "Mechanism",
    "Model",
    "ModelError",
    "Network",
    "NetworkMechanism",
    "NodeTables",
    "Observed",
    "Offer",
    "PlanError",
    "Posterior",
    "PublicFacts",
    "Schema",
    "Sensitivity",
    "SignedSteps",
    "SumNoise",
    "Summand",
    "SummedModel",
    "TableMechanism",
    "TableModel",
    "error_law",
    "posterior_for",
]
