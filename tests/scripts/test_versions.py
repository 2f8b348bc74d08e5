# SPDX-License-Identifier: Apache-2.0
"""cmake/MeridianVersions.cmake: what configure reports about libraries that are too old, too new, or unknown."""

import os
import pathlib
import subprocess
import tempfile
import unittest

MODULE = pathlib.Path(__file__).resolve().parents[2] / "cmake/MeridianVersions.cmake"
CMAKE = os.environ.get("CMAKE_COMMAND", "cmake")


def configure(call):
    """(exit code, text) of one call of the module; the text without line breaks, which CMake chooses."""
    with tempfile.TemporaryDirectory() as folder:
        script = pathlib.Path(folder) / "script.cmake"
        script.write_text(f'include("{MODULE}")\n{call}\n')
        done = subprocess.run([CMAKE, "-P", script], capture_output=True, text=True, check=False)
    return done.returncode, " ".join((done.stdout + done.stderr).split())


class Hdf5(unittest.TestCase):
    def test_an_old_one_is_an_error_that_names_what_is_needed(self):
        code, text = configure("meridian_check_hdf5(1.10.4)")
        self.assertEqual(code, 1)
        self.assertIn("HDF5 1.10.4 is too old", text)
        self.assertIn("install HDF5 1.10.5 or later", text)

    def test_tested_ones_pass_in_silence(self):
        for version in ("1.10.5", "1.10.8", "1.12.2", "1.14.5"):
            self.assertEqual(configure(f"meridian_check_hdf5({version})"), (0, ""), version)

    def test_a_newer_one_is_a_warning(self):
        for version in ("2.2.1", "3.0"):
            code, text = configure(f"meridian_check_hdf5({version})")
            self.assertEqual(code, 0)
            self.assertIn(f"HDF5 {version} is newer than the newest that Meridian was tested with", text)


class Mpi(unittest.TestCase):
    def flavor(self, *macros):
        text = " \n".join(f"#define {macro} 1" for macro in macros)
        return configure(f'meridian_mpi_flavor(flavor "{text} " /opt/mpicc)\nmessage("${{flavor}}")')

    def test_libraries_are_known_by_the_macros_of_their_header(self):
        self.assertEqual(self.flavor("MPI_VERSION", "OPEN_MPI"), (0, "openmpi"))
        for macro in ("MPICH_VERSION", "MVAPICH2_VERSION", "I_MPI_VERSION", "CRAY_MPICH_VERSION"):
            self.assertEqual(self.flavor("MPI_VERSION", macro), (0, "mpich"))

    def test_an_unknown_library_is_an_error_that_names_the_wrapper(self):
        code, text = self.flavor("MPI_VERSION", "OTHER_MPI")
        self.assertEqual(code, 1)
        self.assertIn("/opt/mpicc belongs to an MPI library that is neither Open MPI nor one with the binary interface of MPICH", text)

    def test_a_wrapper_without_a_header_is_an_error(self):
        code, text = self.flavor("__linux__")
        self.assertEqual(code, 1)
        self.assertIn("/opt/mpicc finds no mpi.h: install the development files", text)


class Calls(unittest.TestCase):
    def test_what_header_and_table_do_not_share_is_named(self):
        code, text = configure('meridian_check_calls(openmpi "Send;Send_c;Recv" "Send;Recv" "Send;Recv;Session_set_info")')
        self.assertEqual(code, 0)
        self.assertIn("MPI calls of openmpi: 2 of 3 in the table", text)
        self.assertIn("a newer openmpi may have the other 1: only a Meridian that is built with it records calls of these", text)
        self.assertIn("not in the table, so never recorded: MPI_Session_set_info", text)

    def test_nothing_is_said_where_both_agree(self):
        self.assertEqual(configure('meridian_check_calls(mpich "Send;Recv" "Send;Recv" "Send;Recv")'), (0, "-- MPI calls of mpich: 2 of 2 in the table"))


if __name__ == "__main__":
    unittest.main()
