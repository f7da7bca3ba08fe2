"""Planning: which mechanism to take at a budget, and which budget reaches what is wanted. No data."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from privior.planning.comparison import only_mechanism, plan
    from privior.planning.draw_calibration import DrawCalibration, DrawSetting, calibrate_draws
    from privior.planning.private_map import PrivateMAP
    from privior.planning.wants import Want, plan_for
else:
    from privior.contents import contents

    __getattr__ = contents(__name__)
