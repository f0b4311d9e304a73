#!/usr/bin/env python3
"""What the README shows is what runs: its scene, its program, its files."""
import json
import os
import re

from command import SOURCE, CommandTest, main


def blocks(kind):
    with open(os.path.join(SOURCE, "README.md"), encoding="utf-8") as file:
        return re.findall(r"```%s\n(.*?)```" % kind, file.read(), re.S)


class Readme(CommandTest):
    def test_scene(self):
        (text,) = blocks("yaml")
        self.assertLessEqual(len(text.splitlines()), 15)
        with open(self.path("pins.yaml"), "w", encoding="utf-8") as file:
            file.write(text)
        self.check(["check", self.path("pins.yaml")], 0)
        result = self.run_scree("run", self.path("pins.yaml"), "--json", "--out", self.path("pins.h5"))
        self.assertEqual(result.code, 0, result.err)
        summary = json.loads(result.out.splitlines()[-1])
        self.assertEqual(summary["bodies"], 11)
        self.assertLess(summary["worst_penetration_percent"], 5.0)
        with open(self.path("pins_ball.csv"), encoding="utf-8") as file:
            rows = file.read().splitlines()
        # The pins take speed from the ball.
        column = next(k for k, name in enumerate(rows[0].split(",")) if name.startswith("vx"))
        self.assertLess(float(rows[-1].split(",")[column]), 2.5)

    def test_program(self):
        (text,) = blocks("c")
        self.assertLessEqual(len(text.splitlines()), 50)
        with open(os.path.join(SOURCE, "examples", "first.c"), encoding="utf-8") as file:
            self.assertEqual(file.read().split("*/\n", 1)[1], text)

    def test_files(self):
        with open(os.path.join(SOURCE, "README.md"), encoding="utf-8") as file:
            for path in re.findall(r"\]\(([^)#:]+)\)", file.read()):
                self.assertTrue(os.path.exists(os.path.join(SOURCE, path)), path)


if __name__ == "__main__":
    main()
