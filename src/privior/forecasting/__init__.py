"""Forecasts: what can be expected of a release, from public facts alone. One file for each kind of model."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from privior.forecasting.contract import FORECASTERS, Forecast, Forecaster, forecaster
    from privior.forecasting.draws import DrawnLaw
    from privior.forecasting.effort import Effort
    from privior.forecasting.error_laws import error_law, squared_error
    from privior.forecasting.expect import Expect
    from privior.forecasting.families import FamilyForecaster, JointForecaster, ParameterForecast
    from privior.forecasting.finite_families import ModelForecaster
    from privior.forecasting.gibbs import GibbsForecaster
    from privior.forecasting.hellinger import ListedLaw, SampledLaw
    from privior.forecasting.logistic import LogisticForecaster
    from privior.forecasting.network_divergence import NetworkDivergence
    from privior.forecasting.networks import NetworkForecast, NetworkForecaster
    from privior.forecasting.regressions import RegressionForecaster
    from privior.forecasting.table_errors import TableForecast, forecast, prior_alone, records_alone
    from privior.forecasting.tables import TableForecaster
else:
    from privior.contents import contents

    __getattr__ = contents(__name__)
