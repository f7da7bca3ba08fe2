"""privior: differentially private Bayesian inference.

    plan (free, no data)  ->  measure (spends, reads the data)  ->  infer (free)  ->  ask (free)

This file is the table of contents. Names are resolved when first used, so that a program which only reads
releases never loads the parts that can read rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

__version__ = "0.4.0"

if TYPE_CHECKING:
    from privior.analyses import Analysis as Analysis
    from privior.analyses import histogram_for as histogram_for
    from privior.auditing import EnumerationAudit as EnumerationAudit
    from privior.auditing import audit as audit
    from privior.bundled import ACS_RECORDS as ACS_RECORDS
    from privior.bundled import acs_schema as acs_schema
    from privior.bundled import acs_table as acs_table
    from privior.curator import measure as measure
    from privior.curator import measure_all as measure_all
    from privior.decisions import AbsoluteError as AbsoluteError
    from privior.decisions import ChoiceOfActions as ChoiceOfActions
    from privior.decisions import CostMatrix as CostMatrix
    from privior.decisions import Decision as Decision
    from privior.decisions import IntervalScore as IntervalScore
    from privior.decisions import QuantileLoss as QuantileLoss
    from privior.decisions import ResponseGrid as ResponseGrid
    from privior.decisions import ResponseInterval as ResponseInterval
    from privior.decisions import SquaredError as SquaredError
    from privior.decisions import Threshold as Threshold
    from privior.decisions import ZeroOne as ZeroOne
    from privior.errors import AuditError as AuditError
    from privior.errors import BudgetExceededError as BudgetExceededError
    from privior.errors import DecisionError as DecisionError
    from privior.errors import InferenceError as InferenceError
    from privior.errors import KeyConflictError as KeyConflictError
    from privior.errors import LedgerError as LedgerError
    from privior.errors import ModelError as ModelError
    from privior.errors import NumberError as NumberError
    from privior.errors import PlanError as PlanError
    from privior.errors import PriviorError as PriviorError
    from privior.errors import QuestionError as QuestionError
    from privior.errors import ReleaseError as ReleaseError
    from privior.errors import ReleaseFailedError as ReleaseFailedError
    from privior.errors import ReleaseInterruptedError as ReleaseInterruptedError
    from privior.errors import SchemaError as SchemaError
    from privior.errors import TableError as TableError
    from privior.errors import UnknownSpendError as UnknownSpendError
    from privior.forecasting import Expect as Expect
    from privior.ledger import Ledger as Ledger
    from privior.mechanisms import AS_DRAWN as AS_DRAWN
    from privior.mechanisms import EHD as EHD
    from privior.mechanisms import EHDL as EHDL
    from privior.mechanisms import EHDS as EHDS
    from privior.mechanisms import BallDraw as BallDraw
    from privior.mechanisms import DirichletDraw as DirichletDraw
    from privior.mechanisms import FourierTables as FourierTables
    from privior.mechanisms import GaussianCounts as GaussianCounts
    from privior.mechanisms import GaussianMoments as GaussianMoments
    from privior.mechanisms import GaussianNoise as GaussianNoise
    from privior.mechanisms import GaussianTables as GaussianTables
    from privior.mechanisms import GibbsDraws as GibbsDraws
    from privior.mechanisms import ImportedNumbers as ImportedNumbers
    from privior.mechanisms import KNorm as KNorm
    from privior.mechanisms import LaplaceCounts as LaplaceCounts
    from privior.mechanisms import LaplaceMoments as LaplaceMoments
    from privior.mechanisms import LaplaceNoise as LaplaceNoise
    from privior.mechanisms import LaplaceTables as LaplaceTables
    from privior.mechanisms import LSDim as LSDim
    from privior.mechanisms import LSHist as LSHist
    from privior.mechanisms import ModelDraws as ModelDraws
    from privior.mechanisms import NetworkDraws as NetworkDraws
    from privior.mechanisms import NoisyStatistics as NoisyStatistics
    from privior.mechanisms import ObjectivePerturbation as ObjectivePerturbation
    from privior.mechanisms import PosteriorDraws as PosteriorDraws
    from privior.mechanisms import PublishedLaplace as PublishedLaplace
    from privior.mechanisms import Treatment as Treatment
    from privior.mechanisms import TruncatedNetworkDraws as TruncatedNetworkDraws
    from privior.mechanisms import VirtualRecords as VirtualRecords
    from privior.models import BayesianNetwork as BayesianNetwork
    from privior.models import BDeu as BDeu
    from privior.models import DirichletCategorical as DirichletCategorical
    from privior.models import ExchangeablePrior as ExchangeablePrior
    from privior.models import FiniteFamily as FiniteFamily
    from privior.models import GibbsPosterior as GibbsPosterior
    from privior.models import HuberLoss as HuberLoss
    from privior.models import LearnedPrior as LearnedPrior
    from privior.models import LinearRegression as LinearRegression
    from privior.models import LogisticLoss as LogisticLoss
    from privior.models import LogisticRegression as LogisticRegression
    from privior.models import MarkovChain as MarkovChain
    from privior.models import NaiveBayes as NaiveBayes
    from privior.models import OwnCoefficients as OwnCoefficients
    from privior.models import PoissonLoss as PoissonLoss
    from privior.models import Ridge as Ridge
    from privior.models import Shrinkage as Shrinkage
    from privior.models import SmoothHingeLoss as SmoothHingeLoss
    from privior.models import SmoothQuantileLoss as SmoothQuantileLoss
    from privior.models.families import BetaBernoulli as BetaBernoulli
    from privior.models.families import BetaBinomial as BetaBinomial
    from privior.models.families import GammaExponential as GammaExponential
    from privior.models.families import GammaPoisson as GammaPoisson
    from privior.models.families import LaplaceScale as LaplaceScale
    from privior.models.families import MultivariateNormalMean as MultivariateNormalMean
    from privior.models.families import MultivariateNormalPrecision as MultivariateNormalPrecision
    from privior.models.families import NormalMean as NormalMean
    from privior.models.families import NormalMeanPrecision as NormalMeanPrecision
    from privior.models.families import NormalPrecision as NormalPrecision
    from privior.models.laws import Beta as Beta
    from privior.models.laws import Gamma as Gamma
    from privior.models.laws import MultivariateNormal as MultivariateNormal
    from privior.models.laws import Normal as Normal
    from privior.models.laws import NormalGamma as NormalGamma
    from privior.models.laws import Reweighted as Reweighted
    from privior.models.laws import Truncated as Truncated
    from privior.models.laws import Wishart as Wishart
    from privior.papers import Theorems as Theorems
    from privior.papers import theorems as theorems
    from privior.planning import PrivateMAP as PrivateMAP
    from privior.planning import Want as Want
    from privior.planning import calibrate_draws as calibrate_draws
    from privior.planning import plan as plan
    from privior.planning import plan_for as plan_for
    from privior.plans import Batch as Batch
    from privior.plans import Group as Group
    from privior.plans import Plan as Plan
    from privior.posterior import EUCLIDEAN as EUCLIDEAN
    from privior.posterior import HELLINGER as HELLINGER
    from privior.posterior import CategoricalPosterior as CategoricalPosterior
    from privior.posterior import FinitePosterior as FinitePosterior
    from privior.posterior import JointPosterior as JointPosterior
    from privior.posterior import MarkovPosterior as MarkovPosterior
    from privior.posterior import NetworkPosterior as NetworkPosterior
    from privior.posterior import ParameterPosterior as ParameterPosterior
    from privior.posterior import RegressionPosterior as RegressionPosterior
    from privior.posterior import check_fit as check_fit
    from privior.posterior import infer as infer
    from privior.posterior import infer_many as infer_many
    from privior.privacy import ADD_OR_REMOVE_ONE as ADD_OR_REMOVE_ONE
    from privior.privacy import REPLACE_ONE as REPLACE_ONE
    from privior.privacy import AccountingKind as AccountingKind
    from privior.privacy import Budget as Budget
    from privior.privacy import Guarantee as Guarantee
    from privior.privacy import Neighbours as Neighbours
    from privior.privacy import Sensitivity as Sensitivity
    from privior.queries import ask as ask
    from privior.release import Release as Release
    from privior.release import charge_import as charge_import
    from privior.release import import_release as import_release
    from privior.report import write_report as write_report
    from privior.reviews import Review as Review
    from privior.reviews import review as review
    from privior.reviews import verify as verify
    from privior.schema import DROP as DROP
    from privior.schema import Binned as Binned
    from privior.schema import Boolean as Boolean
    from privior.schema import Bounded as Bounded
    from privior.schema import Categorical as Categorical
    from privior.schema import CsvDialect as CsvDialect
    from privior.schema import Date as Date
    from privior.schema import Integer as Integer
    from privior.schema import NetworkFile as NetworkFile
    from privior.schema import Schema as Schema
    from privior.schema import Unit as Unit
    from privior.sequential import Agent as Agent
    from privior.sequential import AgentPlan as AgentPlan
    from privior.sequential import AgentRelease as AgentRelease
    from privior.smoothness import LogLikelihood as LogLikelihood
    from privior.smoothness import ModelAnalysis as ModelAnalysis
    from privior.smoothness import analyse as analyse
else:
    from privior.contents import contents, names

    __getattr__ = contents(__name__)

    def __dir__() -> list[str]:
        return sorted(["__version__", *names(__name__)])
