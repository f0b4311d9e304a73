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


def members_of(header, struct):
    """Names of the members of a structure; several may share a type."""
    text = re.sub(r"/\*.*?\*/", "", read("include", "scree", header), flags=re.S)
    body = re.search(r"typedef struct %s \{(.*?)\} %s;" % (struct, struct), text, re.S).group(1)
    names = (re.search(r"(\w+)(?:\[[^\]]*\])*\s*$", piece) for piece in re.split("[;,]", body))
    return {found.group(1) for found in names if found} - {"cookie"}


class Settings(unittest.TestCase):
    def test_bodies_and_materials_have_the_same_names(self):
        keys = {name: set(of["properties"]) for name, of in json.loads(read("docs", "scene.schema.json"))["$defs"].items()}
        self.assertEqual(members_of("model.h", "scree_material_def"), keys["material"])
        # Points are nodes of flexible parts.
        self.assertEqual(members_of("model.h", "scree_body_def") - keys["body"], {"point"})

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
