"""Plans: model, mechanism and guarantee for one release, and what they and other budgets promise to give."""

from privior.plans.plan import Candidate, Plan, check_records

__all__ = ["Candidate", "Plan", "check_records"]
