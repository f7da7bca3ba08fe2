"""Plans: model, mechanism and guarantee for one release or several, and what they and other budgets give."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from privior.plans.batch import Batch
    from privior.plans.candidate import Candidate
    from privior.plans.group import Group
    from privior.plans.plan import Plan, check_records
else:
    from privior.contents import contents

    __getattr__ = contents(__name__)
