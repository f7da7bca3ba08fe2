"""The release: what may be published, with the receipt of its spend."""

from privior.release.payload import LAST as FORMAT
from privior.release.payload import payload_document, to_payload
from privior.release.receipt import LedgerReceipt
from privior.release.release import Release
