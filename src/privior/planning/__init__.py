"""Planning: which mechanism to take at a budget, and which budget reaches what is wanted. No data."""

from privior.planning.comparison import plan
from privior.planning.wants import Want, plan_for

__all__ = ["Want", "plan", "plan_for"]
