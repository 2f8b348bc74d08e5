# SPDX-License-Identifier: Apache-2.0
"""Calls MPI through ctypes: looks_up.py LIBRARY local|global"""

import ctypes
import sys

library = ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL if sys.argv[2] == "global" else ctypes.RTLD_LOCAL)
name, length = ctypes.create_string_buffer(1024), ctypes.c_int()
library.MPI_Init(None, None)
for _ in range(20):
    library.MPI_Get_processor_name(name, ctypes.byref(length))
library.MPI_Finalize()
sys.stdout.write("done\n")  # print() writes the end of the line alone
