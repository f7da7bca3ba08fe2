"""privior agent: learn by acting, from people's interactions, with a budget reserved before acting."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from privior.cli.exit_codes import ExitCode
from privior.cli.options import Json, Quiet, screen_of

agent = typer.Typer(
    help="Agents that learn by acting, with a budget that is reserved before they act.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Asked = Annotated[Path, typer.Argument(metavar="AGENT", help="What is asked for (TOML).", show_default=False)]
State = Annotated[Path, typer.Argument(metavar="STATE", help="The agent's private file.", show_default=False)]
Log = Annotated[
    Path, typer.Argument(metavar="LOG", help="Steps: a header line, then one a line.", show_default=False)
]
Address = Annotated[
    str,
    typer.Option(
        "--ledger", "-l", envvar="PRIVIOR_LEDGER", help="The population's ledger.", show_default=False
    ),
]
NewBlock = Annotated[
    bool, typer.Option("--new-block", help="Give up an open block that cannot go on, and pay for a new one.")
]
Epsilon = Annotated[
    str | None, typer.Option("--epsilon", "-e", help="Instead of what the file says.", show_default=False)
]
Mechanism = Annotated[
    str | None,
    typer.Option(
        "--mechanism",
        "-m",
        help="noisy-counts, noisy-tree, laplace-counts, diffuse or concentrated.",
        show_default=False,
    ),
]
Output = Annotated[Path, typer.Option("--output", "-o", help="The file to write.", show_default=False)]


@agent.command()
def plan(
    context: typer.Context,
    asked: Asked,
    epsilon: Epsilon = None,
    mechanism: Mechanism = None,
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
    asked: Asked,
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
    made = read_plan(asked)
    try:
        world = river_swim() if chances == "riverswim" else arms([float(one) for one in chances.split(",")])
    except ValueError:
        raise NumberError("chances are numbers from 0 to 1", asked=chances) from None
    with screen.waiting("simulating"):
        found = forecast_regret(made, world, epsilons.split(","), copies=copies)
    screen.document(
        [{"epsilon": f.epsilon, "regret": f.regret, "error": f.error, "reward": f.reward} for f in found]
    )
    rows = [
        (f.epsilon or "without privacy", f"{f.regret:.1f}", f"{f.error:.1f}", f"{f.reward:.1f}")
        for f in found
    ]
    screen.answer_table(("epsilon", "lost", "standard error", "earned"), rows)
    screen.text(f"\nSimulated: {made.episodes} episodes, {copies} agents; a public world, nobody's data.")


@agent.command()
def create(
    context: typer.Context,
    asked: Asked,
    state: State,
    ledger: Address,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Make an agent; nothing is spent before it acts."""
    from privior.ledger import Ledger
    from privior.sequential import Agent
    from privior.sequential.files import read_plan

    screen = screen_of(context)
    made = Agent(read_plan(asked), ledger=Ledger.open(ledger), path=state)
    screen.document(made.plan.to_document())
    screen.facts(made.plan.facts())
    screen.text(f"\nIts private file is {state}: keep it with the data, and never publish it.")


@agent.command()
def act(
    context: typer.Context,
    state: State,
    ledger: Address,
    at: Annotated[int, typer.Option(help="The state of a chain.")] = 0,
    new_block: NewBlock = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Say what to do now; reserves a block if none is open."""
    from privior.sequential import Agent

    screen = screen_of(context)
    found = Agent.load(state, ledger=ledger, new_block=new_block)
    action = found.act(at)
    screen.document({"action": action, "episodes_left": found.episodes_left})
    screen.answer(str(action))


@agent.command()
def observe(
    context: typer.Context,
    state: State,
    log: Log,
    ledger: Address,
    new_block: NewBlock = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Count the steps of one episode, end it, and publish if it is a public time."""
    from privior.sequential import Agent
    from privior.sequential.files import read_log
    from privior.sequential.replays import observed

    screen = screen_of(context)
    found = Agent.load(state, ledger=ledger, new_block=new_block)
    published = observed(found, read_log(log))
    screen.document({"published": sorted(published), "episodes_left": found.episodes_left})
    screen.text(
        f"Published: {', '.join(published) or 'nothing yet'}. {found.episodes_left} episodes are left."
    )


@agent.command()
def replay(
    context: typer.Context,
    state: State,
    log: Log,
    ledger: Address,
    blocks: Annotated[int, typer.Option(help="Stop at the end of so many blocks, an open one included.")] = 1,
    new_block: NewBlock = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Learn from a recorded log whose actions were chosen at random."""
    from privior.sequential import Agent
    from privior.sequential.files import read_log
    from privior.sequential.replays import replay as replayed

    screen = screen_of(context)
    found = Agent.load(state, ledger=ledger, new_block=new_block)
    with screen.waiting("acting"):
        lines, episodes = replayed(found, read_log(log), blocks)
    action = found.act() if found.plan.problem.states == 1 and found.episodes_left else None
    screen.document({"episodes": episodes, "action": action, "episodes_left": found.episodes_left})
    screen.text(
        f"{episodes} episodes from a log of {lines} lines; {found.episodes_left} are left in the block."
    )
    if action is not None:
        screen.answer(str(action))


@agent.command()
def publish(
    context: typer.Context,
    state: State,
    ledger: Address,
    output: Output,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write all that was published so far: the one file about an agent that may be shown."""
    from privior.sequential import Agent

    screen = screen_of(context)
    found = Agent.load(state, ledger=ledger).published()
    found.write(output)
    screen.document({"file": str(output), "blocks": len(found.blocks)})
    screen.facts(found.facts())
    if screen.quiet:
        screen.answer(str(output))


@agent.command()
def report(
    context: typer.Context, release: Path, output: Output, json: Json = False, quiet: Quiet = False
) -> None:
    """Write one page about what an agent published."""
    from privior.errors import ReleaseError
    from privior.sequential import AgentRelease
    from privior.whole_files import write_whole

    screen = screen_of(context)
    found = AgentRelease.read(release)
    try:
        write_whole(output, found.page())
    except OSError:
        raise ReleaseError("the report cannot be written there", where=str(output)) from None
    screen.document({"file": str(output)})
    screen.text(f"Written: {output}")


@agent.command()
def review(
    context: typer.Context,
    release: Path,
    ledger: Annotated[str | None, typer.Option("--ledger", "-l", envvar="PRIVIOR_LEDGER")] = None,
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
