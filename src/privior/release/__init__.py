"""The release: what may be published, with the receipt of its spend."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from privior.release.documents import release_text
    from privior.release.importing import charge_import, import_release
    from privior.release.noisy_tables import read_numbers
    from privior.release.payload import LAST as FORMAT
    from privior.release.payload import payload_document, to_payload
    from privior.release.receipt import LedgerReceipt
    from privior.release.release import Release
else:
    from privior.contents import contents

    __getattr__ = contents(__name__)
