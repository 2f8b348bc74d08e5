# SPDX-License-Identifier: Apache-2.0
"""Calls MPI through ctypes, with any MPI library: foreign.py LIBRARY. Comments as in solver.py."""

import ctypes
import sys

library = ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)
name, length = ctypes.create_string_buffer(1024), ctypes.c_int()


class Node:
    def ask(self):
        library.MPI_Get_processor_name(name, ctypes.byref(length))  #= MPI_Get_processor_name Node.ask 3


def ask_twice():
    for _ in range(2):
        library.MPI_Get_processor_name(name, ctypes.byref(length))  #= MPI_Get_processor_name ask_twice 2


library.MPI_Init(None, None)  #= MPI_Init <module> 1
for _ in range(3):
    Node().ask()
ask_twice()
library.MPI_Finalize()  #= MPI_Finalize <module> 1
sys.stdout.write("done\n")
