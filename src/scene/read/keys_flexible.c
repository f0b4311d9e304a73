/* The tables of scene keys: steppers and flexible parts. */
#include "scene/read/table.h"

#define STEPPER(m) AT(scene_stepper_keys, m)
static const scene_field stepper_fields[] = {
    TEXT("name", true, STEPPER(name), "one of `scree list steppers`"),
    ANY("options", false, STEPPER(options), "", "its options, by its own table"),
};
SECTION(stepper, "stepper",
        "How the world moves through time: the name of a stepper, or a map with its options. "
        "Default nonsmooth.",
        stepper_fields, false);

#define FLEXIBLE(m) AT(scene_flexible_keys, m)
static const scene_field flexible_fields[] = {
    TEXT("name", false, FLEXIBLE(name), "of its nodes, which are bodies: name[0], name[1], …"),
    CHOICE("kind", true, FLEXIBLE(kind), "beam|block|ring|net|mesh|cable|shell",
           "elements along a line, tetrahedra, elements along a circle, crossing cables, "
           "tetrahedra of a file, a cable without torsion, or triangles of a thin shell"),
    REAL("young", true, FLEXIBLE(young), "Pa", OVER(0), INFINITY, "modulus of elasticity"),
    REAL("poisson", false, FLEXIBLE(poisson), "", FROM(-0.99), 0.49, "default 0.3"),
    REAL("density", true, FLEXIBLE(density), "kg/m^3", OVER(0), INFINITY, ""),
    REAL("rayleigh", false, FLEXIBLE(rayleigh), "s", FROM(0), INFINITY,
         "damping over stiffness; default 0"),
    REAL("rayleigh_mass", false, FLEXIBLE(rayleigh_mass), "1/s", FROM(0), INFINITY,
         "damping over mass, against the world: motion of the whole part dies too; default 0"),
    WHOLE("order", false, FLEXIBLE(order), "", FROM(1), 2,
          "block: linear (1) or quadratic (2) tetrahedra; default 1; a mesh has that of its file"),
    CHOICE("law", false, FLEXIBLE(law), "linear|neo-hookean",
           "block, mesh: small strains, or rubber with large ones; default linear"),
    CHOICE(
        "mass", false, FLEXIBLE(mass), "lumped|consistent|high-order",
        "block, mesh: masses at nodes (lumped), or the elements' consistent mass matrices; beam: "
        "rigid pieces (lumped), or masses for frequencies of order 4 (high-order); default "
        "lumped; a cable's are consistent"),
    TEXT("material", false, FLEXIBLE(material), "of its surface, a name of `materials`"),
    VECTOR("start", false, FLEXIBLE(start), "m", 3, FROM(-INFINITY),
           "beam, cable: one end; mesh, shell: where its origin lies; default 0"),
    VECTOR("end", false, FLEXIBLE(end), "m", 3, FROM(-INFINITY), "beam, cable: the other"),
    WHOLE("elements", false, FLEXIBLE(elements), "", FROM(1), 1e6, "beam, ring, cable: default 10"),
    REAL("radius", false, FLEXIBLE(radius), "m", OVER(0), INFINITY,
         "beam, ring, net, cable: of a round section"),
    VECTOR(
        "section", false, FLEXIBLE(section), "m", 2, OVER(0),
        "beam, ring: width and height of a rectangle; the height of a ring lies along its radius"),
    VECTOR("up", false, FLEXIBLE(up), "", 3, FROM(-INFINITY),
           "beam: direction of the section's height; default any"),
    FLAG("shear", false, FLEXIBLE(shear),
         "beam, ring, net: with shear (Timoshenko) or without (Euler, Bernoulli); default false"),
    ANY("ends", false, FLEXIBLE(ends), "",
        "beam, cable: what its two ends are clamped to: `free`, `world` or a body; default [free, "
        "free]"),
    FLAG("collide", false, FLEXIBLE(collide),
         "beam, ring, net: do its segments touch others? cable: do the balls at its nodes? default "
         "true"),
    REAL("thickness", false, FLEXIBLE(thickness), "m", OVER(0), INFINITY, "shell"),
    VECTOR("lower", false, FLEXIBLE(lower), "m", 3, FROM(-INFINITY), "block, net, shell: a corner"),
    VECTOR("upper", false, FLEXIBLE(upper), "m", 3, FROM(-INFINITY),
           "block, net, shell: the other corner"),
    VECTOR("cells", false, FLEXIBLE(cells), "", 3, FROM(1),
           "block: boxes along x, y, z, of six tetrahedra each; net: meshes along x and y, and 1; "
           "shell: "
           "rectangles of two triangles, and 1 across it"),
    REAL("node_radius", false, FLEXIBLE(node_radius), "m", FROM(0), INFINITY,
         "block, mesh, shell: of the balls at its nodes that touch others; default 0: none do"),
    ANY("held", false, FLEXIBLE(held), "",
        "block, net, mesh, shell: faces or edges that are held, of x- x+ y- y+ z- z+, as [x-, x+]; "
        "default "
        "none"),
    ANY("held_by", false, FLEXIBLE(held_by), "",
        "block, mesh, shell: the body that `held` nodes are joined to; default the world"),
    VECTOR("center", false, FLEXIBLE(center), "m", 3, FROM(-INFINITY),
           "ring: default 0; also what `angular` is about"),
    VECTOR("axis", false, FLEXIBLE(axis), "", 3, FROM(-INFINITY),
           "ring: default [0, 0, 1]; its first node lies towards x, or y where the axis is x"),
    TEXT("file", false, FLEXIBLE(file),
         "mesh, shell: of gmsh, .msh of format 2 or 4.1, text; a shell takes its triangles"),
    REAL("scale", false, FLEXIBLE(scale), "", OVER(0), INFINITY,
         "mesh, shell: lengths are multiplied by it; default 1"),
    VECTOR("velocity", false, FLEXIBLE(velocity), "m/s", 3, FROM(-INFINITY),
           "of all nodes at the start; default 0"),
    VECTOR("angular", false, FLEXIBLE(angular), "rad/s", 3, FROM(-INFINITY),
           "of the part about `center` at the start; default 0"),
    REAL("ring_radius", false, FLEXIBLE(ring_radius), "m", OVER(0), INFINITY,
         "ring: to the middle of its section"),
    ANY("for", false, FLEXIBLE(loop), "", "one for each value of loop variables, as of a body"),
};
SECTION(flexible, "flexible", "A flexible part: bodies as nodes, tied by elements.",
        flexible_fields, false);
