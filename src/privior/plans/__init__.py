"""Plans: model, mechanism and guarantee for one release or several, and what they and other budgets give."""

from privior.plans.batch import Batch
from privior.plans.counts_plan import CountsPlan
from privior.plans.family_plan import FamilyPlan, JointPlan, SummedPlan, summed_plan
from privior.plans.finite_plan import FinitePlan
from privior.plans.group import Group
from privior.plans.plan import Candidate, Plan, Reading, check_records
from privior.plans.table_plan import TablePlan

__all__ = [
    "Batch",
    "Candidate",
    "CountsPlan",
    "FamilyPlan",
    "FinitePlan",
    "Group",
    "JointPlan",
    "Plan",
    "Reading",
    "SummedPlan",
    "TablePlan",
    "check_records",
    "summed_plan",
]
