/* Wrong scenes and the exact messages that they get: what is wrong, where, and what is allowed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "scree/scree.h"

#define BALL "bodies: [{shape: {sphere: {radius: 1}}}]"
/* A body, and on the second line a joint between the world and it. */
#define JOINT(keys)                                                                                \
  "bodies: [{name: a, shape: {sphere: {radius: 1}}}]\njoints: [{bodies: [world, a], " keys "}]"

static const struct {
  const char *scene, *message;
} faults[] = {
    {"", "scene.yaml:1:1: the scene is empty"},
    {"[1, 2]", "scene.yaml:1:1: a scene is a map of keys"},
    {"{", "scene.yaml:2:1: not YAML or JSON: did not find expected node content while parsing a "
          "flow node"},
    {"a: b: c", "scene.yaml:1:5: not YAML or JSON: mapping values are not allowed in this context"},
    {"step: 1\nstep: 2", "scene.yaml:2:1: key 'step' is given twice"},
    {"bodies: *x", "scene.yaml:1:9: there is no anchor 'x' above"},
    {"--- {}\n--- {}", "scene.yaml:2:1: a second document; a scene is one"},
    {"title: x", "scene.yaml:1:1: there are no bodies"},
    {"stp: 1\n" BALL, "scene.yaml:1:1: unknown key 'stp'; did you mean 'step'?"},
    {"step: 5 mm\n" BALL,
     "scene.yaml:1:7: step: '5 mm' has the wrong unit; a value in s is expected"},
    {"step: 0\n" BALL,
     "scene.yaml:1:7: step: 0 s is out of range; it must be more than 0 and at most 10"},
    {"step: -1 ms\n" BALL,
     "scene.yaml:1:7: step: -0.001 s is out of range; it must be more than 0 and at most 10"},
    {"step: fast\n" BALL, "scene.yaml:1:7: step: 'fast' is not a number; write a number, one with "
                          "a unit (\"5 ms\") or ${…}"},
    {"step: [1]\n" BALL, "scene.yaml:1:7: step: a number is expected, not a list"},
    {"step: .nan\n" BALL, "scene.yaml:1:7: step: '.nan' is not finite"},
    {"step: nan\n" BALL, "scene.yaml:1:7: step: 'nan' is not finite"},
    {"step: 1e999\n" BALL, "scene.yaml:1:7: step: '1e999' is not finite"},
    {"step: 5 parsecs\n" BALL,
     "scene.yaml:1:7: step: 'parsecs' is not a unit; a value in s is expected"},
    {"step: 20\n" BALL,
     "scene.yaml:1:7: step: 20 s is out of range; it must be more than 0 and at most 10"},
    {"gravity: [0, 0]\n" BALL,
     "scene.yaml:1:10: gravity: a list of 3 numbers is expected, not a list of 2"},
    {"gravity: 9.81\n" BALL,
     "scene.yaml:1:10: gravity: a list of 3 numbers is expected, not a single value"},
    {"gravity: {x: 1}\n" BALL,
     "scene.yaml:1:10: gravity: a list of 3 numbers is expected, not a map"},
    {"gravity: [0, 0, x]\n" BALL, "scene.yaml:1:17: gravity: 'x' is not a number; write a number, "
                                  "one with a unit (\"5 ms\") or ${…}"},
    {"duration: ${t}\n" BALL, "scene.yaml:1:11: there is no parameter 't'; there are none"},
    {"parameters: {time: 2}\nduration: ${tim}\n" BALL,
     "scene.yaml:2:11: there is no parameter 'tim'; did you mean 'time'?"},
    {"duration: ${1 +}\n" BALL, "scene.yaml:1:11: in '${1 +}': a number or a name is expected"},
    {"duration: ${1 / 0}\n" BALL, "scene.yaml:1:11: in '${1 / 0}': the value is not finite"},
    {"duration: ${sqrt(1, 2)}\n" BALL,
     "scene.yaml:1:11: in '${sqrt(1, 2)}': one argument is expected by 'sqrt'"},
    {"duration: ${sqr(2)}\n" BALL, "scene.yaml:1:11: in '${sqr(2)}': there is no function 'sqr'"},
    {"duration: ${(1}\n" BALL, "scene.yaml:1:11: in '${(1}': a ')' is missing"},
    {"parameters: {g: 2}\nduration: ${3 g}\n" BALL,
     "scene.yaml:2:11: in '${3 g}': a sign (as *) is missing before the parameter 'g'"},
    {"duration: ${3 x}\n" BALL,
     "scene.yaml:1:11: in '${3 x}': a sign (as *) or a unit is expected before 'x'"},
    {"duration: ${1 2}\n" BALL, "scene.yaml:1:11: in '${1 2}': unexpected text before the '}'"},
    {"parameters: [1]\n" BALL, "scene.yaml:1:13: parameters: a map of names is expected"},
    {"parameters: {pi: 3}\n" BALL,
     "scene.yaml:1:14: 'pi' is a name of expressions; choose another"},
    {"parameters: {a-b: 3}\n" BALL,
     "scene.yaml:1:14: 'a-b' is no name; letters, digits and _ are allowed"},
    {"parameters: {a: many}\n" BALL, "scene.yaml:1:17: a: 'many' is not a number; write a number, "
                                     "one with a unit (\"5 ms\") or ${…}"},
    {"bodies: {}", "scene.yaml:1:9: bodies: a list is expected"},
    {"bodies: [{mass: 1}]", "scene.yaml:1:10: body: key 'shape' is missing"},
    {"bodies: [{masss: 1, shape: {sphere: {radius: 1}}}]",
     "scene.yaml:1:11: unknown key 'masss'; did you mean 'mass'?"},
    {"bodies: [{mass: 0, shape: {sphere: {radius: 1}}}]",
     "scene.yaml:1:17: mass: 0 kg is out of range; it must be more than 0"},
    {"bodies: [{mass: 1, density: 2, shape: {sphere: {radius: 1}}}]",
     "scene.yaml:1:29: density: there is a mass already; give one of them"},
    {"bodies: [{density: 2 kg, shape: {sphere: {radius: 1}}}]",
     "scene.yaml:1:20: density: '2 kg' has the wrong unit; a value in kg/m^3 is expected"},
    {"bodies: [{density: -2, shape: {sphere: {radius: 1}}}]",
     "scene.yaml:1:20: density: -2 kg/m^3 is out of range; it must be more than 0"},
    {"bodies: [{shape: {sphere: {}}}]", "scene.yaml:1:27: sphere: key 'radius' is missing"},
    {"bodies: [{shape: {sphere: {radius: 0}}}]",
     "scene.yaml:1:36: radius: 0 m is out of range; it must be more than 0"},
    {"bodies: [{shape: {sphere: {radius: 1 s}}}]",
     "scene.yaml:1:36: radius: '1 s' has the wrong unit; a value in m is expected"},
    {"bodies: [{shape: {sfere: {radius: 1}}}]",
     "scene.yaml:1:19: unknown key 'sfere'; did you mean 'sphere'?"},
    {"bodies: [{shape: {sphere: {radius: 1}, box: {size: [1, 1, 1]}}}]",
     "scene.yaml:1:18: shape: exactly one key is expected, of: sphere, ellipsoid, box, capsule, "
     "cylinder, cone, hull, half_space, box_container, cylinder_container, cone_container, mesh, "
     "height_field, "
     "compound"},
    {"bodies: [{shape: {box: {size: [1, 1]}}}]",
     "scene.yaml:1:31: size: a list of 3 numbers is expected, not a list of 2"},
    {"bodies: [{shape: {box: {size: [1, 1, -1]}}}]",
     "scene.yaml:1:38: size: -1 m is out of range; it must be more than 0"},
    {"bodies: [{shape: {hull: {points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]}}}]",
     "scene.yaml:1:18: the 4 points of a hull lie in a plane, on a line or in one place (to 1e-7 "
     "of their extent 1.41421 m); it would have no volume"},
    {"bodies: [{shape: {hull: {points: 3}}}]", "scene.yaml:1:34: points: a list is expected"},
    {"bodies: [{shape: rock}]",
     "scene.yaml:1:18: there is no shape 'rock' in `shapes`; there are none"},
    {"shapes: {rock: {sphere: {radius: 1}}}\nbodies: [{shape: rok}]",
     "scene.yaml:2:18: there is no shape 'rok' in `shapes`; did you mean 'rock'?"},
    {"shapes: {a: {compound: {parts: [{shape: a}]}}}\nbodies: [{shape: a}]",
     "scene.yaml:1:41: shapes within shapes more than 16 deep; does one contain itself?"},
    {"shapes: {a: a}\nbodies: [{shape: a}]",
     "scene.yaml:1:13: shapes within shapes more than 16 deep; does one contain itself?"},
    {"shapes: {a: b, b: a}\nbodies: [{shape: a}]",
     "scene.yaml:1:19: shapes within shapes more than 16 deep; does one contain itself?"},
    {"shapes: {a: a}\nbodies: [{shape: a, lattice: {count: [2, 1, 1], pitch: [1, 1, 1]}, sizes: "
     "{uniform: [2, 3]}}]",
     "scene.yaml:1:13: shapes within shapes more than 16 deep; does one contain itself?"},
    {"bodies: [{shape: {sphere: {radius: 1e308 km}}}]",
     "scene.yaml:1:36: radius: '1e308 km' is not finite"},
    {"bodies: [{shape: {sphere: {radius: 1}}, for: {i: 1e7, j: 1e7, k: 0}}]",
     "scene.yaml:1:46: for: more than 2e+07 turns in all"},
    {"bodies: [{shape: {sphere: {radius: 1}}, for: {i: 1e8}}]",
     "scene.yaml:1:46: for: more than 2e+07 turns in all"},
    {"bodies: [{shape: {sphere: {radius: 1}}, for: {i: 3e6, j: 100, k: 1}}]",
     "scene.yaml:1:46: for: more than 2e+07 turns in all"},
    {"a: &a [1,1,1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
     "c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n"
     "e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]",
     "scene.yaml:6:29: aliases stand for more than 1000000 values"},
    {BALL "\nprobes: [{kind: energy}, {name: c, kind: energy}]",
     "scene.yaml:2:10: probe: key 'name' is missing"},
    {"bodies: [{shape: {compound: {parts: []}}}]",
     "scene.yaml:1:18: a compound of 0 parts; it needs one"},
    {"bodies: [{kind: fixed, shape: {mesh: {file: nowhere.stl}}}]",
     "scene.yaml:1:45: cannot read 'nowhere.stl': No such file or directory"},
    {"bodies: [{shape: {half_space: {}}}]",
     "scene.yaml:1:10: a half_space has no mass (no end, or not a closed surface); give the body a "
     "mass, or make it fixed or prescribed"},
    {"bodies: [{kind: fixed, shape: {cylinder_container: {radius: 1, length: 1, open: left}}}]",
     "scene.yaml:1:81: open: 'left' is not known; allowed: none, bottom, top, both"},
    {"bodies: [{kind: fixed, shape: {cone_container: {bottom_radius: 0, top_radius: 0, length: "
     "1}}}]",
     "scene.yaml:1:31: radii of a cone container are 0 and 0; they must be finite and not "
     "negative, and at most one may be 0"},
    {"bodies: [{shape: {sphere: {radius: 1}}, kind: fix}]",
     "scene.yaml:1:47: kind: 'fix' is not known; allowed: dynamic, fixed, prescribed"},
    {"bodies: [{shape: {sphere: {radius: 1}}, kind: fixed, mass: 2}]",
     "scene.yaml:1:60: mass: a fixed body has none; remove the key"},
    {"bodies: [{shape: {sphere: {radius: 1}}, rotation: [0, 0, 0, 0]}]",
     "scene.yaml:1:51: rotation: its length is zero"},
    {"bodies: [{shape: {sphere: {radius: 1}}, rotation: [0, 0, 1]}]",
     "scene.yaml:1:51: rotation: a quaternion [w, x, y, z] or {axis: [x, y, z], angle: 30 deg} or "
     "random is expected"},
    {"bodies: [{shape: {sphere: {radius: 1}}, rotation: {axis: [0, 0, 0], angle: 1}}]",
     "scene.yaml:1:58: axis: its length is zero"},
    {"bodies: [{shape: {sphere: {radius: 1}}, rotation: {axis: [0, 0, 1], angle: 1 m}}]",
     "scene.yaml:1:76: angle: '1 m' has the wrong unit; a value in rad is expected"},
    {"bodies: [{shape: {sphere: {radius: 1}}, rotation: random}]",
     "scene.yaml:1:51: rotation: random is for many bodies only (lattice, random, emitters)"},
    {"bodies: [{shape: {sphere: {radius: 1}}, material: stel}]",
     "scene.yaml:1:51: there is no material 'stel' in `materials`; there are none"},
    {"materials: {steel: {friction: 0.3}}\nbodies: [{shape: {sphere: {radius: 1}}, material: "
     "stel}]",
     "scene.yaml:2:51: there is no material 'stel' in `materials`; did you mean 'steel'?"},
    {"bodies: [{shape: {sphere: {radius: 1}}, inertia: [1, 0, 0, 1, 0, 1]}]",
     "scene.yaml:1:50: inertia: it needs a mass beside it"},
    {"bodies: [{shape: {sphere: {radius: 1}}, mass: 1, inertia: [1, 0, 0, 1, 0, 5]}]",
     "scene.yaml:1:10: body: principal inertia (1 1 5) breaks the triangle rule: no body has one "
     "larger than the sum of the others"},
    {"bodies: [{shape: {sphere: {radius: 1}}, mass: 1, inertia: [1, 0, 0, 1, 0, -1]}]",
     "scene.yaml:1:10: body: principal inertia (1 1 -1) must be positive"},
    {"bodies: [{shape: {sphere: {radius: 1}}, center: [0, 0, 0]}]",
     "scene.yaml:1:49: center: it needs an inertia beside it"},
    {"materials: {steel: {friction: -1}}\n" BALL,
     "scene.yaml:1:31: friction: -1 is out of range; it must be at least 0 and at most 100"},
    {"materials: {steel: {restitution: 2}}\n" BALL,
     "scene.yaml:1:34: restitution: 2 is out of range; it must be at least 0 and at most 1"},
    {"materials: {steel: {frictoin: 1}}\n" BALL,
     "scene.yaml:1:21: unknown key 'frictoin'; did you mean 'friction'?"},
    {"materials: [steel]\n" BALL, "scene.yaml:1:12: materials: a map of names is expected"},
    {"pairs: [{between: [a, b]}]\n" BALL,
     "scene.yaml:1:20: there is no material 'a' in `materials`; there are none"},
    {"pairs: [{friction: 1}]\n" BALL, "scene.yaml:1:9: pair: key 'between' is missing"},
    {"pairs: [{between: a}]\n" BALL,
     "scene.yaml:1:19: between: a list of two materials is expected"},
    {"solver: {name: agpd}\n" BALL,
     "scene.yaml:1:16: there is no solver 'agpd'; did you mean 'apgd'?"},
    {"solver: {name: apgd, options: {speed: 9}}\n" BALL,
     "scene.yaml:1:32: apgd has no option 'speed'"},
    {"solver: {options: {speed: 9}}\n" BALL,
     "scene.yaml:1:19: options: they need the name of a solver beside them"},
    {"solver: {model: exact}\n" BALL,
     "scene.yaml:1:17: model: 'exact' is not known; allowed: relaxed, coulomb"},
    {"solver: {tolerance_residual: -1}\n" BALL,
     "scene.yaml:1:30: tolerance_residual: -1 is out of range; it must be at least 0"},
    {"solver: {iteration_limit: 2.5}\n" BALL,
     "scene.yaml:1:27: iteration_limit: a whole number is expected, not 2.5"},
    {"solver: {tolerance_residual: 0}\n" BALL,
     "scene.yaml:1:30: tolerance_residual: it is 0 and tolerance_error too; one must be over 0"},
    {"solver: {tolerance_residual: 0.1, tolerance_moving: 0.05}\n" BALL,
     "scene.yaml:1:53: tolerance_moving: 0.05 is below the tolerance of bodies at rest, 0.1"},
    {"solver: {tolerance_residual: 0.1, tolerance: 0.05}\n" BALL,
     "scene.yaml:1:35: tolerance: it is a former name of tolerance_residual, which is given too"},
    {"solver: {on_nonconverged: halt}\n" BALL,
     "scene.yaml:1:27: on_nonconverged: 'halt' is not known; allowed: continue, retry, stop"},
    {"solver: {warm_start: perhaps}\n" BALL,
     "scene.yaml:1:22: warm_start: true or false is expected"},
    {"bodies: [{shape: {sphere: {radius: 1}}, motion: {wave: {}}}]",
     "scene.yaml:1:50: unknown key 'wave'; allowed: constant, sine, table, path"},
    {"bodies: [{shape: {sphere: {radius: 1}}, motion: {sine: {amplitude: [0, 0, 1]}}}]",
     "scene.yaml:1:56: sine motion: key 'frequency' is missing"},
    {"bodies: [{shape: {sphere: {radius: 1}}, motion: {table: {times: [0, 1], displacements: [[0, "
     "0, 0]]}}}]",
     "scene.yaml:1:88: displacements: 1 of them for 2 times; one for each is expected"},
    {"bodies: [{shape: {sphere: {radius: 1}}, motion: {table: {times: [1, 0], displacements: [[0, "
     "0, 0], [1, 0, 0]]}}}]",
     "scene.yaml:1:57: motion: the times do not ascend at row 1"},
    {"bodies: [{shape: {sphere: {radius: 1}}, kind: dynamic, motion: {constant: {}}}]",
     "scene.yaml:1:47: kind: a body with a motion is prescribed"},
    {"bodies: [{shape: {sphere: {radius: 1}}, for: {i: -1}}]",
     "scene.yaml:1:50: i: -1 turns; a whole number from 0 on is expected"},
    {"assemblies: [{file: part.yaml, for: {i: 1e300}}]",
     "scene.yaml:1:41: i: 1e+300 turns; a whole number from 0 to 1000 is expected"},
    {"bodies: [{shape: {sphere: {radius: 1}}, for: 3}]",
     "scene.yaml:1:46: for: a map of loop variables is expected, as {i: 4}"},
    {"bodies: [{shape: {sphere: {radius: 1}}, lattice: {count: [2, 2, 2], pitch: [1, 1, 1], "
     "number: 9}}]",
     "scene.yaml:1:95: number: 9 bodies for 8 places; raise the count"},
    {"bodies: [{shape: {sphere: {radius: 1}}, lattice: {count: [2, 2, 1.5], pitch: [1, 1, 1]}}]",
     "scene.yaml:1:58: count: whole numbers are expected"},
    {"bodies: [{shape: {sphere: {radius: 1}}, random: {number: 5, region: {box: {lower: [0, 0, 0], "
     "upper: [2, 2, 2]}}}}]",
     "scene.yaml:1:49: random: only 1 of 5 bodies found a place; take a larger region or fewer "
     "bodies"},
    {"bodies: [{shape: {sphere: {radius: 1}}, random: {number: 5, region: {box: {lower: [0, 0, 0], "
     "upper: [2, 2, -2]}}}}]",
     "scene.yaml:1:101: upper: -2 is below the lower end 0"},
    {"bodies: [{shape: {sphere: {radius: 1}}, random: {number: 5, region: {ball: {}}}}]",
     "scene.yaml:1:70: unknown key 'ball'; allowed: box, cylinder"},
    {"bodies: [{csv: {file: nowhere.csv}}]",
     "scene.yaml:1:23: cannot read 'nowhere.csv': No such file or directory"},
    {"bodies: [{shape: {sphere: {radius: 1}}, sizes: {uniform: [1, 2]}}]",
     "scene.yaml:1:48: sizes: for many bodies only (lattice, random, emitters)"},
    {"bodies: [{shape: {sphere: {radius: 1}}, sizes: {uniform: [2, 1]}, lattice: {count: [1, 1, "
     "1], pitch: [1, 1, 1]}}]",
     "scene.yaml:1:58: uniform: 2 is larger than 1"},
    {"bodies: [{shape: {sphere: {radius: 1}}, lattice: {count: [1, 1, 1], pitch: [1, 1, 1]}, csv: "
     "{file: x}}]",
     "scene.yaml:1:10: body: one of lattice, random, csv and belt is expected"},
    {"joints: [{kind: hinge, bodies: [a, world], anchor: [0, 0, 0]}]\n" BALL,
     "scene.yaml:1:33: there is no body 'a'; there are none"},
    {"bodies: [{name: k, for: {i: 3}, position: ['${9 * i}', 0, 0], shape: {sphere: {radius: "
     "1}}}]\njoints: [{kind: ball, bodies: [k, world], anchor: [0, 0, 0]}]",
     "scene.yaml:2:32: 'k' are 3 bodies; name one, from k[0] to k[2]"},
    {"bodies: [{name: k, for: {i: 3}, position: ['${9 * i}', 0, 0], shape: {sphere: {radius: "
     "1}}}]\nprobes: [{name: p, kind: body, body: 'k[3]'}]",
     "scene.yaml:2:38: there is no body 'k[3]'; allowed: k"},
    {"bodies: [{name: k, shape: {sphere: {radius: 1}}}, {name: k, position: [9, 0, 0], shape: "
     "{sphere: {radius: 1}}}]\nforces: [{body: k, force: [0, 0, 1]}]",
     "scene.yaml:2:17: 2 entries of bodies have the name 'k'; rename some"},
    {"joints: [{kind: weld, bodies: [a, world], anchor: [0, 0, 0]}]\n" BALL,
     "scene.yaml:1:17: kind: 'weld' is not known; allowed: fixed, ball, hinge, slider, "
     "cylindrical, "
     "universal, planar, point_on_line, point_on_plane, parallel, distance, rope, strut, screw, "
     "gear, rack_pinion, differential, pulley, cam, point_on_curve, bushing, lever"},
    {"joints: [{kind: ball, bodies: [world, world], anchor: [0, 0, 0]}]\n" BALL,
     "scene.yaml:1:10: joint: it must join two different bodies"},
    {"joints: [{kind: ball, bodies: a, anchor: [0, 0, 0]}]\n" BALL,
     "scene.yaml:1:31: bodies: a list of two names is expected"},
    {"bodies: [{name: a, shape: {sphere: {radius: 1}}}]\njoints: [{kind: ball, bodies: [a, world], "
     "anchor: [0, 0, 0], motor: {kind: speed, value: 1}}]",
     "scene.yaml:2:69: motor: a ball has nothing there that it could drive"},
    {JOINT("kind: hinge, anchor: [0, 0, 0], limits: [1, 2]"),
     "scene.yaml:2:10: joint: its coordinate is 0 at the start, outside of its limits 1 … 2; see "
     "`start`"},
    {JOINT("kind: hinge, anchor: [0, 0, 0], limits: [2, 1]"),
     "scene.yaml:2:71: limits: 2 is above 1; [low, high] is expected"},
    {JOINT("kind: hinge, anchor: [0, 0, 0], friction: -1"),
     "scene.yaml:2:73: friction: -1 is out of range; it must be at least 0"},
    {JOINT("kind: hinge, anchor: [0, 0, 0], spring: {stiffness: 1 N/m}"),
     "scene.yaml:2:83: stiffness: '1 N/m' has the wrong unit; a value in N m is expected"},
    {JOINT("kind: slider, anchor: [0, 0, 0], second: {friction: 1}"),
     "scene.yaml:2:10: joint: a slider has 1 free coordinate; limits, friction, spring or damping "
     "are given of one more"},
    {JOINT("kind: fixed, anchor: [0, 0, 0], limits: [-1, 1]"),
     "scene.yaml:2:10: joint: a fixed has 0 free coordinates; limits, friction, spring or damping "
     "are given of one more"},
    {JOINT("kind: hinge"), "scene.yaml:2:10: joint: key 'anchor' of a hinge is missing"},
    {JOINT("kind: hinge, anchor: [0, 0, 0], ratio: 2"),
     "scene.yaml:2:70: ratio: a hinge has no use for it"},
    {JOINT("kind: screw, anchor: [0, 0, 0]"),
     "scene.yaml:2:10: joint: key 'pitch' of a screw is missing"},
    {JOINT("kind: gear, ratio: 0"),
     "scene.yaml:2:10: joint: the ratio of a gear must be finite and not 0"},
    {JOINT("kind: universal, anchor: [0, 0, 0], axis: [1, 0, 0], axis_b: [1, 1, 0]"),
     "scene.yaml:2:10: joint: axis_b of a universal joint must stand across axis"},
    {JOINT("kind: rope, anchor: [0, 0, 2], anchor_b: [0, 0, 0], length: 1"),
     "scene.yaml:2:10: joint: its coordinate is 2 at the start, outside of its limits -inf … 1; "
     "see `start`"},
    {JOINT("kind: hinge, anchor: [0, 0, 0], motor: {kind: position}"),
     "scene.yaml:2:70: motor: one of value, target and table is expected"},
    {JOINT("kind: hinge, anchor: [0, 0, 0], motor: {kind: position, value: 1, damping: 2}"),
     "scene.yaml:2:10: joint: a position motor with damping needs a stiffness"},
    {JOINT("kind: hinge, anchor: [0, 0, 0], limits: [-1, 1], motor: {kind: position, value: 2}"),
     "scene.yaml:2:10: joint: a rigid motor without limit cannot hold 2, outside of the limits "
     "-1 … 1"},
    {JOINT("kind: hinge, anchor: [0, 0, 0], motor: {kind: speed, value: '${t / (t - t)}'}"),
     "scene.yaml:2:91: in '${t / (t - t)}': the value is not finite"},
    {JOINT("kind: hinge, anchor: [0, 0, 0], motor: {kind: speed, table: [[1, 2], [0, 3]]}"),
     "scene.yaml:2:91: table: the times do not ascend at row 2"},
    {JOINT("kind: point_on_curve, anchor_b: [0, 0, 5], points: [[0, 0, 0], [1, 0, 0]]"),
     "scene.yaml:2:10: joint: its point is 5 m away from the curve"},
    {JOINT(
         "name: j, kind: hinge, anchor: [0, 0, 0]") "\nschedule: [{at: 1, joint: k, motor: {kind: "
                                                    "none}}]",
     "scene.yaml:3:27: there is no joint 'k'; allowed: j"},
    {"schedule: [{at: 1, joint: k, coordinate: 2, motor: {kind: none}}]\njoints: [{name: k, kind: "
     "hinge, bodies: [world, a], anchor: [0, 0, 0]}]\nbodies: [{name: a, shape: {sphere: {radius: "
     "1}}}]",
     "scene.yaml:1:42: coordinate: a hinge has 1"},
    {"bodies: [{name: a, shape: {sphere: {radius: 1}}}]\njoints: [{kind: hinge, bodies: [a, "
     "world], anchor: [0, 0, 0], motor: {kind: speed, value: 1 m/s}}]",
     "scene.yaml:2:91: value: '1 m/s' has the wrong unit; a value in rad/s is expected"},
    {"bodies: [{name: a, shape: {sphere: {radius: 1}}}]\njoints: [{kind: hinge, bodies: [a, "
     "world], anchor: [0, 0, 0], axis: [0, 0, 0]}]",
     "scene.yaml:2:10: joint: anchor and axis must be finite, the axis not of length 0"},
    {"forces: [{body: a, force: [0, 0, 1]}]\n" BALL,
     "scene.yaml:1:17: there is no body 'a'; there are none"},
    {"bodies: [{name: a, shape: {sphere: {radius: 1}}}]\nforces: [{body: a, start: 2, stop: 1}]",
     "scene.yaml:2:36: stop: 1 s is before the start at 2 s"},
    {"emitters: [{rate: 1, region: {box: {lower: [0, 0, 0], upper: [1, 1, 1]}}, body: {shape: "
     "{sphere: {radius: 1}}}}]\n" BALL,
     "scene.yaml:1:30: region: a body does not fit into it"},
    {"emitters: [{rate: 0, region: {box: {lower: [0, 0, 0], upper: [9, 9, 9]}}, body: {shape: "
     "{sphere: {radius: 1}}}}]\n" BALL,
     "scene.yaml:1:19: rate: 0 1/s is out of range; it must be more than 0"},
    {"emitters: [{rate: 1, region: {box: {lower: [0, 0, 0], upper: [9, 9, 9]}}, body: {kind: "
     "fixed, shape: {sphere: {radius: 1}}}}]\n" BALL,
     "scene.yaml:1:81: body: an emitter needs one dynamic body with a shape"},
    {"drains: [{lower: [0, 0, 0]}]\n" BALL, "scene.yaml:1:10: drain: key 'upper' is missing"},
    {"probes: [{name: a, kind: body}]\n" BALL, "scene.yaml:1:10: probe: key 'body' is missing"},
    {"probes: [{name: a/b, kind: energy}]\n" BALL,
     "scene.yaml:1:17: name: 'a/b' cannot be a part of a file name"},
    {"probes: [{name: a, kind: energy}, {name: a, kind: energy}]\n" BALL,
     "scene.yaml:1:42: name: there is a probe 'a' already"},
    {"probes: [{name: a, kind: group, body: b}]\n" BALL,
     "scene.yaml:1:39: there is no body 'b'; there are none"},
    {"probes: [{name: a, kind: group, lower: [0, 0, 0], upper: [1, 0, 1]}]\n" BALL,
     "scene.yaml:1:58: upper: must lie above lower in x, y and z"},
    {"probes: [{name: a, kind: plane, normal: [0, 0, 0]}]\n" BALL,
     "scene.yaml:1:41: normal: its length is zero"},
    {"probes: [{name: a, kind: heat}]\n" BALL,
     "scene.yaml:1:26: kind: 'heat' is not known; allowed: body, force, plane, energy, group, "
     "surface, joint, stress, region"},
    {"probes: [{name: a, kind: region, lower: [0, 0, 0]}]\n" BALL,
     "scene.yaml:1:10: probe: a region needs `lower` and `upper`"},
    {"probes: [{name: a, kind: joint}]\n" BALL, "scene.yaml:1:10: probe: key 'joint' is missing"},
    {"recording: {every: 1 m}\n" BALL,
     "scene.yaml:1:20: every: '1 m' has the wrong unit; a value in s is expected"},
    {"include: nowhere.yaml\n" BALL,
     "scene.yaml:1:10: cannot read 'nowhere.yaml': No such file or directory"},
    {"include: scene.yaml\n" BALL,
     "scene.yaml:1:10: include: more than 16 deep; does a file include itself?"},
};

static void test_faults(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
    scree_context *context = scree_context_create(NULL);
    scree_scene *scene = NULL;
    scree_world *world = NULL;
    scree_status status = scree_scene_load_text(context, "scene.yaml", faults[i].scene,
                                                strlen(faults[i].scene), NULL, &scene);
    if (!status) status = scree_scene_build(scene, &world);
    if (status != SCREE_ERROR_INPUT) print_message("accepted: %s\n", faults[i].scene);
    assert_int_equal(status, SCREE_ERROR_INPUT);
    assert_string_equal(scree_context_message(context), faults[i].message);
    assert_null(world);
    scree_scene_destroy(scene);
    assert_int_equal(scree_context_bytes(context), 0);
    scree_context_destroy(context);
  }
}

/* Loops in loops that are far too many are refused by their second turn, not after 2e7 bodies that
 * were made for nothing: the memory tells. */
static void test_loops_are_refused_early(void **state) {
  (void)state;
  const char *text = "bodies: [{shape: {sphere: {radius: 1}}, for: {i: 3e6, j: 100, k: 1}}]";
  scree_context *context = scree_context_create(NULL);
  scree_scene *scene = NULL;
  scree_world *world = NULL;
  assert_int_equal(scree_scene_load_text(context, "scene.yaml", text, strlen(text), NULL, &scene),
                   SCREE_OK);
  assert_int_equal(scree_scene_build(scene, &world), SCREE_ERROR_INPUT);
  assert_true(scree_context_peak_bytes(context) < (size_t)4 << 20);
  scree_scene_destroy(scene);
  scree_context_destroy(context);
}

/* Several faults are reported at once, each with its place. */
static void count_report(void *user, const char *message) {
  static const char *const wanted[] = {"scene.yaml:1:1: unknown key 'stp'; did you mean 'step'?",
                                       "scene.yaml:2:11: duration: '1 kg' has the wrong unit; "
                                       "a value in s is expected"};
  int *count = user;
  assert_in_range(*count, 0, 1);
  assert_string_equal(message, wanted[*count]);
  ++*count;
}

static void test_all_faults_are_told(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  scree_scene_def def = scree_scene_def_default();
  int count = 0;
  def.report = count_report;
  def.report_user = &count;
  scree_scene *scene;
  const char *text = "stp: 1\nduration: 1 kg\n" BALL;
  assert_int_equal(scree_scene_load_text(context, "scene.yaml", text, strlen(text), &def, &scene),
                   SCREE_ERROR_INPUT);
  assert_int_equal(count, 2);
  assert_null(scene);
  scree_context_destroy(context);
}

static const struct {
  const char *set, *message;
} wrong_sets[] = {
    {"n", "--set n:1: --set needs KEY=VALUE, as in --set solver.tolerance_residual=1e-4"},
    {"n=", "--set n=:1: no value after '='"},
    {"numbr=1", "--set numbr=1:1: 'numbr' is neither a parameter nor a section of the scene; did "
                "you mean 'number'?"},
    {"solver..name=gs", "--set solver..name=gs:8: an empty word in the path before '='"},
    {"bodies.4.mass=1",
     "--set bodies.4.mass=1:8: '4' is not a place in a list of 1; they count from "
     "0"},
    {"step=1 m", "--set step=1 m:6: step: '1 m' has the wrong unit; a value in s is expected"},
    {"solver.tol=1", "--set solver.tol=1:8: unknown key 'tol'; allowed: name, stepper, options, "
                     "model, tolerance_residual, tolerance_moving, tolerance_error, "
                     "iteration_limit, "
                     "check_interval, time_budget, budget_clock, budget_from, warm_start, "
                     "warm_start_scale, stabilisation, recovery_speed, margin, sleep_after, "
                     "sleep_speed, sleep_load, on_nonconverged, "
                     "retry_solver, retry_iteration_limit, retry_halvings, retry_share"},
};

static void test_wrong_sets(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof wrong_sets / sizeof *wrong_sets; i++) {
    scree_context *context = scree_context_create(NULL);
    scree_scene_def def = scree_scene_def_default();
    def.set_count = 1;
    def.sets = &wrong_sets[i].set;
    scree_scene *scene;
    const char *text = "parameters: {number: 1}\n" BALL;
    assert_int_equal(scree_scene_load_text(context, "scene.yaml", text, strlen(text), &def, &scene),
                     SCREE_ERROR_INPUT);
    assert_string_equal(scree_context_message(context), wrong_sets[i].message);
    scree_context_destroy(context);
  }
}

static scree_status load(scree_context *context, const char *text, const char *set,
                         scree_scene **scene) {
  scree_scene_def def = scree_scene_def_default();
  def.set_count = set != NULL;
  def.sets = &set;
  return scree_scene_load_text(context, "scene.yaml", text, strlen(text), &def, scene);
}

/* An alias is a value of its own: a change of one place does not reach the others, not even when
 * the anchor is that of a key. */
static void test_aliases(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  scree_scene *scene;
  assert_int_equal(load(context, "&a title: x\ndescription: *a\n" BALL, "description.x=1", &scene),
                   SCREE_ERROR_INPUT);
  assert_string_equal(scree_context_message(context),
                      "scene.yaml:1:1: description: a text is expected, not a map");
  assert_int_equal(load(context,
                        "bodies:\n- &b {shape: {sphere: {radius: 1}}, position: [0, 0, 0]}\n- *b\n",
                        "bodies.1.position=[5, 0, 0]", &scene),
                   SCREE_OK);
  scree_world *world;
  assert_int_equal(scree_scene_build(scene, &world), SCREE_OK);
  for (size_t i = 0; i < 2; i++) {
    scree_body_state body;
    scree_body_get_state(world, scree_world_body_at(world, i), &body);
    assert_true(body.position[0] == 5.0 * (double)i);
  }
  scree_world_destroy(world);
  scree_scene_destroy(scene);
  assert_int_equal(load(context, BALL,
                        "description=[&a [1,1,1,1,1,1,1,1,1], &b [*a,*a,*a,*a,*a,*a,*a,*a,*a], &c "
                        "[*b,*b,*b,*b,*b,*b,*b,*b,*b], &d [*c,*c,*c,*c,*c,*c,*c,*c,*c], &e "
                        "[*d,*d,*d,*d,*d,*d,*d,*d,*d], [*e,*e,*e,*e,*e,*e,*e,*e,*e], "
                        "[*e,*e,*e,*e,*e,*e,*e,*e,*e]]",
                        &scene),
                   SCREE_ERROR_INPUT);
  assert_non_null(strstr(scree_context_message(context), "aliases stand for more than"));
  scree_context_destroy(context);
}

/* Two includes a level, sixteen levels deep. */
static void test_include_bomb(void **state) {
  (void)state;
  scree_context *context = scree_context_create(NULL);
  const char *paths[] = {"a", "b"};
  const char *bytes[] = {"include: [b, b, b]\n" BALL, "include: [a, a, a]"};
  const size_t sizes[] = {strlen(bytes[0]), strlen(bytes[1])};
  scree_scene *scene;
  assert_int_equal(scree_scene_load_files(context, 2, paths, bytes, sizes, NULL, &scene),
                   SCREE_ERROR_INPUT);
  assert_non_null(strstr(scree_context_message(context), "include: more than"));
  scree_context_destroy(context);
}

/* A pipe that nobody writes to must not hang what a scene names; nor a device without an end. */
static void test_only_regular_files(void **state) {
  (void)state;
  char directory[] = "/tmp/scree_faults_XXXXXX", pipe[64], text[256];
  assert_non_null(mkdtemp(directory));
  snprintf(pipe, sizeof pipe, "%s/pipe.stl", directory);
  assert_int_equal(mkfifo(pipe, 0600), 0);
  const char *const what[] = {pipe, "/dev/zero", directory};
  const char *const why[] = {"it is not a regular file", "it is not a regular file",
                             "it is a directory"};
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 2; k++) {
      scree_context *context = scree_context_create(NULL);
      scree_scene *scene;
      scree_world *world;
      snprintf(text, sizeof text,
               k ? "include: %s\n" BALL : "bodies: [{kind: fixed, shape: {mesh: {file: %s}}}]",
               what[i]);
      scree_status status = load(context, text, NULL, &scene);
      if (!k) {
        assert_int_equal(status, SCREE_OK);
        status = scree_scene_build(scene, &world);
        scree_scene_destroy(scene);
      }
      assert_int_equal(status, SCREE_ERROR_INPUT);
      assert_non_null(strstr(scree_context_message(context), why[i]));
      scree_context_destroy(context);
    }
  unlink(pipe);
  rmdir(directory);
}

int main(void) {
#ifndef SCREE_WITH_YAML
  return 0;
#endif
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_faults),
      cmocka_unit_test(test_all_faults_are_told),
      cmocka_unit_test(test_wrong_sets),
      cmocka_unit_test(test_aliases),
      cmocka_unit_test(test_include_bomb),
      cmocka_unit_test(test_only_regular_files),
      cmocka_unit_test(test_loops_are_refused_early),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
