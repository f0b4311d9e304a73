/* Every shape: X(kind, name). A row needs `const shape_ops shape_<name>_ops` in src/shape/<name>.c
 * and a place in the narrow phase's table. The order is that of scree_shape_kind. */
#define SHAPE_LIST(X)                                                                              \
  X(SPHERE, sphere)                                                                                \
  X(ELLIPSOID, ellipsoid)                                                                          \
  X(BOX, box)                                                                                      \
  X(CAPSULE, capsule)                                                                              \
  X(CYLINDER, cylinder)                                                                            \
  X(CONE, cone)                                                                                    \
  X(HULL, hull)                                                                                    \
  X(HALF_SPACE, half_space)                                                                        \
  X(BOX_CONTAINER, box_container)                                                                  \
  X(ROUND_CONTAINER, round_container)                                                              \
  X(MESH, mesh)                                                                                    \
  X(COMPOUND, compound)
