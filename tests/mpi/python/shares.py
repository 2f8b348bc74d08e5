# SPDX-License-Identifier: Apache-2.0
"""Computes in Python functions with designed shares, between collectives. Prints the seconds of processor time that each took.

shares.py SECONDS FACTOR

    FACTOR   rank 1 does as many times the work in assemble()
"""

import sys
import time
import zlib

from mpi4py import MPI

world = MPI.COMM_WORLD
DATA = bytes(range(256)) * 4096


def work_until(end):
    total = 0
    while time.thread_time() < end:
        for i in range(200):
            total += i % 7
    return total


class Solver:
    def __init__(self):
        self.seconds = dict.fromkeys(("assemble", "solve", "check"), 0.0)

    def timed(self, name, function, seconds):
        begin = time.thread_time()
        function(begin + seconds)
        self.seconds[name] += time.thread_time() - begin

    def assemble(self, end):
        total = 0
        while time.thread_time() < end:
            for i in range(200):
                total += i * 3
        return total

    def solve(self, end):
        return work_until(end)

    def check(self, end):
        value = 0
        while time.thread_time() < end:
            value = zlib.crc32(DATA, value)
        return value

    def iterate(self, factor):
        self.timed("assemble", self.assemble, 0.025 * factor)
        self.timed("solve", self.solve, 0.015)
        self.timed("check", self.check, 0.010)


def main():
    solver = Solver()
    factor = float(sys.argv[2]) if world.rank == 1 else 1
    for _ in range(round(float(sys.argv[1]) / 0.05)):
        solver.iterate(factor)
        world.Barrier()
    for rank in range(world.size):  # in turn: launchers mix the lines of ranks
        if rank == world.rank:
            print(world.rank, *(f"{seconds:.4f}" for seconds in solver.seconds.values()), flush=True)
            time.sleep(0.1)
        world.Barrier()


main()
