"""Planning: which mechanism to take at a budget, and which budget reaches what is wanted. No data."""

from privior.planning.comparison import plan
from privior.planning.draw_calibration import DrawCalibration, DrawSetting, calibrate_draws
from privior.planning.wants import Want, plan_for
