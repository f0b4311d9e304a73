#!/usr/bin/env python3
"""Kills: a run is killed at 1,000 moments, half of them twice, and goes on to the same bits each time (SCREE_KILLS)."""
import os

os.environ.setdefault("SCREE_KILLS", "1000")

from test_run import Survive, main  # noqa: E402,F401

del Survive.test_full_disk, Survive.test_two_writers

if __name__ == "__main__":
    main()
