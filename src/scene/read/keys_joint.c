/* The tables of keys of joints and their motors: see keys.c. */
#include "scene/read/table.h"

#define JOINT(m) AT(scene_joint_keys, m)
#define FIRST(m) AT(scene_joint_keys, first.m)
#define OTHER(m) AT(scene_coordinate_keys, m)
#define COORDINATE_ROWS(P)                                                                         \
  ANY("limits", false, P(limits), "", "[low, high] in rad or m; turns are counted; default none"), \
      REAL("limit_restitution", false, P(limit_restitution), "", FROM(0), 1,                       \
           "part of the speed that a limit gives back; default 0"),                                \
      ANY("limit_compliance", false, P(limit_compliance), "", "rad/(N m) or m/N; default 0"),      \
      ANY("start", false, P(start), "",                                                            \
          "the coordinate in the poses of the scene, rad or m; default 0"),                        \
      ANY("friction", false, P(friction), "", "dry friction, N m or N; default 0"),                \
      ANY("friction_coefficient", false, P(friction_coefficient), "",                              \
          "dry friction over the reaction force, m of a turn, 1 of a slide; default 0"),           \
      ANY("armature", false, P(armature), "",                                                      \
          "inertia of a rotor that turns with it, kg m^2 or kg; default 0"),                       \
      ANY("damping", false, P(damping), "",                                                        \
          "N m s or N s/m; bushing: a list of six, along and about x, y, z; default 0"),           \
      PART("spring", false, P(spring), spring), PART("motor", false, P(motor), motor)

static const scene_field joint_fields[] = {
    TEXT("name", false, JOINT(name), "for probes and the schedule"),
    CHOICE("kind", true, JOINT(kind),
           "fixed|ball|hinge|slider|cylindrical|universal|planar|point_on_line|point_on_plane|"
           "parallel|distance|rope|strut|screw|gear|rack_pinion|differential|pulley|cam|"
           "point_on_curve|bushing|lever",
           "see docs/joints.md"),
    ANY("bodies", true, JOINT(bodies), "",
        "two names of bodies, of one of many as chain[3]; `world` for one of them; a third for the "
        "carrier of gear, rack_pinion, differential, pulley, cam or lever"),
    CHOICE("frame", false, JOINT(frame), "world|bodies",
           "what anchors and axes are given in; default world, at the start. `bodies`: anchor and "
           "axis in the first body's own frame, anchor_b and axis_b in the second's; the bodies "
           "are then moved to where all joints hold"),
    VECTOR("anchor", false, JOINT(anchor), "m", 3, FROM(-INFINITY), "in the world at the start"),
    VECTOR("anchor_b", false, JOINT(anchor_b), "m", 3, FROM(-INFINITY),
           "of the second body; default `anchor`"),
    VECTOR("axis", false, JOINT(axis), "", 3, FROM(-INFINITY), "default [0, 0, 1]"),
    VECTOR("axis_b", false, JOINT(axis_b), "", 3, FROM(-INFINITY),
           "of the second body: universal, gear, rack_pinion, cam, lever"),
    ANY("sheaves", false, JOINT(sheaves), "m", "of a pulley: two points [x, y, z]"),
    REAL("ratio", false, JOINT(ratio), "", FROM(-INFINITY), INFINITY,
         "gear: turn of the second over turn of the first; rack_pinion: m/rad; pulley; lever; "
         "default 1"),
    REAL("pitch", false, JOINT(pitch), "m", FROM(-INFINITY), INFINITY, "of a screw, a turn"),
    REAL("length", false, JOINT(length), "m", OVER(0), INFINITY,
         "distance, rope, pulley; default that of the start"),
    ANY("points", false, JOINT(points), "",
        "point_on_curve: a list of [x, y, z] in m; cam: of [angle in rad, lift in m]"),
    FLAG("closed", false, JOINT(closed), "the curve is closed; default false"),
    COORDINATE_ROWS(FIRST),
    PART("second", false, JOINT(second), coordinate),
    PART("third", false, JOINT(third), coordinate),
    ANY("stiffness", false, JOINT(stiffness), "",
        "bushing: a list of six, N/m along and N m/rad about x, y, z"),
    REAL("compliance", false, JOINT(compliance), "m/N", FROM(0), INFINITY,
         "of what is held; default 0"),
    REAL("break_force", false, JOINT(break_force), "N", OVER(0), INFINITY,
         "it breaks after a step with more; default never"),
    REAL("break_torque", false, JOINT(break_torque), "N m", OVER(0), INFINITY, ""),
    FLAG("collide", false, JOINT(collide), "do the two touch? default false"),
    ANY("for", false, JOINT(loop), "", "a joint for each value of loop variables, as of a body"),
};
SECTION(joint, "joint",
        "Ties two bodies, or a body and the world. Keys from limits to motor are of its first free "
        "coordinate.",
        joint_fields, false);
static const scene_field coordinate_fields[] = {COORDINATE_ROWS(OTHER)};
SECTION(coordinate, "coordinate", "What the second or third free coordinate of a joint has.",
        coordinate_fields, false);
#define SPRING(m) AT(scene_spring_keys, m)
static const scene_field spring_fields[] = {
    ANY("stiffness", true, SPRING(stiffness), "", "N m/rad or N/m"),
    ANY("rest", false, SPRING(rest), "", "the coordinate without force, rad or m; default 0"),
};
SECTION(spring, "spring", "Of a joint's coordinate.", spring_fields, false);
#define MOTOR(m) AT(scene_motor_keys, m)
static const scene_field motor_fields[] = {
    CHOICE("kind", true, MOTOR(kind), "none|speed|torque|force|position",
           "torque and force are one"),
    ANY("value", false, MOTOR(value), "",
        "rad/s or m/s of a speed motor, N m or N of a torque motor, rad or m of a position motor; "
        "or a function of the time t: ${0.5 * sin(2 * t)}"),
    ANY("target", false, MOTOR(target), "", "another name of `value`"),
    ANY("table", false, MOTOR(table), "",
        "in place of value: a list of [time in s, value], straight lines between them"),
    ANY("limit", false, MOTOR(limit), "", "N m or N; default none"),
    ANY("stiffness", false, MOTOR(stiffness), "",
        "of a position motor, N m/rad or N/m; default 0: rigid"),
    ANY("damping", false, MOTOR(damping), "",
        "of a position or speed motor, N m s/rad or N s/m; default 0"),
};
SECTION(motor, "motor",
        "Of a joint's coordinate; turns or pushes the second body relative to the first.",
        motor_fields, false);
#define SCHEDULE(m) AT(scene_schedule_keys, m)
static const scene_field schedule_fields[] = {
    REAL("at", true, SCHEDULE(at), "s", FROM(0), INFINITY, "time from which it holds"),
    TEXT("joint", true, SCHEDULE(joint), "the name of a joint"),
    WHOLE("coordinate", false, SCHEDULE(coordinate), "", FROM(1), 3, "default 1, the first"),
    PART("motor", true, SCHEDULE(motor), motor),
};
SECTION(schedule, "schedule", "Another motor of a joint from a time on.", schedule_fields, false);

#define BELT(m) AT(scene_belt_keys, m)
static const scene_field belt_fields[] = {
    WHOLE("number", true, BELT(number), "", FROM(3), 5000, "shoes"),
    ANY("wheels", true, BELT(wheels), "m",
        "a list of [x, z, radius]: what the belt goes round, in the plane of x and z of `position` "
        "and `rotation`; wheels within the belt may be left out"),
    REAL("height", true, BELT(height), "m", FROM(0), INFINITY,
         "of the middle of a shoe above a wheel that it rests on: half its thickness, and a gap"),
    TEXT("pin", false, BELT(pin), "a name for its hinges, as pin[3]"),
    REAL("friction", false, BELT(friction), "N m", FROM(0), INFINITY, "of each hinge; default 0"),
    REAL("damping", false, BELT(damping), "N m s", FROM(0), INFINITY, "of each hinge; default 0"),
};
SECTION(belt, "belt",
        "A belt or track: the body is a shoe, and so many are laid round wheels, joined by hinges "
        "about y. z of a shoe points outwards. Their pitch is what closes the belt.",
        belt_fields, false);
