# SPDX-License-Identifier: Apache-2.0
"""Behaviour and messages of the `meridian` command. Usage: check_cli.py CHECK --meridian PATH ... (see CMakeLists.txt)"""

import sys

sys.dont_write_bytecode = True  # the modules below lie in the source tree
import check_command_line  # noqa: E402
import check_compare  # noqa: E402
import check_manual  # noqa: E402
import check_pack  # noqa: E402
import check_run  # noqa: E402
import check_traces  # noqa: E402
from cli_harness import arguments  # noqa: E402

checks = vars(check_command_line) | vars(check_compare) | vars(check_manual) | vars(check_pack) | vars(check_run) | vars(check_traces)
checks["check_" + arguments.check]()
