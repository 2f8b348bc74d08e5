# SPDX-License-Identifier: Apache-2.0
"""The tests that a preset chooses, as ctest lists them."""

import dataclasses
import json
import pathlib
import subprocess

FILTER = "--gtest_filter="


@dataclasses.dataclass
class Test:
    name: str
    command: list
    folder: str = "."
    labels: tuple = ()
    budget_s: float = 120.0
    processors: int = 1
    is_alone: bool = False
    is_disabled: bool = False
    locks: tuple = ()
    skip_code: int | None = None
    skip_pattern: tuple = ()
    fail_pattern: tuple = ()
    environment: dict = dataclasses.field(default_factory=dict)

    def case(self):
        """(program, name) where the test is one case of a GoogleTest program, else None."""
        if len(self.command) < 2 or not self.command[1].startswith(FILTER) or "*" in self.command[1]:
            return None
        return self.command[0], self.command[1][len(FILTER) :]


def words(value):
    """A property that is a text, a list, or absent."""
    return () if value is None else (value,) if isinstance(value, str) else tuple(value)


def test_of(entry, environment):
    properties = {item["name"]: item["value"] for item in entry.get("properties", ())}
    own = dict(word.split("=", 1) for word in words(properties.get("ENVIRONMENT")))
    skip_code = properties.get("SKIP_RETURN_CODE")
    return Test(
        name=entry["name"],
        command=entry.get("command", []),
        folder=properties.get("WORKING_DIRECTORY", "."),
        labels=words(properties.get("LABELS")),
        budget_s=float(properties.get("TIMEOUT", 120)),
        processors=int(properties.get("PROCESSORS", 1)),
        is_alone=bool(properties.get("RUN_SERIAL", False)),
        is_disabled=bool(properties.get("DISABLED", False)),
        locks=words(properties.get("RESOURCE_LOCK")),
        skip_code=None if skip_code is None else int(skip_code),
        skip_pattern=words(properties.get("SKIP_REGULAR_EXPRESSION")),
        fail_pattern=words(properties.get("FAIL_REGULAR_EXPRESSION")),
        environment={**environment, **own},
    )


def environment_of(preset, root="."):
    """The variables that a test preset sets, those that it inherits included."""
    root = pathlib.Path(root).resolve()
    presets = {entry["name"]: entry for entry in json.loads((root / "CMakePresets.json").read_text())["testPresets"]}

    def gather(name):
        found = {}
        for parent in words(presets[name].get("inherits")):
            found.update(gather(parent))
        return {**found, **presets[name].get("environment", {})}

    return {name: value.replace("${sourceDir}", str(root)) for name, value in gather(preset).items()}


def tests(preset, arguments=()):
    """Tests that `ctest --preset PRESET ARGUMENT...` would run; none where ctest fails, which then has printed why."""
    listed = subprocess.run(
        ["ctest", "--preset", preset, *arguments, "--show-only=json-v1"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=False
    )
    if listed.returncode:
        return []
    environment = environment_of(preset)
    return [test_of(entry, environment) for entry in json.loads(listed.stdout)["tests"]]
