# SPDX-License-Identifier: Apache-2.0
"""A step loop as reinforcement learning has it, without any package for that.

A controller pushes a mass over a table with friction and shall bring it to a place. The environment has the two calls
that such programs expect, `reset` and `step`, with what they return; `gymnasium.Env` can be its base class where
that is installed. The step is taken together with the body, so that a mass that sticks stays, whatever the rate.
"""

import numpy as np

import asperity


class Push:
    """A mass of 1 kg on a table, pushed by at most 5 N, 100 times a second."""

    def __init__(self, friction=None, mass=1.0, rate=100.0):
        self.friction = friction or asperity.models.dai(F=1.0)
        self.mass, self.h = mass, 1 / rate

    def reset(self, seed=None):
        """Somewhere at rest; the mass shall go to 0. Returns the observation and a dict."""
        self.x, self.v, self.steps = np.random.default_rng(seed).uniform(-0.5, 0.5), 0.0, 0
        self.friction.reset(x=self.x)
        return np.array([self.x, self.v]), {}

    def step(self, action):
        """Observation, reward, whether it has arrived, whether time is up, and a dict."""
        push = float(np.clip(action, -5, 5))
        mobility = self.h / self.mass
        end = self.friction.step_with_body(
            self.h, free=self.v + mobility * push, mobility=mobility, x=self.x, v=self.v
        )
        self.x, self.v = end["x"], end["v"]
        self.steps += 1
        arrived = abs(self.x) < 1e-3 and abs(self.v) < 1e-4
        reward = -abs(self.x) - 0.01 * abs(push)
        return np.array([self.x, self.v]), reward, arrived, self.steps >= 1000, {"f": self.friction.outputs["f"]}


def play(env, policy, seed):
    """The sum of the rewards of a game, how long it took, and whether the mass arrived."""
    (observation, _), total = env.reset(seed), 0.0
    while True:
        observation, reward, arrived, late, _ = env.step(policy(observation))
        total += reward
        if arrived or late:
            return total, env.steps * env.h, arrived


def proportional(observation):
    """A spring and a damper: it stops where friction holds what is left of the spring."""
    x, v = observation
    return -4 * x - 3 * v


def with_compensation(observation):
    """The same, and the Coulomb force in the direction in which the mass has to go."""
    x, v = observation
    return -4 * x - 3 * v - (0 if abs(x) < 1e-3 else 1.05 * np.sign(x))


env = Push()
for policy in (proportional, with_compensation):
    games = [play(env, policy, seed) for seed in range(5)]
    print(f"{policy.__name__}: arrived in {sum(g[2] for g in games)} of 5 games, reward {sum(g[0] for g in games):.1f}")

# The same game twice is the same; without compensation friction of 1 N holds what a spring of 4 N/m pulls with.
assert play(env, proportional, 1) == play(env, proportional, 1)
stuck, _ = env.reset(seed=0), [env.step(proportional([env.x, env.v])) for _ in range(1000)]
assert 1e-3 < abs(env.x) <= 0.251 and abs(env.v) < 1e-9
assert all(play(env, with_compensation, seed)[2] for seed in range(5))
