"""Very many schedules, on all cores, with their progress: `python -m tests.simulation --seed 1`. `make soak` runs 100,000.

A schedule that breaks a promise is named at once, and the others go on. `--from` continues where a run was stopped.
"""

import argparse
import multiprocessing
import os
import sys
import time

from tests.simulation.world import run_all

CHUNK, MOST = 250, 1_000_000


def main():
    made = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__.partition(":")[0] + ".")
    made.add_argument("--seed", type=int, default=1, help="which schedules: each seed has a million of its own")
    made.add_argument("--count", type=int, default=100_000, help="how many schedules")
    made.add_argument("--from", type=int, default=0, dest="first", help="continue with this one, counted from 0")
    made.add_argument("--workers", type=int, default=os.cpu_count(), help="processes")
    chosen = made.parse_args()
    os.environ["RULESTONE_JIT"] = "0"
    first = chosen.seed * MOST
    chunks = [range(first + k, first + min(k + CHUNK, chosen.count)) for k in range(chosen.first, chosen.count, CHUNK)]
    done, found, began = chosen.first, 0, time.monotonic()
    with multiprocessing.get_context("spawn").Pool(chosen.workers) as pool:
        for seeds, wrong in zip(chunks, pool.imap(run_all, chunks), strict=True):
            for seed, what in wrong.items():
                print(f"schedule {seed} breaks a promise: {what}", flush=True)
                print(f"  to see it again: RULESTONE_SIM_SEED={seed} python -m pytest tests/simulation", flush=True)
            done, found = done + len(seeds), found + len(wrong)
            print(f"{done:,} of {chosen.count:,} schedules, {found} violations, {time.monotonic() - began:.0f} s", flush=True)
    sys.exit(found > 0)


if __name__ == "__main__":
    main()
