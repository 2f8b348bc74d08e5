# SPDX-License-Identifier: Apache-2.0
"""The module files, linked into a MODULEPATH, find the prefix of their installation and set its paths.

check_modules.py FOLDER: with Lmod and with Environment Modules, whichever of them is installed.
"""

import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

SKIPPED = 77
# The module file, how its link must be named, and where Debian has the program that evaluates it.
SYSTEMS = {
    "Lmod": ("meridian.lua", "1.0.lua", ["/usr/share/lmod/lmod/libexec/lmod"]),
    "Environment Modules": ("meridian.tcl", "1.0", ["/usr/lib/x86_64-linux-gnu/modulecmd.tcl", "/usr/share/modules/libexec/modulecmd.tcl"]),
}
PATHS = {
    "PATH": "bin",
    "MANPATH": "share/man",
    "CMAKE_PREFIX_PATH": "",
    "PKG_CONFIG_PATH": "lib/pkgconfig",
    "PYTHONPATH": "lib/python3/dist-packages",
}


def loaded(command, module_path):
    """The environment of a shell that has loaded the module."""
    base = {"PATH": os.environ["PATH"], "MODULEPATH": str(module_path), "HOME": str(module_path)}
    code = subprocess.run([command, "bash", "load", "meridian/1.0"], capture_output=True, text=True, env=base, timeout=60, check=False)
    script = code.stdout + "\nenv -0"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, env=base, timeout=60, check=True)
    return dict(entry.split("=", 1) for entry in done.stdout.split("\0") if "=" in entry), code.stderr


def main():
    tried, wrong = 0, []
    for system, (file, link, programs) in SYSTEMS.items():
        command = next((program for program in programs if os.access(program, os.X_OK)), None)
        if command is None:
            continue
        tried += 1
        with tempfile.TemporaryDirectory() as temporary:
            prefix = pathlib.Path(temporary) / "a prefix"
            share = prefix / "share" / "meridian"
            share.mkdir(parents=True)
            (share / file).write_text((pathlib.Path(sys.argv[1]) / file).read_text())
            modules = pathlib.Path(temporary) / "modules"
            (modules / "meridian").mkdir(parents=True)
            (modules / "meridian" / link).symlink_to(share / file)
            environment, errors = loaded(command, modules)
            for name, below in PATHS.items():
                value = environment.get(name, "")
                expected = str(prefix / below).rstrip("/")
                if value.split(":")[0] != expected:
                    wrong.append(f"{system}: {name} is '{value}', must begin with {shlex.quote(expected)}\n{errors}")
            if not environment.get("MANPATH", "").endswith(":"):
                wrong.append(f"{system}: MANPATH hides the pages of the system: {environment.get('MANPATH')}")
    print("\n".join(wrong))
    if not tried:
        print("skipped: neither Lmod nor Environment Modules is installed; scripts/install-packages readers")
        return SKIPPED
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
