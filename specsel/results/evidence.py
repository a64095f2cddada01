"""What shuffling shows: whether there is more in common than chance."""

from dataclasses import dataclass
from typing import Literal

from specsel._validate import Floats, Integers

# p values up to this one are called more than chance.
LEVEL = 0.05


@dataclass(frozen=True, eq=False, repr=False)
class Evidence:
    """An objective beside those of shuffled data.

    Attributes
    ----------
    p_value : float
        How often chance does as well, the data themselves counted among the shuffles:
        ``(1 + #{null >= objective}) / (1 + n)``.
    z : float
        How many standard deviations of `null` the objective lies above its mean. It describes;
        it is no test, for `null` need not be normal.
    objective : float
        What was found in the data.
    null : ndarray of shape (n,)
        What was found in every shuffle.
    beyond_chance : ndarray of int
        Features whose part of the solver's objective, ``√objective · α``, exceeds the largest one
        of 95 % of the shuffles, the data counted among them; none if there are less than 19.
    method : str
        Whose objective it is.
    shuffled : {"columns", "labels"}
        What was shuffled.
    """

    p_value: float
    z: float
    objective: float
    null: Floats
    beyond_chance: Integers
    method: str
    shuffled: Literal["columns", "labels"]

    def __post_init__(self) -> None:
        self.null.flags.writeable = False
        self.beyond_chance.flags.writeable = False

    @property
    def verdict(self) -> str:
        """What the p value says, in words."""
        if self.p_value <= LEVEL:
            return "more in common than chance"
        if 1 / (1 + len(self.null)) > LEVEL:
            return f"too few shuffles to tell, {len(self.null)}"
        return "no more in common than chance"

    def __repr__(self) -> str:
        count = len(self.beyond_chance)
        spread = self.null.std(ddof=1) if len(self.null) > 1 else 0.0
        return (
            f"Evidence({self.verdict}: p = {self.p_value:.3g}, objective {self.objective:.3g} "
            f"beside {self.null.mean():.3g} ± {spread:.2g} in {len(self.null)} shuffles of the "
            f"{self.shuffled}, {count} feature{'s' * (count != 1)} beyond chance)"
        )
