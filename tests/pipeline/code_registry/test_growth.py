"""What it costs to follow values, counted in calls, whatever the machine."""

import sys
from collections.abc import Mapping
from itertools import pairwise
from types import FrameType

from tests.pipeline.code_registry.registries import Built

DEVICE = """
from flask import Flask
from hub import start

app = Flask(__name__)

class Device{number}:
    def __init__(self, hub):
        self.hub = hub

    def read(self):
        return self.hub.session.get("/state")

def set_up(hub):
    start(Device{number}({hub}), {hub})
"""


def calls_to_link(built: Built, hub: str) -> int:
    """How many functions run while ten devices are read and linked, each of which hands on `hub` to one function."""
    names = [f"device_{number}" for number in range(10)]
    files = {f"{name}.py": DEVICE.format(number=number, hub=hub) for number, name in enumerate(names)}
    starts = (f"    {name}.set_up(hub)\n" for name in names)
    files["hub.py"] = "".join([*(f"import {name}\n" for name in names), "def start(device, hub):\n", *starts])
    return calls_to_build(built, files)


def calls_to_build(built: Built, files: Mapping[str, str]) -> int:
    """How many functions run while files are read and linked."""
    count = 0

    def count_call(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(count_call)
    try:
        built(files)
    finally:
        sys.setprofile(None)
    return count


def test_a_value_that_is_handed_round_in_circles_costs_little_more_than_a_new_one(built: Built) -> None:
    built({"first.py": "'The first registry of a process loads what the others find loaded.'"})
    assert calls_to_link(built, "hub") < 2 * calls_to_link(built, "Hub()")


def test_routers_that_all_hang_at_each_other_are_given_up_in_time(built: Built) -> None:
    names = [f"router_{number}" for number in range(14)]
    made = "".join(f'{name} = APIRouter(prefix="/{name}")\n' for name in names)
    mounts = "".join(
        f"{parent}.include_router({child})\n" for parent in names for child in names if parent != child
    )
    registry = built(
        {
            "app.py": f"from fastapi import APIRouter\n{made}{mounts}"
            '@router_0.get("/orders")\ndef orders(): return 1\n'
        }
    )
    assert {route.handler_name for route in registry.routes} == {"orders"}


def test_a_look_up_by_the_name_of_a_route_method_costs_no_more_than_any_other(built: Built) -> None:
    def calls(method: str) -> int:
        users = "".join(f"def use_{number}(row): return look(row, {number})\n" for number in range(40))
        app = f"""
from flask import Flask
app = Flask(__name__)
app.add_url_rule("/orders", view_func=print)
def look(row, key):
    return row.{method}(key, "none")
{users}"""
        return calls_to_build(built, {"app.py": app})

    built({"first.py": "'The first registry of a process loads what the others find loaded.'"})
    assert calls("get") < 1.1 * calls("pop")


def test_the_ways_from_a_router_to_the_top_are_walked_once_a_question(built: Built) -> None:
    def calls(assignments: int) -> int:
        names = ["app", "api", "shop", "orders"]
        groups = "".join(f'\t{child} := {parent}.Group("/{child}")\n' for parent, child in pairwise(names))
        app = (
            'package main\n\nimport "github.com/gin-gonic/gin"\n\nfunc main() {\n\tapp := gin.New()\n'
            f'{groups * assignments}\torders.GET("/open", list)\n}}\n'
        )
        return calls_to_build(built, {"go.mod": "module example.com/shop\n", "main.go": app})

    built({"first.py": "'The first registry of a process loads what the others find loaded.'"})
    assert calls(16) < 3 * calls(8)


def test_what_is_mounted_is_followed_once_for_all_that_it_hangs_at(built: Built) -> None:
    def calls(applications: int) -> int:
        names = [f"router_{number}" for number in range(20)]
        app = (
            "from fastapi import APIRouter, FastAPI\n"
            + "app = FastAPI()\n" * applications
            + "router_0 = APIRouter()\n"
            + "".join(f"{later} = {earlier}\n" for earlier, later in pairwise(names))
            + "app.include_router(router_19)\n" * 40
        )
        return calls_to_build(built, {"app.py": app})

    built({"first.py": "'The first registry of a process loads what the others find loaded.'"})
    assert calls(16) < 2 * calls(4)
