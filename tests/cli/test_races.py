#!/usr/bin/env python3
"""Runs that start at the same moment with the same --out: one is made, the others are refused, and nothing is mixed or lost.
SCREE_RACES says how many times (test_races_long: 1,000)."""
import os
import subprocess
import sys

from command import SCREE, CommandTest, main

RUN = ["run", "settle", "--set", "n=20", "--solver", "gs", "--duration", "0.1", "--set", "recording.every=0.01", "--out", "k.h5"]


class Races(CommandTest):
    def tables(self):
        content = []
        for name in ("k_energy.csv", "k_floor.csv"):
            with open(self.path(name), "rb") as file:
                content.append(file.read())
        return content

    def clear(self):
        for name in os.listdir(self.dir):
            os.remove(self.path(name))

    def test_races(self):
        self.assertEqual(self.run_scree(*RUN).code, 0)
        whole = self.tables()
        made = 0
        for i in range(int(os.environ.get("SCREE_RACES", "12"))):
            self.clear()
            force = ["--force"] if i % 2 else []
            several = [subprocess.Popen([SCREE, *RUN, *force], cwd=self.dir, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                       for _ in range(2 + i % 3)]
            errors = [process.communicate()[1].decode() for process in several]
            codes = [process.returncode for process in several]
            made += codes.count(0)
            self.assertIn(0, codes, errors)
            if not force:
                self.assertEqual(codes.count(0), 1, errors)
            for code, error in zip(codes, errors):
                self.assertIn(code, (0, 6), error)
                if code:
                    self.assertRegex(error, r"^scree run: k[\w.]+: (another run is writing it( \(process \d+\))?; wait for that one, "
                                     r"or stop it|is there already; give another name, or --force to replace it)\n$")
            self.assertEqual(self.tables(), whole)
            verify = self.run_scree("verify", "k.h5")
            self.assertEqual((verify.code, verify.err), (0, ""))
            self.assertEqual([name for name in os.listdir(self.dir) if name.endswith(".new")], [])
        print(f"{made} runs were made, the others refused", file=sys.stderr)


if __name__ == "__main__":
    main()
