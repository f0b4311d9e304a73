#!/usr/bin/env python3
"""The man page and both completions know every verb and every option."""
import json
import os
import re

from command import SOURCE, CommandTest, main


def words(*path):
    with open(os.path.join(SOURCE, *path), encoding="utf-8") as file:
        return file.read()


class Reference(CommandTest):
    def setUp(self):
        super().setUp()
        self.verbs = json.loads(self.check(["list", "verbs", "--json"], 0).out)
        self.assertIn("solve", [verb["name"] for verb in self.verbs])

    def mentions(self, text, verb, option):
        return re.search(rf"--{re.escape(option)}(?![-\w])", text) is not None

    def test_man_page(self):
        page = words("docs", "man", "scree.1").replace("\\-", "-")
        for verb in self.verbs:
            head = f'.SH SCREE {verb["name"].upper()}\n'
            self.assertIn(head, page)
            section = page[page.index(head) + len(head):]
            section = section[:section.index("\n.SH ")]
            for option in verb["options"]:
                with self.subTest(verb=verb["name"], option=option["name"]):
                    self.assertTrue(self.mentions(section, verb, option["name"]))

    def test_bash_completion(self):
        script = words("cli", "completion", "scree.bash")
        for verb in self.verbs:
            match = re.search(rf'\n    {verb["name"]}\) options\+="(.*)" ;;', script)
            self.assertIsNotNone(match, verb["name"])
            self.assertEqual(sorted(match.group(1).split()),
                             sorted("--" + option["name"] for option in verb["options"]))
        names = [verb["name"] for verb in self.verbs]
        self.assertIn(" ".join(names), script)
        for verb in self.verbs:
            for option in verb["options"]:
                if "value" in option:
                    self.assertRegex(script, rf'(\| |    )--{option["name"]}( \||\))', option)

    def test_zsh_completion(self):
        script = words("cli", "completion", "_scree")
        common = script[script.index("limits=("):script.index("\n)\n\nif")]
        for verb in self.verbs:
            self.assertIn(f'\n  \'{verb["name"]}:', script)
            match = re.search(rf'\n  {verb["name"]}\)(.*?);;', script, re.S)
            self.assertIsNotNone(match, verb["name"])
            text = match.group(1) + (common if "$limits" in match.group(1) else "")
            for option in verb["options"]:
                self.assertTrue(self.mentions(text, verb, option["name"]), option)


if __name__ == "__main__":
    main()
