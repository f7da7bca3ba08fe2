"""Hellinger distances in guarantees: sensitivities in interval arithmetic, and costs by enumeration."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from privior.privacy.hellinger.enclosures import (
        global_sensitivity_above,
        inverse_local_sensitivity,
        inverse_smooth_sensitivity,
        local_change_above,
    )
    from privior.privacy.hellinger.enumeration import (
        MOST_LISTED,
        MOST_SUMMED,
        MOST_TABLES,
        Enumeration,
        all_tables,
        largest_local_change,
        log_sums,
        number_of_tables,
    )
else:
    from privior.contents import contents

    __getattr__ = contents(__name__)
