#!/usr/bin/env python3
"""Writes the calls of test_null.c: every public function with each of its pointers null in turn, the others as they should be,
with each of its ids stale in turn, and as it should be.
  write_calls.py INCLUDE OUT"""
import glob
import re
import sys

HANDLES = ["context", "world", "scene", "sim", "stepper", "solver", "ccp", "shape", "recording", "picture", "render", "server"]
IDS = ["scree_body_id", "scree_joint_id", "scree_link_id"]
CALLBACKS = {"scree_report_function": "report", "scree_write_function": "put"}
# A null handle that these take for "none".
OPTIONAL = {("scree_picture_create_world", "stepper"), ("scree_picture_create_world", "scene")}
# Threads do not survive a fork.
NOT_GIVEN = {"scree_server_create"}


def functions(folder):
    for path in sorted(glob.glob(folder + "/*.h")):
        with open(path, encoding="utf-8") as file:
            text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
        for m in re.finditer(r"SCREE_API\s+([^;{]*?)\b(scree_\w+)\s*\(((?:[^()]|\([^()]*\))*)\)", text):
            words = [" ".join(p.split()) for p in m.group(3).split(",")]
            yield " ".join(m.group(1).split()), m.group(2), [] if words == ["void"] else words


def split(parameter):
    """Type and name; arrays are pointers."""
    m = re.fullmatch(r"(.*?)(\w+)(\[\w*\])?", parameter)
    return m.group(1).strip() + (" *" if m.group(3) else ""), m.group(2)


def argument(kind, name, defaults):
    base = re.sub(r"\bconst\b|\*", "", kind).strip()
    stars = kind.count("*")
    if base in CALLBACKS:
        return CALLBACKS[base]
    if stars == 1 and base.startswith("scree_") and base[6:] in HANDLES:
        return "given.%s" % base[6:]
    if stars == 1 and base == "char" and "const" in kind:
        return '"absent.h5"' if name in ("path", "folder") else '"x"'
    if stars == 1 and base + "_default" in defaults:
        return "&(%s){%s_default()}.value" % ("struct { %s value; }" % base, base)
    if stars:
        return "(void *)room" if stars == 1 else "(void *)slot"
    if base in ("size_t", "int", "long", "unsigned", "uint32_t", "uint64_t"):
        return "1"
    if base in ("double", "float"):
        return "0.01"
    return "(%s){0}" % base


def main():
    folder, out = sys.argv[1:]
    found = list(functions(folder))
    defaults = {name for _, name, parameters in found if not parameters}
    lines = ["/* Written by write_calls.py from the headers. */"]
    table = []
    for kind, name, parameters in found:
        parts = [split(p) for p in parameters]
        arguments = [argument(k, n, defaults) for k, n in parts]
        cases = []
        for i, (k, n) in enumerate(parts):
            handle = arguments[i].startswith("given.")
            if "*" in k or k in CALLBACKS:
                told = kind == "scree_status" and handle and (name, n) not in OPTIONAL
                cases.append((n, arguments[:i] + ["NULL"] + arguments[i + 1:], told))
            if k in IDS:
                for what in ("gone", "wild"):
                    stale = "given.%s_%s" % (what, k[6:-3])
                    cases.append((n + " " + what, arguments[:i] + [stale] + arguments[i + 1:], kind == "scree_status"))
        if name not in NOT_GIVEN:
            cases.append(("all given", arguments, False))
        lines.append("static void call_%s(void) {" % name)
        for what, values, told in cases:
            call = "%s(%s)" % (name, ", ".join(values))
            lines.append('  if (begin("%s")) %s;' % (what, "must_tell(%s)" % call if told else "(void)%s" % call))
        lines.append("}")
        table.append(name)
    lines.append("static const struct { const char *name; void (*call)(void); } calls[] = {")
    lines += ['    {"%s", call_%s},' % (n, n) for n in table]
    lines.append("};")
    with open(out, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


main()
