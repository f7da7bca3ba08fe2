"""privior agent: learn by acting, from people's interactions, with a budget reserved before acting."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from privior.cli.exit_codes import ExitCode
from privior.cli.looking import PRIVATE, refuse_other_eyes
from privior.cli.options import Analyst, Epsilon, Json, LedgerAddress, Quiet, screen_of
from privior.cli.screen import Screen
from privior.cli.spending import named

if TYPE_CHECKING:
    from privior.release import LedgerReceipt
    from privior.sequential import Agent, AgentPlan

agent = typer.Typer(
    help="Agents that learn by acting, with a budget that is reserved before they act.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

AgentFile = Annotated[
    Path, typer.Argument(metavar="AGENT", help="What is asked for (TOML).", show_default=False)
]
StateFile = Annotated[
    Path, typer.Argument(metavar="STATE", help="The agent's private file.", show_default=False)
]
AgentReleaseFile = Annotated[
    Path, typer.Argument(metavar="RELEASE", help="What an agent published.", show_default=False)
]
LogFile = Annotated[
    Path,
    typer.Argument(
        metavar="LOG", help="One episode: a header line, then one line a step.", show_default=False
    ),
]
AgentMechanismName = Annotated[
    str | None,
    typer.Option(
        "--mechanism",
        "-m",
        help="noisy-counts, noisy-tree, laplace-counts, diffuse or concentrated.",
        show_default=False,
    ),
]
Force = Annotated[bool, typer.Option("--force", "-f", help="Write over an existing file.")]
Output = Annotated[Path, typer.Option("--output", "-o", help="The file to write.", show_default=False)]


@agent.command()
def plan(
    context: typer.Context,
    asked: AgentFile,
    epsilon: Epsilon = None,
    mechanism: AgentMechanismName = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Say what a block of episodes would publish, promise and cost. Free."""
    from privior.sequential.files import read_plan

    screen = screen_of(context)
    with screen.waiting("calibrating"):
        made = read_plan(asked, epsilon=epsilon, mechanism=mechanism)
    screen.document(made.to_document())
    screen.facts(made.facts())
    if screen.quiet:
        screen.answer(str(made.cost))


@agent.command()
def forecast(
    context: typer.Context,
    asked: AgentFile,
    chances: Annotated[
        str,
        typer.Option(
            help="Of a reward, one for each arm, as in 0.05,0.06; or riverswim.", show_default=False
        ),
    ],
    epsilons: Annotated[str, typer.Option(help="At which to look.")] = "0.01,0.1,1,10",
    copies: Annotated[int, typer.Option(help="Simulated agents.")] = 20,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Simulate what would be lost against whoever knows all, in a public world. Free; nobody's data."""
    from privior.errors import NumberError
    from privior.sequential import arms, river_swim
    from privior.sequential.files import read_plan
    from privior.sequential.forecasting import forecast_regret

    screen = screen_of(context)
    try:
        world = river_swim() if chances == "riverswim" else arms([float(one) for one in chances.split(",")])
    except ValueError:
        raise NumberError("chances are numbers from 0 to 1", asked=chances) from None
    with screen.waiting("simulating"):
        plans = [read_plan(asked, epsilon=epsilon) for epsilon in epsilons.split(",")]
        pairs = [forecast_regret(one, world, copies=copies) for one in plans]
    found = [*(private for private, _ in pairs), pairs[-1][1]]
    screen.document(
        [{"epsilon": f.epsilon, "regret": f.regret, "error": f.error, "reward": f.reward} for f in found]
    )
    rows = [
        (f.epsilon or "without privacy", f"{f.regret:.1f}", f"{f.error:.1f}", f"{f.reward:.1f}")
        for f in found
    ]
    screen.answer_table(("epsilon", "lost", "standard error", "earned"), rows)
    screen.text(f"\nSimulated: {plans[0].episodes} episodes, {copies} agents; a public world, nobody's data.")


@agent.command()
def create(
    context: typer.Context,
    asked: AgentFile,
    state: StateFile,
    ledger: LedgerAddress = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Make an agent; nothing is spent."""
    from privior.sequential import Agent
    from privior.sequential.files import read_plan

    screen = screen_of(context)
    with Agent.create(read_plan(asked), ledger=named(ledger, "agent create"), path=state) as made:
        _say(screen, made)
    screen.text(f"\nIts private file is {state}: keep it with the data, and never publish it.")
    screen.text(f"Nothing was spent. Spend for its first block: privior agent reserve {quote(str(state))}")


@agent.command()
def reserve(
    context: typer.Context,
    state: StateFile,
    ledger: LedgerAddress = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Spend without asking.")] = False,
    analyst: Analyst = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Spend for the next block of episodes; does nothing if one is open."""
    from privior.errors import PlanError

    screen = screen_of(context)
    with _loaded(state, ledger) as found:
        if found.episode is None and not yes:
            cost, population = found.plan.cost, found.plan.population
            if not screen.can_ask:
                raise PlanError(
                    "nobody can be asked here whether to spend",
                    where="agent reserve",
                    asked=cost,
                    advice="Say --yes to spend without being asked.",
                )
            screen.facts(found.plan.facts())
            if not screen.confirmed(f"Spend {cost} of {population}, for ever?"):
                screen.fail("NotConfirmed", "not confirmed. Nothing was spent.")
                raise typer.Exit(ExitCode.NO)
        open_before = found.episode is not None
        receipt = found.reserve(analyst=analyst)
        _say(screen, found)
        _say_spent(screen, found, receipt, ledger, open_before=open_before)


@agent.command()
def act(
    context: typer.Context,
    state: StateFile,
    ledger: LedgerAddress = None,
    at: Annotated[int, typer.Option(help="The state of a chain.")] = 0,
    step: Annotated[int, typer.Option(help="The step of the episode, from 0.")] = 0,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Say what to do now, and in which episode. Free."""
    screen = screen_of(context)
    with _loaded(state, ledger) as found:
        action = found.act(at, step)
        screen.document({"action": action, "episode": found.episode})
        screen.text(f"Episode {found.episode}, action:")
    screen.answer(str(action))


@agent.command()
def learn(
    context: typer.Context,
    state: StateFile,
    log: LogFile,
    episode: Annotated[int, typer.Option(help="The number that act said; asked again, nothing is counted.")],
    ledger: LedgerAddress = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Count one episode, once, and publish if it is a public time."""
    screen = screen_of(context)
    with _loaded(state, ledger) as found:
        before = found.episode is None or episode < found.episode
        published = found.learn(log, episode=episode)
        if before:
            screen.text(f"Episode {episode} was counted before: this log was not read.")
        else:
            screen.text(_rule(found.plan))
        screen.document({"episode": episode, "published": sorted(published), "next": found.episode})
        said = ", ".join(sorted(published)) or "nothing"
        screen.text(f"Published after episode {episode}: {said}.")
        if found.episode is None:
            screen.text("The block has ended: reserve the next one.")


@agent.command()
def look(
    context: typer.Context, asked: AgentFile, log: LogFile, json: Json = False, quiet: Quiet = False
) -> None:
    """Look at a log yourself, on this terminal: how many of its lines would count. Nothing is kept."""
    from privior.curator import steps_of
    from privior.sequential.files import read_plan
    from privior.sequential.tallies import lines_that_count

    screen = screen_of(context)
    refuse_other_eyes(screen, "agent look", "Run it on a terminal.")
    made = read_plan(asked)
    found = lines_that_count(made.problem, made.unit, steps_of(log, made.columns, made.problem.places))
    screen.text(PRIVATE)
    screen.table(["", "lines"], [[name, str(many)] for name, many in found.items()])
    screen.text(f"\n{_rule(made)}")


@agent.command()
def show(
    context: typer.Context,
    state: StateFile,
    ledger: LedgerAddress = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Say how far an agent is; nothing that it counted. Free."""
    screen = screen_of(context)
    with _loaded(state, ledger) as found:
        _say(screen, found)


@agent.command()
def publish(
    context: typer.Context,
    state: StateFile,
    output: Output,
    ledger: LedgerAddress = None,
    force: Force = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write all that was published so far: the one file about an agent that may be shown. Free."""
    screen = screen_of(context)
    _refuse_taken(output, force)
    with _loaded(state, ledger) as found:
        made = found.published()
    made.write(output)
    screen.document({"file": str(output), "blocks": len(made.blocks)})
    screen.facts(made.facts())
    if screen.quiet:
        screen.answer(str(output))


@agent.command()
def report(
    context: typer.Context,
    release: AgentReleaseFile,
    output: Output,
    force: Force = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write one page about what an agent published."""
    from privior.errors import ReleaseError
    from privior.sequential import AgentRelease
    from privior.sequential.agent_page import LEVEL, explained, standing
    from privior.whole_files import write_whole

    screen = screen_of(context)
    _refuse_taken(output, force)
    found = AgentRelease.read(release)
    try:
        write_whole(output, found.page())
    except (OSError, ValueError):
        raise ReleaseError("the report cannot be written there", where=str(output)) from None
    known = found.estimates(LEVEL)
    screen.document({"file": str(output), "choices": [asdict(one) for one in known]})
    screen.text(explained(found))
    if known:
        screen.table(*standing(found, known))
    screen.text(f"\nWrote {output}: open it in a browser, print it, or publish it beside the release.")
    if screen.quiet:
        screen.answer(str(output))


@agent.command()
def review(
    context: typer.Context,
    release: AgentReleaseFile,
    ledger: LedgerAddress = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Check what an agent published against its plan and the ledger."""
    from privior.ledger import Ledger
    from privior.sequential import AgentRelease

    screen = screen_of(context)
    found = AgentRelease.read(release).review(None if ledger is None else Ledger.open(ledger))
    words = {True: "holds", False: "FAILS", None: "open"}
    screen.document([{"check": name, "verdict": words[holds], "says": says} for name, holds, says in found])
    screen.answer_table(("check", "verdict", "says"), [(n, words[holds], s) for n, holds, s in found])
    if any(holds is False for _, holds, _ in found):
        raise typer.Exit(ExitCode.NO)


def _loaded(state: Path, ledger: str | None) -> Agent:
    from privior.sequential import Agent

    return Agent.load(state, ledger=named(ledger, "agent"))


def _rule(plan: AgentPlan) -> str:
    """Say what counts of any log: nothing that depends on this one."""
    first, *more = plan.columns
    said = f"{', '.join([first, *more[:-1]])} and {more[-1]}"
    whose = "" if plan.unit.quota is None else f", and of a user those after her first {plan.unit.quota}"
    return (
        f"Lines without a readable {said} count nowhere, as do those after the first "
        f"{plan.problem.places}{whose}."
    )


def _say_spent(
    screen: Screen, found: Agent, receipt: LedgerReceipt, ledger: str | None, *, open_before: bool
) -> None:
    from privior.ledger import Ledger

    if open_before:
        screen.text("\nA block is open already: nothing was spent.")
        return
    first, many = found.episode or 1, found.plan.episodes
    left = Ledger.open(named(ledger, "agent reserve")).left
    screen.text(
        f"\nSpent {found.plan.cost} of {found.plan.population}, ledger entry {receipt.entry}, for episodes "
        f"{first} to {first + many - 1}. Left: {left}."
    )


def _refuse_taken(output: Path, force: bool) -> None:
    from privior.errors import ReleaseError

    if output.exists() and not force:
        raise ReleaseError(
            "the file exists already", where=str(output), advice="Say --force to write over it."
        )


def _say(screen: Screen, found: Agent) -> None:
    screen.document(dict(found.facts()) | {"next episode": found.episode})
    screen.facts(found.facts())
    if screen.quiet:
        screen.answer("none" if found.episode is None else str(found.episode))
