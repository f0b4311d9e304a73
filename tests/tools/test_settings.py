"""Settings of a run have one name: each member of scree_stepper_def is a key of `solver:` in scenes, by the schema
that the library's own table of keys writes."""
import json
import os
import re
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
# Of the definition alone: the solver's name is `name` in its own section, the cookie is no setting.
ELSEWHERE = {"cookie": None, "solver": "name"}
# Of scenes alone: options by the solver's own table, and names of earlier versions that are still read.
SCENES = {"options", "tolerance", "error_tolerance", "iterations", "retry_iterations"}


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


class Settings(unittest.TestCase):
    def test_scenes_and_c_use_the_same_names(self):
        header = re.sub(r"/\*.*?\*/", "", read("include", "scree", "stepper.h"), flags=re.S)
        body = re.search(r"typedef struct scree_stepper_def \{(.*?)\} scree_stepper_def;", header, re.S).group(1)
        members = {ELSEWHERE.get(name, name) for name in re.findall(r"(\w+);", body)} - {None}
        self.assertGreater(len(members), 15)
        schema = json.loads(read("docs", "scene.schema.json"))
        keys = set(schema["$defs"]["solver"]["properties"])
        self.assertEqual(keys - SCENES, members)
        self.assertLessEqual(SCENES, keys)


if __name__ == "__main__":
    unittest.main()
