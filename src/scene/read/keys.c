/* The tables of scene keys. A row: key, type, unit, range, help; what is not given keeps the
 * default that the help text names. */
#include "scene/read/table.h"

#define TOP(m) AT(scene_top, m)
static const scene_field scene_fields[] = {
    TEXT("title", false, TOP(title), "one line that lists show"),
    TEXT("description", false, TOP(description), "what to look at"),
    ANY("include", false, TOP(include), "",
        "a file or a list of files whose keys are read first; lists are joined, other keys of this "
        "file win"),
    ANY("parameters", false, TOP(parameters), "",
        "names and their values, for ${…}; a later one may use those before it"),
    VECTOR("gravity", false, TOP(gravity), "m/s^2", 3, FROM(-INFINITY), "default [0, 0, -9.81]"),
    REAL("gravitational_constant", false, TOP(gravitational_constant), "m^3/kg s^2", FROM(0),
         INFINITY, "attraction of every pair of bodies; default 0: none"),
    REAL("coulomb_constant", false, TOP(coulomb_constant), "N m^2/C^2", FROM(0), INFINITY,
         "force of every pair of charges; default 0: none (vacuum: 8.98755e9)"),
    REAL(
        "pairwise_theta", false, TOP(pairwise_theta), "", FROM(0), 0.9,
        "opening angle of the tree code that sums these forces from 256 bodies on; default 0.3; 0: "
        "over all pairs"),
    PART("periodic", false, TOP(periodic), periodic),
    REAL("step", false, TOP(step), "s", OVER(0), 10, "time step; default 5 ms"),
    REAL("duration", false, TOP(duration), "s", FROM(0), INFINITY, "default 1 s"),
    REAL("overlap", false, TOP(overlap), "", FROM(0), 1,
         "overlap allowed at the start, of the smaller diameter; default 1%"),
    TEXT("from", false, TOP(from),
         "a recording, as settled.h5 or settled.h5@1.5 (s; default its last frame): dynamic bodies "
         "begin where those of the same name are in it"),
    PART("solver", false, TOP(solver), solver),
    ONE("stepper", false, TOP(stepper), stepper),
    NAMED("materials", false, TOP(materials), material),
    PARTS("pairs", false, TOP(pairs), pair),
    NAMED("shapes", false, TOP(shapes), shape),
    PARTS("bodies", false, TOP(bodies), body),
    PARTS("assemblies", false, TOP(assemblies), assembly),
    PARTS("exclude", false, TOP(exclude), exclude),
    PARTS("joints", false, TOP(joints), joint),
    PARTS("flexible", false, TOP(flexible), flexible),
    PARTS("schedule", false, TOP(schedule), schedule),
    PARTS("forces", false, TOP(forces), force),
    PARTS("fields", false, TOP(fields), field),
    PARTS("fluids", false, TOP(fluids), fluid),
    PARTS("emitters", false, TOP(emitters), emitter),
    PARTS("drains", false, TOP(drains), drain),
    PARTS("events", false, TOP(events), event),
    PARTS("probes", false, TOP(probes), probe),
    PART("recording", false, TOP(recording), recording),
};
SECTION(scene, "scene", "The file itself.", scene_fields, false);

/* The key is the member's name: the two cannot differ. */
#define SETTING(type, m) ROW(#m, type, false, AT(scene_solver_keys, def.m))
static const scene_field solver_fields[] = {
    TEXT("name", false, AT(scene_solver_keys, def.solver),
         "a solver of `scree list solvers`; default auto"),
    {SETTING(TEXT, stepper), .help = "the same as the scene's own key `stepper`"},
    ANY("options", false, AT(scene_solver_keys, options), "",
        "options of the solver, by its own table"),
    {SETTING(CHOICE, model), .choices = "relaxed|coulomb",
     .help = "friction: coulomb is the exact law, relaxed its convex relaxation, in which sliding "
             "contacts part; default coulomb, or relaxed where the named solver has no other"},
    {SETTING(REAL, tolerance_residual), .former = "tolerance", .unit = "", FROM(0),
     .maximum = INFINITY, .help = "on the residual R; default 1e-3"},
    {SETTING(REAL, tolerance_moving), .unit = "", FROM(0), .maximum = INFINITY,
     .help = "on R while bodies move: R may reach a fifth of their rms speed over g·h, at most "
             "this; default 0: `tolerance_residual` always"},
    {SETTING(REAL, tolerance_error), .former = "error_tolerance", .unit = "", FROM(0),
     .maximum = INFINITY, .help = "on the error E; default 0: none"},
    {SETTING(WHOLE, iteration_limit), .former = "iterations", .unit = "", FROM(1), .maximum = 1e9,
     .help = "most iterations of a step; default 1000"},
    {SETTING(WHOLE, check_interval), .unit = "", FROM(0), .maximum = 1e9,
     .help = "iterations between checks of the residual, which cost some sweeps each; default 0: "
             "when the sweeps estimate that it is met"},
    {SETTING(REAL, time_budget), .unit = "s", FROM(0), .maximum = INFINITY,
     .help = "of a whole step; what it has no time for is left out and counted; default 0: none. "
             "Results then depend on the machine"},
    {SETTING(CHOICE, budget_clock), .choices = "wall|cpu",
     .help = "the clock of the budget and of the times of steps; default wall. `cpu`: the "
             "processor's time of the thread that steps, as on a machine of its own"},
    {SETTING(REAL, budget_from), .unit = "s", FROM(0), .maximum = INFINITY,
     .help = "the budget holds from this time of the scene on: steps before it take the time that "
             "they need; default 0"},
    {SETTING(BOOL, warm_start), .help = "default true"},
    {SETTING(REAL, warm_start_scale), .unit = "", FROM(0), .maximum = 1, .help = "default 1"},
    {SETTING(REAL, stabilisation), .unit = "", OVER(0), .maximum = 1,
     .help = "part of an overlap removed in a step; default 1"},
    {SETTING(REAL, recovery_speed), .unit = "m/s", FROM(0), .maximum = INFINITY,
     .help = "most that overlap is removed with; default 0: by gravity and size"},
    {SETTING(REAL, margin), .unit = "", FROM(0), .maximum = 10,
     .help = "contacts are seen from this part of the smaller diameter; default 0.1"},
    {SETTING(REAL, sleep_after), .unit = "s", FROM(0), .maximum = INFINITY,
     .help = "bodies that press on each other and were all still for so long are left out of the "
             "steps until somebody touches them; default 0: never"},
    {SETTING(REAL, sleep_speed), .unit = "m/s", FROM(0), .maximum = INFINITY,
     .help = "of surfaces that are still; default 0: 0.002 sqrt(g diameter)"},
    {SETTING(REAL, sleep_load), .unit = "", FROM(0), .maximum = INFINITY,
     .help = "above 0: bodies sleep one by one among others that move, each until its load changes "
             "by this part of its weight; default 0: all that press on each other together"},
    {SETTING(CHOICE, on_nonconverged), .choices = "continue|retry|stop",
     .help = "default retry: solve it again by a stronger method, at bounded cost; then, and with "
             "`continue` at once, go on with the best iterate and count the step"},
    {SETTING(TEXT, retry_solver), .help = "default auto"},
    {SETTING(WHOLE, retry_iteration_limit), .former = "retry_iterations", .unit = "", FROM(1),
     .maximum = 1e9, .help = "default 3 times iteration_limit"},
    {SETTING(WHOLE, retry_halvings), .unit = "", FROM(0), .maximum = 10,
     .help = "of the step; default 0"},
    {SETTING(REAL, retry_share), .unit = "", FROM(0), .maximum = INFINITY,
     .help = "work that all retries of a run may take, over that of its first solves; default 0.5. "
             "A larger one, with a larger retry_iteration_limit, leaves fewer steps above their "
             "tolerance, at several times the time"},
};
SECTION(solver, "solver", "How a step is solved.", solver_fields, false);

#define SHAPE(m)               AT(scene_shape_keys, m)
#define LENGTH(name, m, about) REAL(name, true, SHAPE(m), "m", OVER(0), INFINITY, about)
static const scene_field shape_fields[] = {
    ONE("sphere", false, SHAPE(shape), sphere),
    ONE("ellipsoid", false, SHAPE(shape), ellipsoid),
    ONE("box", false, SHAPE(shape), box),
    ONE("capsule", false, SHAPE(shape), capsule),
    ONE("cylinder", false, SHAPE(shape), cylinder),
    ONE("cone", false, SHAPE(shape), cone),
    ONE("hull", false, SHAPE(shape), hull),
    ONE("half_space", false, SHAPE(shape), half_space),
    ONE("box_container", false, SHAPE(shape), box_container),
    ONE("cylinder_container", false, SHAPE(shape), cylinder_container),
    ONE("cone_container", false, SHAPE(shape), cone_container),
    ONE("mesh", false, SHAPE(shape), mesh),
    ONE("height_field", false, SHAPE(shape), height_field),
    ONE("compound", false, SHAPE(shape), compound),
};
SECTION(shape, "shape", "One of these; or, in its place, the name of one of `shapes`.",
        shape_fields, true);
static const scene_field sphere_fields[] = {
    LENGTH("radius", radius, ""),
};
SECTION(sphere, "sphere", "A ball about the origin.", sphere_fields, false);
static const scene_field ellipsoid_fields[] = {
    VECTOR("radii", true, SHAPE(vector), "m", 3, OVER(0), "along x, y, z"),
};
SECTION(ellipsoid, "ellipsoid", "", ellipsoid_fields, false);
static const scene_field box_fields[] = {
    VECTOR("size", true, SHAPE(vector), "m", 3, OVER(0), "whole edges"),
};
SECTION(box, "box", "Centred at the origin.", box_fields, false);
static const scene_field capsule_fields[] = {
    LENGTH("radius", radius, ""),
    LENGTH("length", half_length, "of its cylinder, along z"),
};
SECTION(capsule, "capsule", "A cylinder with half balls at its ends.", capsule_fields, false);
static const scene_field cylinder_fields[] = {
    LENGTH("radius", radius, ""),
    LENGTH("length", half_length, "along z"),
};
SECTION(cylinder, "cylinder", "Centred at the origin.", cylinder_fields, false);
static const scene_field cone_fields[] = {
    LENGTH("radius", radius, "of its base"),
    LENGTH("height", height, "its centre of mass is the origin: base at -1/4, tip at 3/4"),
};
SECTION(cone, "cone", "", cone_fields, false);
static const scene_field hull_fields[] = {
    ANY("points", true, SHAPE(points), "m", "a list of [x, y, z]"),
};
SECTION(hull, "hull", "The convex hull of points.", hull_fields, false);
const scene_section scene_section_half_space = {
    .name = "half_space", .help = "The solid z <= 0, without end: a floor. Has no keys: {}."};
#define OPEN_ROW                                                                                   \
  CHOICE("open", false, SHAPE(open_ends), "none|bottom|top|both", "ends without wall; default top")
static const scene_field box_container_fields[] = {
    VECTOR("size", true, SHAPE(vector), "m", 3, OVER(0), "inner edges"),
    OPEN_ROW,
};
SECTION(box_container, "box_container",
        "The inside of a box, centred at the origin; its material has no outer end.",
        box_container_fields, false);
static const scene_field cylinder_container_fields[] = {
    LENGTH("radius", radius, "inner"),
    LENGTH("length", half_length, "along z"),
    OPEN_ROW,
};
SECTION(cylinder_container, "cylinder_container", "The inside of a cylinder.",
        cylinder_container_fields, false);
static const scene_field cone_container_fields[] = {
    REAL("bottom_radius", true, SHAPE(bottom_radius), "m", FROM(0), INFINITY,
         "at the lower z; 0: a tip"),
    REAL("top_radius", true, SHAPE(top_radius), "m", FROM(0), INFINITY, ""),
    LENGTH("length", half_length, "along z"),
    OPEN_ROW,
};
SECTION(cone_container, "cone_container", "The inside of a cone or a funnel.",
        cone_container_fields, false);
static const scene_field mesh_fields[] = {
    TEXT("file", true, SHAPE(file), "STL, OBJ or PLY, beside the scene"),
    REAL("scale", false, SHAPE(scale), "m", OVER(0), INFINITY,
         "length of its unit, as 1 mm; default 1 m"),
    VECTOR("stretch", false, SHAPE(stretch), "", 3, FROM(-INFINITY),
           "factors on x, y and z, on top of the scale; below 0 it is mirrored; default 1"),
    FLAG("convex", false, SHAPE(convex), "its convex hull; default false"),
};
SECTION(mesh, "mesh",
        "Triangles: a solid of any form where they are closed, else a thin surface with two sides.",
        mesh_fields, false);
static const scene_field height_field_fields[] = {
    ANY("heights", false, SHAPE(heights), "m",
        "rows along y of numbers along x, as [[0, 1], [2, 3]]"),
    TEXT("file", false, SHAPE(file),
         "the same as a table without header, beside the scene: a line per row, by commas or "
         "spaces"),
    VECTOR("spacing", true, SHAPE(spacing), "m", 2, OVER(0), "of the grid along x and y"),
    REAL("scale", false, SHAPE(scale), "m", OVER(0), INFINITY,
         "length of the file's unit, as 1 mm; default 1 m"),
    REAL("thickness", false, SHAPE(thickness), "m", FROM(0), INFINITY,
         "from the least height to its flat bottom; default 0: a tenth of the longer side"),
};
SECTION(
    height_field, "height_field",
    "Ground: a grid of heights with its middle over the origin, solid down to a flat bottom. One "
    "of `heights` and `file` is expected.",
    height_field_fields, false);
static const scene_field compound_fields[] = {
    PARTS("parts", true, SHAPE(parts), part),
};
SECTION(compound, "compound", "Several shapes as one: clumps, bodies that are not convex.",
        compound_fields, false);
static const scene_field part_fields[] = {
    PART("shape", true, SHAPE(shape), shape),
    VECTOR("position", false, SHAPE(position), "m", 3, FROM(-INFINITY), "default 0"),
    TURNED("rotation", false, SHAPE(rotation), "default none"),
};
SECTION(part, "part", "A part of a compound; mass counts twice where two parts overlap.",
        part_fields, false);

#define BODY(m) AT(scene_body_keys, m)
static const scene_field body_fields[] = {
    TEXT("name", false, BODY(name), "for probes, joints and forces"),
    CHOICE("kind", false, BODY(kind), "dynamic|fixed|prescribed",
           "default dynamic; prescribed when there is a motion"),
    PART("shape", false, BODY(shape), shape),
    VECTOR("position", false, BODY(position), "m", 3, FROM(-INFINITY), "default 0"),
    TURNED("rotation", false, BODY(rotation),
           "[w, x, y, z], {axis: [x, y, z], angle: 30 deg} or random; default none"),
    VECTOR("velocity", false, BODY(velocity), "m/s", 3, FROM(-INFINITY),
           "of the centre of mass; default 0"),
    VECTOR("angular", false, BODY(angular), "rad/s", 3, FROM(-INFINITY),
           "angular velocity, world frame; default 0"),
    REAL("density", false, BODY(density), "kg/m^3", OVER(0), INFINITY, "default 1000"),
    REAL("mass", false, BODY(mass), "kg", OVER(0), INFINITY,
         "in place of a density; the inertia is the shape's, scaled"),
    VECTOR("inertia", false, BODY(inertia), "kg m^2", 6, FROM(-INFINITY),
           "xx xy xz yy yz zz about the centre of mass, with a mass"),
    VECTOR("center", false, BODY(center), "m", 3, FROM(-INFINITY),
           "centre of mass in the shape's frame, with an inertia"),
    TEXT("material", false, BODY(material), "a name of `materials`"),
    REAL("charge", false, BODY(charge), "C", FROM(-INFINITY), INFINITY, "default 0"),
    WHOLE("category", false, BODY(category), "", FROM(0), 4294967295.0,
          "bits that it is; default 1"),
    WHOLE("collides_with", false, BODY(collides_with), "", FROM(0), 4294967295.0,
          "bits that it meets; default all"),
    PART("motion", false, BODY(motion), motion),
    ANY("for", false, BODY(loop), "",
        "a body for each value of loop variables, as {i: 4, j: ${4 - i}}: i from 0 to 3, in it j "
        "from 0 to 3 - i"),
    PART("lattice", false, BODY(lattice), lattice),
    PART("random", false, BODY(random), random),
    PART("csv", false, BODY(csv), csv),
    PART("belt", false, BODY(belt), belt),
    PART("sizes", false, BODY(sizes), sizes),
};
SECTION(body, "body",
        "A body, or many by one of `for`, `lattice`, `random`, `csv` and `belt`; then `position` "
        "shifts "
        "them all.",
        body_fields, false);

#define MAKER(m) AT(scene_generator_keys, m)
static const scene_field lattice_fields[] = {
    VECTOR("count", true, MAKER(count), "", 3, FROM(1), "along x, y, z; x runs first"),
    VECTOR("pitch", true, MAKER(pitch), "m", 3, FROM(-INFINITY), ""),
    VECTOR("origin", false, MAKER(origin), "m", 3, FROM(-INFINITY), "the first place; default 0"),
    VECTOR("jitter", false, MAKER(jitter), "m", 3, FROM(0),
           "each coordinate is moved by up to this, evenly distributed; default 0"),
    WHOLE("number", false, MAKER(number), "", FROM(0), 1e8,
          "the first so many places only; default all"),
    WHOLE("seed", false, MAKER(seed), "", FROM(0), 9e15, "default 1"),
};
SECTION(lattice, "lattice", "Bodies on a grid.", lattice_fields, false);
static const scene_field random_fields[] = {
    WHOLE("number", true, MAKER(number), "", FROM(0), 1e8, ""),
    PART("region", true, MAKER(region), region),
    REAL("gap", false, MAKER(gap), "m", FROM(0), INFINITY,
         "kept between the balls around two bodies; default 0"),
    WHOLE("attempts", false, MAKER(attempts), "", FROM(1), 1e6,
          "to find a place for a body; default 1000"),
    WHOLE("seed", false, MAKER(seed), "", FROM(0), 9e15, "default 1"),
};
SECTION(random, "random",
        "Bodies at random places, large ones first, that overlap neither each other nor those that "
        "`random` placed before them.",
        random_fields, false);
static const scene_field csv_fields[] = {
    TEXT("file", true, MAKER(file),
         "columns x y z and, when there, qw qx qy qz vx vy vz wx wy wz radius mass; a radius makes "
         "a sphere. Or bodies as `scree export --format csv` writes them: the dynamic ones"),
    WHOLE("frame", false, MAKER(frame), "", FROM(0), 1e9,
          "of an export with several: which one; default the last"),
    WHOLE("number", false, MAKER(number), "", FROM(0), 1e8, "the first so many; default all"),
};
SECTION(csv, "csv", "Bodies from a table.", csv_fields, false);
static const scene_field sizes_fields[] = {
    VECTOR("uniform", false, MAKER(uniform), "", 2, OVER(0),
           "factors from, to, evenly distributed"),
    VECTOR("lognormal", false, MAKER(lognormal), "", 2, OVER(0),
           "median factor and standard deviation of its logarithm, cut at 3 of them"),
    PARTS("classes", false, MAKER(classes), class),
};
SECTION(sizes, "sizes", "Factors on the shape's size, for many bodies.", sizes_fields, true);
static const scene_field class_fields[] = {
    REAL("scale", true, AT(scene_class_keys, scale), "", OVER(0), INFINITY, "factor on the size"),
    REAL("weight", true, AT(scene_class_keys, weight), "", FROM(0), INFINITY,
         "share of the bodies"),
};
SECTION(class, "class", "A size and its share of the bodies.", class_fields, false);
static const scene_field region_fields[] = {
    PART("box", false, MAKER(box), region_box),
    PART("cylinder", false, MAKER(cylinder), region_cylinder),
};
SECTION(region, "region", "Whole bodies lie in it.", region_fields, true);
static const scene_field region_box_fields[] = {
    VECTOR("lower", true, MAKER(lower), "m", 3, FROM(-INFINITY), ""),
    VECTOR("upper", true, MAKER(upper), "m", 3, FROM(-INFINITY), ""),
};
SECTION(region_box, "region box", "", region_box_fields, false);
static const scene_field region_cylinder_fields[] = {
    VECTOR("center", true, MAKER(center), "m", 3, FROM(-INFINITY), "of the lower end"),
    REAL("radius", true, MAKER(radius), "m", OVER(0), INFINITY, ""),
    REAL("height", true, MAKER(height), "m", OVER(0), INFINITY, "along z"),
};
SECTION(region_cylinder, "region cylinder", "", region_cylinder_fields, false);

#define MOTION(m) AT(scene_motion_keys, m)
static const scene_field motion_fields[] = {
    ONE("constant", false, MOTION(times), constant),
    ONE("sine", false, MOTION(times), sine),
    ONE("table", false, MOTION(times), table),
    ONE("path", false, MOTION(times), path),
};
SECTION(motion, "motion", "How a prescribed body moves, from its first pose on.", motion_fields,
        true);
#define CONSTANT_ROWS                                                                              \
  VECTOR("velocity", false, MOTION(velocity), "m/s", 3, FROM(-INFINITY), "default 0"),             \
      VECTOR("angular", false, MOTION(angular), "rad/s", 3, FROM(-INFINITY),                       \
             "about the body's origin, world frame; default 0")
static const scene_field constant_fields[] = {
    CONSTANT_ROWS,
};
SECTION(constant, "constant motion", "", constant_fields, false);
static const scene_field sine_fields[] = {
    CONSTANT_ROWS,
    VECTOR("amplitude", false, MOTION(amplitude), "m", 3, FROM(-INFINITY), "default 0"),
    VECTOR("swing", false, MOTION(swing), "rad", 3, FROM(-INFINITY),
           "axis times angle amplitude; default 0"),
    REAL("frequency", true, MOTION(frequency), "Hz", OVER(0), INFINITY, ""),
    REAL("phase", false, MOTION(phase), "rad", FROM(-INFINITY), INFINITY, "default 0"),
};
SECTION(sine, "sine motion", "amplitude sin(2 pi frequency t + phase), starting in place.",
        sine_fields, false);
static const scene_field table_fields[] = {
    ANY("times", true, MOTION(times), "s", "a list, ascending"),
    ANY("displacements", true, MOTION(displacements), "m",
        "a list of [x, y, z], one for each of the times, from the first pose"),
    ANY("rotations", false, MOTION(rotations), "",
        "a list of rotations, one for each of the times"),
    FLAG("repeat", false, MOTION(repeat), "start again at the end; default false"),
};
SECTION(table, "table motion", "", table_fields, false);
static const scene_field path_fields[] = {
    ANY("displacement", false, MOTION(displacements), "m",
        "[x, y, z], expressions with the time t since the motion began; default 0"),
    ANY("rotation", false, MOTION(rotations), "rad",
        "axis times angle as [x, y, z], expressions with t; default 0"),
};
SECTION(path, "path motion",
        "Functions of time, taken relative to their values at t = 0: it begins in place.",
        path_fields, false);

#define ASSEMBLY(m) AT(scene_assembly_keys, m)
static const scene_field assembly_fields[] = {
    TEXT("file", true, ASSEMBLY(file), "a scene (YAML, JSON) or a robot (URDF, MJCF)"),
    TEXT("name", false, ASSEMBLY(name),
         "its names begin with this and a dot; default: as they are"),
    VECTOR("position", false, ASSEMBLY(position), "m", 3, FROM(-INFINITY), "default 0"),
    TURNED("rotation", false, ASSEMBLY(rotation), "about its origin; default none"),
    ANY("set", false, ASSEMBLY(set), "", "values for its parameters, as {radius: 0.3}"),
    ANY("for", false, ASSEMBLY(loop), "", "one for each value of loop variables, as of a body"),
    FLAG("allow_unsupported", false, ASSEMBLY(allow_unsupported),
         "robots: leave out what Scree does not have; default false"),
    FLAG("fixed_base", false, ASSEMBLY(fixed_base),
         "URDF: the root link is fixed in the world; default false"),
    FLAG("self_collide", false, ASSEMBLY(self_collide),
         "URDF: links touch each other; default false"),
    REAL("density", false, ASSEMBLY(density), "kg/m^3", OVER(0), INFINITY,
         "URDF: of links without mass; default none"),
    CHOICE("meshes", false, ASSEMBLY(meshes), "by_format|hulls|exact",
           "robots: default exact in URDF, hulls in MJCF"),
    TEXT("keyframe", false, ASSEMBLY(keyframe), "MJCF: begin with it; default none"),
};
SECTION(assembly, "assembly",
        "A scene or robot as a part of this one. Of a scene come parameters, materials, pairs, "
        "shapes, bodies, exclude, joints, schedule, forces and probes; its other keys do nothing.",
        assembly_fields, false);

static const scene_field exclude_fields[] = {
    ANY("bodies", true, AT(scene_exclude_keys, bodies), "",
        "names of bodies, of one of many as chain[3], or of many"),
    ANY("for", false, AT(scene_exclude_keys, loop), "",
        "a list for each value of loop variables, as of a body"),
};
SECTION(exclude, "exclude",
        "Bodies that do not touch each other: no two of the list. Joined bodies do not anyway.",
        exclude_fields, false);

#define EVENT(m) AT(scene_event_keys, m)
#define WINDOW_ROWS                                                                                \
  REAL("start", false, EVENT(start), "s", FROM(0), INFINITY, "default 0"),                         \
      REAL("stop", false, EVENT(stop), "s", FROM(0), INFINITY, "default never")
static const scene_field force_fields[] = {
    TEXT("body", true, EVENT(body_name),
         "the name of a body, of one of many as grain[3], or of many"),
    VECTOR("force", false, EVENT(force), "N", 3, FROM(-INFINITY),
           "at the centre of mass; expressions may have the time t"),
    VECTOR("torque", false, EVENT(torque), "N m", 3, FROM(-INFINITY), "the same"),
    WINDOW_ROWS,
};
SECTION(force, "force", "A force on a body while it lasts.", force_fields, false);
static const scene_field emitter_fields[] = {
    TEXT("name", false, EVENT(name), ""),
    PART("body", true, EVENT(body), body),
    PART("region", true, EVENT(region), region),
    REAL("rate", true, EVENT(rate), "1/s", OVER(0), INFINITY, "bodies a second"),
    WHOLE("number", false, EVENT(number), "", FROM(0), 1e8,
          "of bodies in all; default without end"),
    WINDOW_ROWS,
    WHOLE("seed", false, EVENT(seed), "", FROM(0), 9e15, "default 1"),
};
SECTION(emitter, "emitter",
        "Inserts bodies where there is room; one that finds none waits for the next step.",
        emitter_fields, false);
static const scene_field drain_fields[] = {
    TEXT("name", false, EVENT(name), ""),
    VECTOR("lower", true, EVENT(lower), "m", 3, FROM(-INFINITY), ""),
    VECTOR("upper", true, EVENT(upper), "m", 3, FROM(-INFINITY), ""),
    WINDOW_ROWS,
};
SECTION(drain, "drain", "Removes bodies whose origin is in a box.", drain_fields, false);

#define ACTION(m) AT(scene_action_keys, m)
static const scene_field event_fields[] = {
    TEXT("name", false, ACTION(name), ""),
    REAL("at", false, ACTION(at), "s", FROM(0), INFINITY, "when; or a condition:"),
    ANY("when", false, ACTION(when), "",
        "an expression as ${z < 0.2}: the first step at whose start it is not 0. Known are the "
        "time t, bodies (dynamic ones), kinetic (J), emitted, drained (bodies so far) and, of "
        "`body`, x y z vx vy vz speed"),
    REAL("after", false, ACTION(after), "s", FROM(0), INFINITY,
         "a condition is not looked at before; default 0"),
    TEXT("body", false, ACTION(body), "whose state the condition may use"),
    ANY("remove", false, ACTION(remove), "", "bodies to take away: a name, or a list of names"),
    VECTOR("gravity", false, ACTION(gravity), "m/s^2", 3, FROM(-INFINITY), "from then on"),
    REAL("shear_rate", false, ACTION(shear_rate), "1/s", FROM(-INFINITY), INFINITY,
         "of the periodic box, from then on"),
    VECTOR("stretch_rate", false, ACTION(stretch_rate), "1/s", 3, FROM(-INFINITY),
           "of the periodic box, from then on"),
    TEXT("joint", false, ACTION(joint), "a joint that gets another motor"),
    WHOLE("coordinate", false, ACTION(coordinate), "", FROM(1), 3,
          "of the joint, where it has several; default 1"),
    PART("motor", false, ACTION(motor), motor),
    FLAG("end", false, ACTION(end), "the run ends; default false"),
};
SECTION(event, "event", "Something that happens once, at a time or on a condition.", event_fields,
        false);

#define PROBE(m) AT(scene_probe_keys, m)
static const scene_field probe_fields[] = {
    TEXT("name", true, PROBE(name), "of its CSV file, beside the recording"),
    CHOICE(
        "kind", true, PROBE(kind), "body|force|plane|energy|group|surface|joint|stress|region",
        "a body's state; force and torque of the contacts on a body, as a wall; mass through a "
        "plane; energies; mass, centre of mass, mean velocity and extent of many bodies, "
        "with the horizontal distance from the point that 99 % of them keep as reach; height "
        "and slope of the surface of many bodies; coordinate, motor, force and error of a joint; "
        "mean stress (pressure positive), fabric, coordination number and solid fraction in the "
        "box of lower and upper; solid and void fraction and bulk density in such a box"),
    TEXT("body", false, PROBE(body_name),
         "of the kinds body and force; for group and surface the name of many, default all that "
         "are dynamic"),
    TEXT("joint", false, PROBE(joint), "of the kind joint: its name, or one of a loop as leg[3]"),
    REAL("every", false, PROBE(every), "s", FROM(0), INFINITY, "default each step"),
    VECTOR("point", false, PROBE(point), "m", 3, FROM(-INFINITY),
           "of the plane; of the reach; of a surface, where its height is taken, the axis of a "
           "cone and the level of its base; default 0"),
    VECTOR("normal", false, PROBE(normal), "", 3, FROM(-INFINITY),
           "of the plane: what crosses along it counts positive; default [0, 0, -1]"),
    VECTOR("lower", false, PROBE(lower), "m", 3, FROM(-INFINITY),
           "group, surface: only bodies with their centre of mass in a box; default all. region: "
           "needed; stress: needed, along periodic directions it is always the whole box"),
    VECTOR("upper", false, PROBE(upper), "m", 3, FROM(-INFINITY), "of that box"),
    CHOICE("form", false, PROBE(form), "plane|cone",
           "what is fitted to a surface; a cone to its flank, from 20 to 80 % of the height; "
           "default plane"),
    REAL("cell", false, PROBE(cell), "m", FROM(0), INFINITY,
         "a surface is made of the highest bodies in square cells of this size; default 0: twice "
         "the mean diameter"),
};
SECTION(probe, "probe", "A CSV file with units in its header.", probe_fields, false);

static const scene_field recording_fields[] = {
    REAL("every", false, AT(scene_recording_keys, def.every), "s", FROM(0), INFINITY,
         "simulated time between frames; default 1/60 s"),
    FLAG("contacts", false, AT(scene_recording_keys, def.contacts),
         "contact forces too; default true"),
    REAL("checkpoint", false, AT(scene_recording_keys, def.checkpoint), "s", FROM(0), INFINITY,
         "wall time between checkpoints; default 10 s"),
};
SECTION(recording, "recording", "What --out keeps.", recording_fields, false);

#define TURN(m) AT(scene_turn_keys, m)
static const scene_field turn_fields[] = {
    VECTOR("axis", true, TURN(axis), "", 3, FROM(-INFINITY), ""),
    REAL("angle", true, TURN(angle), "rad", FROM(-INFINITY), INFINITY, ""),
};
SECTION(turn, "rotation", "A turn about an axis.", turn_fields, false);

const scene_section *const scene_section_list[] = {
    &scene_section_scene,
    &scene_section_periodic,
    &scene_section_solver,
    &scene_section_stepper,
    &scene_section_material,
    &scene_section_pair,
    &scene_section_body,
    &scene_section_turn,
    &scene_section_lattice,
    &scene_section_belt,
    &scene_section_random,
    &scene_section_csv,
    &scene_section_sizes,
    &scene_section_class,
    &scene_section_region,
    &scene_section_region_box,
    &scene_section_region_cylinder,
    &scene_section_shape,
    &scene_section_sphere,
    &scene_section_ellipsoid,
    &scene_section_box,
    &scene_section_capsule,
    &scene_section_cylinder,
    &scene_section_cone,
    &scene_section_hull,
    &scene_section_half_space,
    &scene_section_box_container,
    &scene_section_cylinder_container,
    &scene_section_cone_container,
    &scene_section_mesh,
    &scene_section_height_field,
    &scene_section_compound,
    &scene_section_part,
    &scene_section_motion,
    &scene_section_constant,
    &scene_section_sine,
    &scene_section_table,
    &scene_section_assembly,
    &scene_section_path,
    &scene_section_exclude,
    &scene_section_joint,
    &scene_section_coordinate,
    &scene_section_spring,
    &scene_section_motor,
    &scene_section_flexible,
    &scene_section_schedule,
    &scene_section_force,
    &scene_section_field,
    &scene_section_fluid,
    &scene_section_emitter,
    &scene_section_drain,
    &scene_section_event,
    &scene_section_probe,
    &scene_section_recording,
};
const size_t scene_section_list_count = sizeof scene_section_list / sizeof *scene_section_list;
