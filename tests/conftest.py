"""What all tests share: a property has no deadline, because a busy machine is no counterexample.

In CI the examples are the same on every run, so that a change is judged by what it changed; elsewhere they are new each
time, which is how counterexamples are found.
"""

import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "unhurried",
    settings(),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=os.environ.get("CI") == "true",
)
settings.load_profile("unhurried")
