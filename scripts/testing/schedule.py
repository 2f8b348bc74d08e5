# SPDX-License-Identifier: Apache-2.0
"""Runs jobs side by side.

Twice as many processes as cores, since most tests wait for something; and while the processors have nothing to do, up to half as
many again. A job that wants the machine for itself (ALONE) runs after all others.
"""

import os
import queue
import threading
import time

IDLE = 0.25  # of the processors' time: then another job may begin
TURN_S = 0.5


def processor_times():
    """(idle, all) of the machine since it was started, in ticks."""
    with open("/proc/stat", encoding="ascii") as file:
        times = [int(word) for word in file.readline().split()[1:9]]
    return times[3] + times[4], sum(times)


class Idleness:
    """Whether the processors had time left during the last moments."""

    def __init__(self):
        self.last, self.since, self.has_room = processor_times(), time.monotonic(), False

    def look(self):
        if time.monotonic() - self.since >= TURN_S:
            now = processor_times()
            idle, whole = now[0] - self.last[0], now[1] - self.last[1]
            self.last, self.since, self.has_room = now, time.monotonic(), whole > 0 and idle >= IDLE * whole
        return self.has_room

    def take(self):
        """Something has been started: its effect has to be seen first."""
        self.last, self.since, self.has_room = processor_times(), time.monotonic(), False


def run(jobs, on_result, cores=None):
    """Runs all jobs; on_result(job, outcomes, processor_s, seconds) for each as it ends. Its order is that of `jobs` where there is a choice."""
    cores = cores or os.cpu_count() or 1
    usual = max(4, 2 * cores)
    ended = queue.Queue()
    waiting, running, idleness = list(jobs), [], Idleness()

    def weight(job):
        return min(job.test.processors, usual)

    def work(job):
        begin = time.monotonic()
        ended.put((job, *job.run(), time.monotonic() - begin))

    def may_begin(job, room):
        if job.test.is_alone:
            return not running and all(other.test.is_alone for other in waiting)
        if any(other.test.is_alone for other in running) or set(job.test.locks) & {lock for other in running for lock in other.test.locks}:
            return False
        return not running or sum(map(weight, running)) + weight(job) <= room

    while waiting or running:
        has_idle = idleness.look() and len(running) >= 2
        room = usual + usual // 2 if has_idle else usual
        job = next((job for job in waiting if may_begin(job, room)), None)
        if job:
            if has_idle:
                idleness.take()
            waiting.remove(job)
            running.append(job)
            threading.Thread(target=work, args=(job,), daemon=True).start()
            continue
        try:
            job, outcomes, processor_s, seconds = ended.get(timeout=TURN_S)
        except queue.Empty:
            continue
        running.remove(job)
        on_result(job, outcomes, processor_s, seconds)
