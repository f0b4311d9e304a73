#!/usr/bin/env python3
"""test_power.py with 1,000 cuts."""
import os

os.environ.setdefault("SCREE_CUTS", "1000")

from test_power import Power, main  # noqa: E402,F401

if __name__ == "__main__":
    main()
