"""Gymnasium, where it is installed: RiverSwim in its registry."""

from __future__ import annotations

from typing import Any

from privior.errors import PlanError
from privior.sequential.environments import Episodes, World


def registered(name: str) -> None:
    """Register RiverSwim under this name, once."""
    try:
        import gymnasium
    except ImportError:
        raise PlanError(
            "Gymnasium is not installed", where="environment", advice="pip install 'privior[agents]'"
        ) from None

    class GymnasiumEpisodes(Episodes, gymnasium.Env):  # type: ignore[misc, unused-ignore]
        """The same episodes, with Gymnasium's spaces."""

        def __init__(
            self, world: World | None = None, steps: int = 30, render_mode: str | None = None
        ) -> None:
            Episodes.__init__(self, world, steps, render_mode)
            self.action_space: Any = gymnasium.spaces.Discrete(self.world.actions)
            self.observation_space: Any = gymnasium.spaces.Discrete(self.world.states)

    if name not in gymnasium.registry:
        gymnasium.register(id=name, entry_point=GymnasiumEpisodes)
