"""Decisions: which response is best by a utility, given what was released. Free, as often as one likes."""

from privior.decisions.actions import ChoiceOfActions, CostMatrix, Threshold
from privior.decisions.choice import Choice, RatedResponse
from privior.decisions.decision import Decision
from privior.decisions.documents import UTILITIES, settings_of, utility_from_text, utility_named
from privior.decisions.interval_score import IntervalScore
from privior.decisions.point_losses import AbsoluteError, QuantileLoss, SquaredError
from privior.decisions.prior_loss import PriorLoss
from privior.decisions.responses import ResponseGrid, ResponseInterval
from privior.decisions.utility import Utility
from privior.decisions.ways import Way, Ways
from privior.decisions.zero_one import ZeroOne
