"""Plans: model, mechanism and guarantee for one release or several, and what they and other budgets give."""

from privior.plans.batch import Batch
from privior.plans.family_plan import FamilyPlan, JointPlan, SummedPlan, summed_plan
from privior.plans.group import Group
from privior.plans.plan import Candidate, Plan, Reading, check_records
from privior.plans.table_plan import TablePlan

__all__ = [
    "Batch",
    "Candidate",
    "FamilyPlan",
    "Group",
    "JointPlan",
    "Plan",
    "Reading",
    "SummedPlan",
    "TablePlan",
    "check_records",
    "summed_plan",
]
