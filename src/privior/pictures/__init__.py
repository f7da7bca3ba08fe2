"""Pictures: numbers in; figure, markup or text out. Knows nothing of privior, so every part may use it."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from privior.pictures.budget_bar import BudgetBar
    from privior.pictures.density import Density
    from privior.pictures.error_curve import ErrorCurve
    from privior.pictures.fan_chart import FanChart
    from privior.pictures.interval_chart import IntervalChart
    from privior.pictures.markup import Markup
    from privior.pictures.network_chart import NetworkChart
    from privior.pictures.picture import Picture
    from privior.pictures.split_bars import SplitBars
else:
    from privior.contents import contents

    __getattr__ = contents(__name__)
