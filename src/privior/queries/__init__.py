"""Queries: one grammar for questions to a posterior, and their answers."""

# Questions register themselves; messages list them in this order.
from privior.queries.probability import Probability  # isort: skip
from privior.queries.mean import Mean  # isort: skip
from privior.queries.quantile import Median, Quantile  # isort: skip
from privior.queries.table import OfTable, Share  # isort: skip
from privior.queries.parameter import Parameter  # isort: skip
from privior.queries.parameters import Parameters, ParametersAnswer  # isort: skip
from privior.queries.interval import Interval  # isort: skip
from privior.queries.counts import Counts, CountsAnswer  # isort: skip
from privior.queries.models import ModelChance, Models, ModelsAnswer  # isort: skip
from privior.queries.chains import After, Stationary  # isort: skip
from privior.queries.networks import EntriesAnswer, EntriesOf, MostProbableAnswer, MostProbableOf  # isort: skip
from privior.queries.sample import Sample, SampleAnswer  # isort: skip

from privior.queries.answers import Answer, QuantityAnswer
from privior.queries.asking import ask, number_asked
from privior.queries.combined import Difference, Ratio
from privior.queries.grammar import parse
from privior.queries.questions import AnyOf, Condition, Number, Question, Word, question
