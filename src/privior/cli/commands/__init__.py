"""One command a file: what it asks for, what it calls, what it shows. This is their order in the help."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # isort: off
    from privior.cli.commands.demo import demo
    from privior.cli.commands.init import init
    from privior.cli.commands.plan import plan
    from privior.cli.commands.ledger import ledger
    from privior.cli.commands.check import check
    from privior.cli.commands.release import release
    from privior.cli.commands.batch import batch
    from privior.cli.commands.import_numbers import import_numbers
    from privior.cli.commands.ask import ask
    from privior.cli.commands.predict import predict
    from privior.cli.commands.check_fit import check_fit
    from privior.cli.commands.decide import decide
    from privior.cli.commands.report import report
    from privior.cli.commands.review import review
    from privior.cli.commands.verify import verify
    from privior.cli.commands.guarantee import guarantee
    from privior.cli.commands.analyse import analyse
    from privior.cli.commands.agent import agent
    from privior.cli.commands.study import study
    from privior.cli.commands.doctor import doctor

    # isort: on
