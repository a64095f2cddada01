"""Random numbers for compiled parallel loops: every trial has a stream of its own.

The i-th word of a stream is ``mix(key + i γ)``, as in the generator splitmix64 (Steele, Lea and
Flood, 2014). There is no state: a trial draws the same numbers from its key whichever thread runs
it. The position of a word in its stream is called its place.
"""

import numpy as np

from specsel import _runtime, _validate
from specsel._runtime import jit
from specsel._validate import Distribution, Floats, NDArray, Seed

# Numbers that stand for the distributions in compiled code.
GAUSSIAN, UNIFORM, TWO_VALUED = range(3)
KINDS: dict[Distribution, int] = {
    "gaussian": GAUSSIAN,
    "uniform": UNIFORM,
    "bernoulli": TWO_VALUED,
}

# The constants of splitmix64; the last two shifts leave 53 bits and one bit of a word.
GAMMA = np.uint64(0x9E3779B97F4A7C15)
FIRST_FACTOR = np.uint64(0xBF58476D1CE4E5B9)
SECOND_FACTOR = np.uint64(0x94D049BB133111EB)
SHIFTS = np.array([30, 27, 31, 11, 63], np.uint64)
UNIT = 2.0**-53

# No trial draws this many numbers, so that places so far on are free for what rejections need.
FAR = 2**40

# The ziggurat: 128 layers of equal area that cover exp(-x²/2). The lowest contains the tail.
TAIL = 3.442619855899
AREA = 9.91256303526217e-3
LAYER_BITS = np.uint64(127)


def _edges() -> Floats:
    """Return the right ends of the layers from the lowest on, and 0 at the top.

    The end of the lowest layer is that of a rectangle with the area of layer and tail together.
    """
    edges = [AREA * np.exp(0.5 * TAIL**2), TAIL]
    while len(edges) < 128:
        edges.append(np.sqrt(-2.0 * np.log(AREA / edges[-1] + np.exp(-0.5 * edges[-1] ** 2))))
    return np.array([*edges, 0.0])


EDGES = _edges()


def keys(random_state: Seed, count: int) -> NDArray[np.uint64]:
    """Draw the keys of `count` streams."""
    _runtime.check_not_forked()
    return _validate.as_generator(random_state).integers(0, 2**64, count, dtype=np.uint64)


@jit
def word(key, place):
    """Return the 64 random bits at a place of the stream with this key."""
    z = key + np.uint64(place) * GAMMA
    z = (z ^ (z >> SHIFTS[0])) * FIRST_FACTOR
    z = (z ^ (z >> SHIFTS[1])) * SECOND_FACTOR
    return z ^ (z >> SHIFTS[2])


@jit
def unit(key, place):
    """Return a random number between 0 and 1, both excluded."""
    return (np.float64(word(key, place) >> SHIFTS[3]) + 0.5) * UNIT


@jit
def fill(key, kind, start, out):
    """Fill `out` with independent variables of mean 0 and variance 1, from place `start` on.

    They are Gaussian, uniform between -√3 and √3, or -1 and 1 with equal chance.
    """
    for i in range(len(out)):
        if kind == GAUSSIAN:
            out[i] = gaussian(key, start + i)
        elif kind == UNIFORM:
            out[i] = np.sqrt(12.0) * (unit(key, start + i) - 0.5)
        else:
            out[i] = 1.0 if word(key, start + i) >> SHIFTS[4] else -1.0


@jit
def gaussian(key, place):
    """Return a standard normal variable, by the ziggurat of Marsaglia and Tsang (2000).

    After a rejection, further numbers are drawn from places that nothing else uses.
    """
    while True:
        bits = word(key, place)
        layer = np.int64(bits & LAYER_BITS)
        share = 2.0 * (np.float64(bits >> SHIFTS[3]) + 0.5) * UNIT - 1.0
        value = share * EDGES[layer]
        if abs(value) < EDGES[layer + 1]:
            return value
        place += FAR
        if layer == 0:
            return np.copysign(_tail(key, place), share)
        low = np.exp(-0.5 * (EDGES[layer] ** 2 - value**2))
        high = np.exp(-0.5 * (EDGES[layer + 1] ** 2 - value**2))
        if high + unit(key, place) * (low - high) < 1.0:
            return value
        place += FAR


@jit
def _tail(key, place):
    """Return a normal variable given that it exceeds TAIL."""
    while True:
        beyond = -np.log(unit(key, place)) / TAIL
        if -2.0 * np.log(unit(key, place + FAR)) > beyond**2:
            return TAIL + beyond
        place += 2 * FAR
