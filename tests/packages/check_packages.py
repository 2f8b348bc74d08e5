# SPDX-License-Identifier: Apache-2.0
"""Makes the Debian packages, installs them, traces with them, and removes them.

check_packages.py --build B --cpack C --root overlay   in this machine's system, on a layer above it that is thrown away
check_packages.py --build B --cpack C --root bare      in a new Debian 12 with nothing but apt, from the mirror that this machine uses
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SKIPPED = 77
PACKAGES = {"meridian", "meridian-runtime", "meridian-dev", "python3-meridian", "meridian-doc"}
MPI_LIBRARIES = {"openmpi": "libopenmpi", "mpich": "libmpich"}  # for each that the build has, a package that depends on it
# Files that users of each package rely on.
CONTENTS = {
    "meridian": ["usr/bin/meridian", "usr/share/man/man1/meridian.1", "usr/share/man/man1/meridian-merge.1",
                 "usr/share/man/man5/meridian.conf.5", "usr/share/bash-completion/completions/meridian", "usr/share/meridian/meridian.lua"],
    "meridian-runtime": ["usr/libexec/meridian/meridian-writer", "usr/lib/meridian/openmpi/libmeridian.so",
                         "usr/lib/meridian/abi/libmeridian.so"],
    "meridian-dev": ["usr/include/meridian/user.h", "usr/lib/libmeridian.so", "usr/lib/pkgconfig/meridian-user.pc",
                     "usr/lib/cmake/Meridian/MeridianConfig.cmake", "usr/lib/libmeridian_merged.a"],
    "python3-meridian": ["usr/lib/python3/dist-packages/meridian/__init__.py"],
    "meridian-doc": ["usr/share/doc/meridian/README.md", "usr/share/doc/meridian/docs/CLOCKS.md", "usr/share/doc/meridian/examples/ring.c"],
}
NEEDED = ["openmpi-bin", "libopenmpi-dev", "gcc", "libc6-dev", "pkg-config"]  # a machine that runs and builds MPI programs

LAYER = """
set -e
mount -t tmpfs layer "$1"
mkdir "$1/changes" "$1/work" "$1/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/changes,workdir=$1/work" "$1/root"
"""
IN_ROOT = """
set -e
for folder in proc sys dev; do mount --rbind /$folder "$2/$folder"; done
mkdir -p "$2/packages" "$2/sources"
mount --bind "$3" "$2/packages"
mount --bind "$4" "$2/sources"
cp -L /etc/resolv.conf "$2/etc/resolv.conf" 2>/dev/null || true
exec chroot "$2" /bin/sh /sources/tests/packages/try_packages.sh "$5"
"""


class Skip(Exception):
    pass


def run(*words, **options):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, timeout=1200, **options)


def must(*words, **options):
    done = run(*words, **options)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, words))} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def make_packages(options, folder):
    must(options.cpack, "--config", pathlib.Path(options.build) / "CPackConfig.cmake", "-G", "DEB", "-B", folder)
    made = {must("dpkg-deb", "--field", path, "Package").strip(): path for path in folder.glob("*.deb")}
    flavors = [flavor for flavor in MPI_LIBRARIES if (pathlib.Path(options.build) / "lib/meridian" / flavor).is_dir()]
    assert set(made) == PACKAGES | {f"meridian-{flavor}" for flavor in flavors}, made
    contents = CONTENTS | {f"meridian-{flavor}": [f"usr/lib/meridian/{flavor}/libmeridian-processes.so"] for flavor in flavors}
    for name, files in contents.items():
        listed = {line.split()[5].removeprefix("./") for line in must("dpkg-deb", "--contents", made[name]).splitlines()}
        missing = [file for file in files if file not in listed]
        assert not missing, f"{name} lacks {missing}"
        strange = [file for file in listed if str(ROOT) in file or "/build/" in file]
        assert not strange, f"{name} has {strange}"
    assert "libhdf5" in must("dpkg-deb", "--field", made["meridian"], "Depends")
    for name, path in made.items():
        depends = must("dpkg-deb", "--field", path, "Depends")
        for flavor in flavors:
            assert (MPI_LIBRARIES[flavor] in depends) == (name == f"meridian-{flavor}"), f"{name} depends on {depends}"
    assert "libc6" in must("dpkg-deb", "--field", made["meridian-runtime"], "Depends")
    assert must("dpkg-deb", "--field", made["meridian-doc"], "Architecture").strip() == "all"


def new_debian(folder):
    """A Debian 12 with apt and what apt needs."""
    if shutil.which("mmdebstrap") is None:
        raise Skip("there is no mmdebstrap; scripts/install-packages bare")
    sources = [path for path in pathlib.Path("/etc/apt").rglob("*") if path.suffix in (".list", ".sources") and path.stat().st_size]
    debian = [path for path in sources if "debian" in path.read_text()]
    if not debian:
        raise Skip("this machine has no mirror of Debian")
    done = run("mmdebstrap", "--variant=apt", "--mode=root", "--skip=cleanup/apt/lists", "bookworm", folder, *debian)
    if done.returncode != 0:
        raise Skip(f"no Debian could be had: {done.stderr[-2000:]}")


def main():
    parser = argparse.ArgumentParser()
    for name in ("build", "cpack"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--root", choices=("overlay", "bare"), required=True)
    options = parser.parse_args()
    if os.geteuid() != 0:
        raise Skip("packages are installed by root only")
    missing = [program for program in ("dpkg-deb", "dpkg-shlibdeps", "unshare", "chroot") if shutil.which(program) is None]
    if missing:
        raise Skip(f"not installed: {', '.join(missing)}")
    with tempfile.TemporaryDirectory(prefix="meridian-packages-") as temporary:
        folder = pathlib.Path(temporary)
        packages, layer = folder / "packages", folder / "layer"
        packages.mkdir()
        layer.mkdir()
        make_packages(options, packages)
        arguments = ["sh", layer, layer / "root", packages, ROOT]
        if options.root == "overlay":
            if run("unshare", "--mount", "sh", "-c", LAYER, *arguments).returncode != 0:
                raise Skip("this system lets nobody mount an overlay")
            script = LAYER + IN_ROOT
        else:
            new_debian(layer / "root")
            script = IN_ROOT
        how = " ".join(NEEDED) if options.root == "bare" else ""
        done = run("unshare", "--mount", "--propagation", "private", "sh", "-c", script, *arguments, how)
        print(done.stdout + done.stderr)
        assert done.returncode == 0, f"ended with {done.returncode}"
        assert done.stdout.rstrip().endswith("all is well"), "did not come to its end"
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Skip as reason:
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
