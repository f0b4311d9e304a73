/* The tables of scene keys of materials, pairs of them, and fluids. */
#include "scene/read/table.h"

#define MATERIAL(m) AT(scene_material_keys, def.m)
#define MATERIAL_ROWS                                                                              \
  REAL("friction", false, MATERIAL(friction), "", FROM(0), 100, "mu; default 0.5"),                \
      REAL("rolling", false, MATERIAL(rolling), "m", FROM(0), INFINITY,                            \
           "rolling moment over normal force; default 0"),                                         \
      REAL("spinning", false, MATERIAL(spinning), "m", FROM(0), INFINITY,                          \
           "moment about the normal over normal force; default 0"),                                \
      REAL("restitution", false, MATERIAL(restitution), "", FROM(0), 1,                            \
           "e of impacts, Poisson's; default 0"),                                                  \
      REAL("restitution_threshold", false, MATERIAL(restitution_threshold), "m/s", FROM(0),        \
           INFINITY, "slower impacts do not bounce; default 0: 2 |gravity| step"),                 \
      REAL("cohesion", false, MATERIAL(cohesion), "N", FROM(0), INFINITY,                          \
           "pull that two touching bodies bear; default 0"),                                       \
      REAL("compliance", false, MATERIAL(compliance), "m/N", FROM(0), INFINITY,                    \
           "along the normal; default 0: rigid"),                                                  \
      REAL("compliance_tangent", false, MATERIAL(compliance_tangent), "m/N", FROM(0), INFINITY,    \
           "default 0: rigid"),                                                                    \
      REAL("damping", false, MATERIAL(damping), "s", FROM(0), INFINITY,                            \
           "damper over spring of a compliant contact; default 0"),                                \
      CHOICE("law", false, MATERIAL(law),                                                          \
             "usual|rigid|compliant|power|rigid-cohesive|compliant-cohesive|elastoplastic|bond|"   \
             "user|liquid-bridge",                                                                 \
             "the contact law, see docs/laws.md; default usual: rigid or, with a compliance, "     \
             "compliant, with cohesion where there is one"),                                       \
      CHOICE(                                                                                      \
          "restitution_law", false, MATERIAL(restitution_law), "poisson|newton",                   \
          "poisson: of the impulse, one impact after the other; newton: of the speed, all of a "   \
          "step at once; default poisson"),                                                        \
      REAL("friction_kinetic", false, MATERIAL(friction_kinetic), "", FROM(0), 100,                \
           "mu of what slides, `friction` is then that of what sticks; default 0: the same"),      \
      REAL("stribeck_speed", false, MATERIAL(stribeck_speed), "m/s", FROM(0), INFINITY,            \
           "mu falls from friction to friction_kinetic as exp(-(v/this)^2); default 0: at once"),  \
      REAL("friction_viscous", false, MATERIAL(friction_viscous), "s/m", FROM(0), INFINITY,        \
           "mu grows by this times the speed; default 0"),                                         \
      REAL("friction_across", false, MATERIAL(friction_across), "", FROM(0), 100,                  \
           "mu across the `direction`, `friction` is then the one along it; default 0: the same"), \
      REAL("dilatancy", false, MATERIAL(dilatancy), "", FROM(0), 100,                              \
           "psi, at most friction: what slides parts with psi times its speed; default 0"),        \
      REAL("flow_across", false, MATERIAL(flow_across), "", FROM(0), 1000,                         \
           "with friction_across: how far sideways it slides, as a part of the normal of the "     \
           "ellipse of forces; (friction/friction_across)^2: against the force; default 1"),       \
      REAL("cohesion_energy", false, MATERIAL(cohesion_energy), "J/m^2", FROM(0), INFINITY,        \
           "w: adds a pull of 3/2 pi w R, 1/R = 1/r1 + 1/r2; default 0"),                          \
      REAL("cohesion_range", false, MATERIAL(cohesion_range), "m", FROM(0), INFINITY,              \
           "cohesion holds from touch to this gap; default 0: a thousandth of the diameter"),      \
      REAL("stiffness", false, MATERIAL(stiffness), "", FROM(0), INFINITY,                         \
           "law power: force = stiffness compression^exponent, N/m^exponent"),                     \
      REAL("exponent", false, MATERIAL(exponent), "", FROM(0), 10,                                 \
           "law power; default 0: 3/2, Hertz"),                                                    \
      REAL("yield_force", false, MATERIAL(yield_force), "N", FROM(0), INFINITY,                    \
           "law elastoplastic: a contact is crushed beyond this"),                                 \
      REAL("hardening", false, MATERIAL(hardening), "N/m", FROM(0), INFINITY,                      \
           "law elastoplastic: what the yield force grows by as it is crushed; default 0"),        \
      REAL("bond_shear", false, MATERIAL(bond_shear), "N", FROM(0), INFINITY,                      \
           "law bond: strength; default 0: friction times cohesion"),                              \
      REAL("bond_bending", false, MATERIAL(bond_bending), "N m", FROM(0), INFINITY,                \
           "law bond: strength; default 0: turns freely"),                                         \
      REAL("bond_twisting", false, MATERIAL(bond_twisting), "N m", FROM(0), INFINITY,              \
           "law bond: strength; default 0: turns freely"),                                         \
      REAL("bridge_volume", false, MATERIAL(bridge_volume), "m^3", FROM(0), INFINITY,              \
           "law liquid-bridge: of the liquid between two surfaces"),                               \
      REAL("surface_tension", false, MATERIAL(surface_tension), "N/m", FROM(0), INFINITY,          \
           "law liquid-bridge: of the liquid"),                                                    \
      REAL("contact_angle", false, MATERIAL(contact_angle), "rad", FROM(0), 1.5707963267948966,    \
           "law liquid-bridge: of liquid and solid; default 0"),

static const scene_field material_fields[] = {
    MATERIAL_ROWS VECTOR("direction", false, MATERIAL(direction), "", 3, FROM(-INFINITY),
                         "of friction_across, on the surface, in the body's frame"),
    VECTOR("surface_velocity", false, MATERIAL(surface_velocity), "m/s", 3, FROM(-INFINITY),
           "of the surface, in the body's frame, as of a belt; default 0"),
};
SECTION(material, "material",
        "A surface. Where two meet: friction, rolling, spinning and restitution by the geometric "
        "mean, the smaller cohesion, bond and yield strength, the larger threshold, damping and "
        "range, compliances added, the later law in the list (a soft one beside a rigid one); "
        "unless the pair has its own law.",
        material_fields, false);
static const scene_field pair_fields[] = {
    ANY("between", true, AT(scene_material_keys, between), "", "two names of materials, as a list"),
    MATERIAL_ROWS};
SECTION(pair, "pair", "The law between two materials.", pair_fields, false);

#define FLUID(m) AT(scene_fluid_keys, m)
static const scene_field fluid_fields[] = {
    REAL("density", false, FLUID(density), "kg/m^3", FROM(0), INFINITY,
         "what floats and what is dragged at speed; default 0"),
    REAL("viscosity", false, FLUID(viscosity), "Pa s", FROM(0), INFINITY,
         "what is dragged slowly, and what turns; default 0"),
    REAL("drag_coefficient", false, FLUID(drag_coefficient), "", FROM(0), INFINITY,
         "of drag at speed; default 0.47, that of a sphere"),
    VECTOR("velocity", false, FLUID(velocity), "m/s", 3, FROM(-INFINITY),
           "of the fluid: wind, a stream; default 0"),
    REAL("level", false, FLUID(level), "m", FROM(-INFINITY), INFINITY,
         "it fills what lies below this z; default everything"),
    TEXT("body", false, FLUID(body_name), "the name of a body or of many; default all"),
    REAL("start", false, FLUID(start), "s", FROM(0), INFINITY, "default 0"),
    REAL("stop", false, FLUID(stop), "s", FROM(0), INFINITY, "default never"),
};
SECTION(fluid, "fluid",
        "Drag and buoyancy on bodies, as on balls of their volume: 3 pi viscosity d and 1/8 pi d^2 "
        "density drag_coefficient |v| times the speed against the fluid, and the weight of the "
        "fluid in their place; the bodies do not move the fluid.",
        fluid_fields, false);

#define PERIODIC(m) AT(scene_periodic_keys, def.m)
static const scene_field periodic_fields[] = {
    VECTOR("size", true, PERIODIC(size), "m", 3, FROM(0),
           "of the box; 0: no end in this direction"),
    VECTOR("center", false, PERIODIC(center), "m", 3, FROM(-INFINITY),
           "what is recorded and drawn lies about it, and the mean flow is 0 there; default 0"),
    REAL("shear_rate", false, PERIODIC(shear_rate), "1/s", FROM(-INFINITY), INFINITY,
         "of the flow over the gradient: boxes beside each other along the gradient slide along "
         "the flow (Lees and Edwards); default 0"),
    CHOICE("flow", false, PERIODIC(flow), "x|y|z", "default x"),
    CHOICE("gradient", false, PERIODIC(gradient), "x|y|z", "default z"),
    VECTOR("stretch_rate", false, PERIODIC(stretch_rate), "1/s", 3, FROM(-INFINITY),
           "the box grows by this part of itself a second, or shrinks; default 0"),
};
SECTION(
    periodic, "periodic",
    "A box that repeats itself. Bodies of the scene begin with the mean flow at their place, on "
    "top of their own velocity.",
    periodic_fields, false);

#define FIELD(m) AT(scene_field_keys, m)
static const scene_field field_fields[] = {
    TEXT("body", false, FIELD(body_name), "a name; default all dynamic bodies"),
    ANY("force", false, FIELD(force), "N", "three numbers or expressions"),
    ANY("acceleration", false, FIELD(acceleration), "m/s^2", "the same, times the mass"),
    ANY("electric", false, FIELD(electric), "V/m", "the same, times the charge"),
    ANY("magnetic", false, FIELD(magnetic), "T",
        "B of the force charge v x B, which turns velocities and gives no energy"),
    REAL("start", false, FIELD(start), "s", FROM(0), INFINITY, "default 0"),
    REAL("stop", false, FIELD(stop), "s", FROM(0), INFINITY, "default never"),
};
SECTION(
    field, "field",
    "Forces that depend on the place. Expressions may have x, y, z, vx, vy, vz, t, mass, charge "
    "and diameter of a body, at the start of each step.",
    field_fields, false);
