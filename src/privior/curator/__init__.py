"""The curator: the only part that sees rows, noise and the ledger together.

The order is the privacy argument. Everything that can be checked from public facts is checked first, the
number of records too where it is public; then the cost is spent, durably; only then are the cells read,
the noise drawn and the release written.
What fails before the spend says why and costs nothing. What fails after it has one answer, whatever the
cause, because the cause may depend on the data; the spend stands.

Files are read by a process of their own (`worker`), which ends with the release: the program that asked has
the ledger, the output file and the answer, but never a row. Live tables are read where they live.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from privior.curator.interactions import KeptState, kept_state, steps_of
    from privior.curator.looking import CellsLook, engine_version, header, look
    from privior.curator.measurement import Measurement, measure, measure_all, measure_statistics, prepare
    from privior.curator.reserving import Reservation, reserve, reserved
else:
    from privior.contents import contents

    __getattr__ = contents(__name__)
