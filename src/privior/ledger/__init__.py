"""The ledger: durable, append-only, exact spending per population."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from privior.ledger.closing import Closing, State
    from privior.ledger.correcting import uncharged_in_words
    from privior.ledger.entry import EntryKind, LedgerEntry, fresh_nonce
    from privior.ledger.file_systems import kind_of, refuse_unsafe
    from privior.ledger.first_rules import concerns, rules_of
    from privior.ledger.history import History
    from privior.ledger.ledger import Ledger
    from privior.ledger.parts import SpendPart
    from privior.ledger.reconciling import KnownSpend
    from privior.ledger.request import Spendable
    from privior.ledger.standing import declared_in_words
    from privior.ledger.state_folders import made_state_folder, state_folder
else:
    from privior.contents import contents

    __getattr__ = contents(__name__)
