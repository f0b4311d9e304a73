/* Scree, shape: what bodies are made of. A shape has no place and no mass of its own; a body gives
 * it a pose and a density. Lengths are in metres.
 *
 *   scree_shape *ball;  scree_shape_create_sphere(context, 0.05, &ball);
 *   scree_mass mass;    scree_shape_get_mass(ball, 2500.0, &mass);
 *   scree_shape_destroy(ball);
 *
 * Ownership: create hands over one reference, retain adds one, destroy drops one; the last one
 * frees. A world or a compound that keeps a shape retains it, so the maker may destroy at once.
 * Shapes never change after create and may be shared by any number of bodies and threads (retain
 * and destroy themselves belong to one thread at a time). A shape must go before its context.
 *
 * Frames: z is the axis of a capsule, cylinder and cone. The origin of sphere, ellipsoid, box,
 * capsule, cylinder and cone is their centre of mass, and their axes are principal ones; hulls,
 * meshes and compounds keep the frame of the numbers that were given.
 *
 * Half-space, containers and meshes that are not closed have no mass: for fixed or prescribed
 * bodies, or with mass and inertia given. Convex shapes, meshes and compounds of them touch each
 * other and all other shapes; half-spaces and containers never touch each other, and a world in
 * which such two would have to is refused. A closed mesh is a solid for other meshes; for convex
 * shapes every mesh is a thin surface with two sides. */
#ifndef SCREE_SHAPE_H
#define SCREE_SHAPE_H

#include "scree/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum scree_shape_kind {
  SCREE_SHAPE_SPHERE,
  SCREE_SHAPE_ELLIPSOID,
  SCREE_SHAPE_BOX,
  SCREE_SHAPE_CAPSULE,
  SCREE_SHAPE_CYLINDER,
  SCREE_SHAPE_CONE,
  SCREE_SHAPE_HULL,
  SCREE_SHAPE_HALF_SPACE,
  SCREE_SHAPE_BOX_CONTAINER,
  SCREE_SHAPE_ROUND_CONTAINER,
  SCREE_SHAPE_MESH,
  SCREE_SHAPE_COMPOUND,
  SCREE_SHAPE_KIND_COUNT
} scree_shape_kind;

typedef struct scree_shape scree_shape;

SCREE_API scree_status scree_shape_create_sphere(scree_context *context, double radius,
                                                 scree_shape **shape);
SCREE_API scree_status scree_shape_create_ellipsoid(scree_context *context, const double radii[3],
                                                    scree_shape **shape);
SCREE_API scree_status scree_shape_create_box(scree_context *context, const double half_sizes[3],
                                              scree_shape **shape);
/* All points within `radius` of the segment from (0,0,-half_length) to (0,0,half_length). */
SCREE_API scree_status scree_shape_create_capsule(scree_context *context, double radius,
                                                  double half_length, scree_shape **shape);
/* |z| <= half_length. */
SCREE_API scree_status scree_shape_create_cylinder(scree_context *context, double radius,
                                                   double half_length, scree_shape **shape);
/* Base circle at z = -height/4, tip at z = 3 height/4. */
SCREE_API scree_status scree_shape_create_cone(scree_context *context, double radius, double height,
                                               scree_shape **shape);
/* The solid is z <= 0, without end. */
SCREE_API scree_status scree_shape_create_half_space(scree_context *context, scree_shape **shape);
/* The convex hull of at least four points (x y z …) that do not lie in a plane. */
SCREE_API scree_status scree_shape_create_hull(scree_context *context, size_t point_count,
                                               const double *points, scree_shape **shape);

/* Containers: a cavity in a block of material that has no outer end. A closed end is material; at
 * an open end the material stops with a plane, so that grains that leave by an open top come to lie
 * on it. Cavities in one compound, end on end, make vessels with funnels and pipes. */
enum {
  SCREE_OPEN_NONE = 0,
  SCREE_OPEN_BOTTOM = 1, /* at the lower z */
  SCREE_OPEN_TOP = 2     /* at the upper z */
};
SCREE_API scree_status scree_shape_create_box_container(scree_context *context,
                                                        const double half_sizes[3],
                                                        unsigned open_ends, scree_shape **shape);
/* |z| <= half_length. */
SCREE_API scree_status scree_shape_create_cylinder_container(scree_context *context, double radius,
                                                             double half_length, unsigned open_ends,
                                                             scree_shape **shape);
/* A cone or a funnel: the radius goes from `bottom_radius` at z = -half_length to `top_radius` at
 * z = half_length; one of them may be 0 (that end is then a tip and cannot be open). */
SCREE_API scree_status scree_shape_create_cone_container(scree_context *context,
                                                         double bottom_radius, double top_radius,
                                                         double half_length, unsigned open_ends,
                                                         scree_shape **shape);

/* Triangles as triples of vertex indices, repaired as far as that is safe (scree_mesh_report tells
 * what was done). Everything is copied. */
SCREE_API scree_status scree_shape_create_mesh(scree_context *context, size_t vertex_count,
                                               const double *vertices, size_t triangle_count,
                                               const uint32_t *triangles, scree_shape **shape);

/* Ground: a grid of heights z, `ny` rows (along y) of `nx` numbers (along x), its middle over the
 * origin. It is made a closed mesh, with upright sides down to a flat bottom `thickness` below the
 * least height; 0: a tenth of the longer side. */
SCREE_API scree_status scree_shape_create_height_field(scree_context *context, size_t nx, size_t ny,
                                                       const double *heights,
                                                       const double spacing[2], double thickness,
                                                       scree_shape **shape);

typedef struct scree_mesh_report {
  size_t vertices, triangles; /* as given */
  double lower[3], upper[3];  /* m */
  double tolerance; /* m: a millionth of the size, or of the largest coordinate if that is more */
  /* What was repaired. */
  size_t welded;  /* vertices that were made one with another within the tolerance, not equal */
  size_t slivers; /* triangles lower than the tolerance, left out */
  size_t doubled; /* triangles with the same vertices as another, left out */
  size_t seams;   /* vertices in the middle of an edge (T-junctions), at which triangles were cut */
  size_t flipped; /* triangles turned to look the way their neighbours do */
  bool inside_out; /* all were turned, as the volume was negative */
  size_t kept;     /* triangles after all that */
  /* What is left. */
  size_t parts;         /* pieces not joined by edges */
  size_t open_edges;    /* with one triangle */
  size_t holes;         /* loops of such edges */
  size_t crowded_edges; /* with more than two triangles */
  bool closed;          /* has an inside: every edge has triangles on both sides, in equal number */
  double area, volume;  /* m^2, m^3; the volume is 0 where it is not closed */
  size_t crossings;     /* pairs of triangles that run through each other; 0 unless counted */
} scree_mesh_report;
/* Of a mesh; false: the shape is none. Crossings are counted on demand, as that takes time. */
SCREE_API bool scree_shape_get_mesh_report(const scree_shape *shape, bool count_crossings,
                                           scree_mesh_report *report);
/* Examines triangles without keeping them. */
SCREE_API scree_status scree_mesh_examine(scree_context *context, size_t vertex_count,
                                          const double *vertices, size_t triangle_count,
                                          const uint32_t *triangles, scree_mesh_report *report);

typedef struct scree_shape_part {
  scree_shape *shape;
  double position[3];
  double rotation[4]; /* w x y z; need not be of unit length */
} scree_shape_part;
/* Clumps and bodies that are not convex. Parts may overlap; mass is that of the parts summed, so
 * what lies in two parts counts twice. A part may be any shape but a compound. */
SCREE_API scree_status scree_shape_create_compound(scree_context *context, size_t part_count,
                                                   const scree_shape_part *parts,
                                                   scree_shape **shape);

SCREE_API scree_shape *scree_shape_retain(scree_shape *shape);
SCREE_API void scree_shape_destroy(scree_shape *shape);

SCREE_API scree_shape_kind scree_shape_get_kind(const scree_shape *shape);
/* "sphere", "box_container", …; "" out of range. */
SCREE_API const char *scree_shape_kind_name(scree_shape_kind kind);
/* Box around the shape at a pose; infinite where the shape has no end. */
SCREE_API void scree_shape_get_bounds(const scree_shape *shape, const double position[3],
                                      const double rotation[4], double lower[3], double upper[3]);

typedef struct scree_mass {
  double mass;         /* kg */
  double volume;       /* m^3 */
  double center[3];    /* of mass, in the shape's frame */
  double inertia[6];   /* about the centre of mass, shape's axes: xx xy xz yy yz zz, kg m^2 */
  double principal[3]; /* in no fixed order: the diagonal in the frame below */
  double rotation[4];  /* quaternion that turns principal axes into the shape's axes */
} scree_mass;

/* Fails for a density that is not positive, and for a shape that has no mass. */
SCREE_API scree_status scree_shape_get_mass(const scree_shape *shape, double density,
                                            scree_mass *mass);

#ifdef __cplusplus
}
#endif
#endif
