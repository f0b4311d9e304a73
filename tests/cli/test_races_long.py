#!/usr/bin/env python3
"""test_races.py 1,000 times."""
import os

os.environ.setdefault("SCREE_RACES", "1000")

from test_races import Races, main  # noqa: E402,F401

if __name__ == "__main__":
    main()
