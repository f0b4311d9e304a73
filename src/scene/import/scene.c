/* The scene that a robot becomes: materials, bodies, joints, what never touches, probes.
 *
 * Bodies without joints are one with their parent: their masses and shapes are joined. Where one
 * body would need two surfaces or two rules of touching, and between joints that follow each other
 * at one body, there are parts: bodies of their own that take SHARE of the mass and of the inertia
 * of theirs, about the same centre of mass, so that the sums at the start are exactly those of the
 * file. Several joints of one body that make a known kind together (and neither limit nor resist)
 * become that one joint instead. */
#include <math.h>
#include <string.h>

#include "scene/import/emit.h"
#include "scene/import/robot.h"
#include "scene/import/scene.h"

static const double SHARE = 0.01;

/* ---- shapes --------------------------------------------------------------------------------- */

static void put_points(const emit_place *at, scene_node *keys, const robot_geom *g) {
  const bool field = g->kind == ROBOT_FIELD;
  const size_t width = field ? g->columns : 3, rows = field ? g->rows : g->point_count;
  scene_node *list = emit_node(at, SCENE_LIST);
  for (size_t i = 0; i < rows; i++) {
    scene_node *row = emit_node(at, SCENE_LIST);
    for (size_t k = 0; k < width; k++)
      emit_add(at, row, emit_number_node(at, g->points[i * width + k]));
    emit_add(at, list, row);
  }
  emit_put(at, keys, field ? "heights" : "points", list);
}

static void put_mesh(const robot *r, const emit_place *at, scene_node *keys, const robot_geom *g) {
  emit_place there = *at;
  there.file = g->path_file; /* the path is seen from the file that names it */
  emit_text(&there, keys, "file", g->path);
  (void)r;
  if (g->stretch.x != 1.0 || g->stretch.y != 1.0 || g->stretch.z != 1.0)
    emit_vector(at, keys, "stretch", g->stretch);
  if (g->convex) emit_flag(at, keys, "convex", true);
}

static scene_node *make_shape(robot *r, const robot_geom *g) {
  static const char *const kinds[] = {"sphere",     "ellipsoid", "box",  "capsule",     "cylinder",
                                      "half_space", "hull",      "mesh", "height_field"};
  const emit_place at = emit_at(r->doc, g->at);
  scene_node *shape = emit_node(&at, SCENE_MAP), *keys = emit_node(&at, SCENE_MAP);
  if (g->kind == ROBOT_BOX) {
    emit_vector(&at, keys, "size", v3_scale(2.0, v3_load(g->size)));
  } else if (g->kind == ROBOT_ELLIPSOID) {
    emit_vector(&at, keys, "radii", v3_load(g->size));
  } else if (g->kind == ROBOT_MESH) {
    put_mesh(r, &at, keys, g);
  } else if (g->kind == ROBOT_HULL || g->kind == ROBOT_FIELD) {
    put_points(&at, keys, g);
  } else if (g->kind != ROBOT_PLANE) {
    emit_number(&at, keys, "radius", g->size[0]);
    if (g->kind != ROBOT_SPHERE) emit_number(&at, keys, "length", 2.0 * g->size[1]);
  }
  if (g->kind == ROBOT_FIELD) {
    emit_numbers(&at, keys, "spacing", g->spacing, 2);
    if (g->thickness > 0.0) emit_number(&at, keys, "thickness", g->thickness);
  }
  emit_put(&at, shape, kinds[g->kind], keys);
  return shape;
}

static bool is_origin(pose p) {
  return v3_norm2(p.position) == 0.0 && p.rotation.x == 0.0 && p.rotation.y == 0.0 &&
         p.rotation.z == 0.0;
}

/* The shape of all geoms of a piece, seen from the body that it belongs to. */
static scene_node *piece_shape(robot *r, const piece_list *p, size_t piece) {
  const robot_geom *one = NULL;
  size_t count = 0;
  for (size_t i = 0; i < r->geom_count; i++)
    if (p->of_geom[i] == piece) one = &r->geoms[i], count++;
  if (!count) return NULL;
  if (count == 1 && is_origin(p->place[one - r->geoms])) return make_shape(r, one);
  const emit_place at = emit_at(r->doc, one->at);
  scene_node *shape = emit_node(&at, SCENE_MAP), *compound = emit_node(&at, SCENE_MAP),
             *parts = emit_node(&at, SCENE_LIST);
  for (size_t i = 0; i < r->geom_count; i++) {
    if (p->of_geom[i] != piece) continue;
    const emit_place here = emit_at(r->doc, r->geoms[i].at);
    scene_node *part = emit_node(&here, SCENE_MAP);
    emit_put(&here, part, "shape", make_shape(r, &r->geoms[i]));
    emit_pose(&here, part, p->place[i]);
    emit_add(&here, parts, part);
  }
  emit_put(&at, compound, "parts", parts);
  emit_put(&at, shape, "compound", compound);
  return shape;
}

/* ---- materials ------------------------------------------------------------------------------ */

static const char *surface_name(robot *r, size_t i) {
  const char *name = robot_text(r, "%s.surface%zu", r->name, i + 1);
  return name ? name : "";
}

static void put_law(const emit_place *at, scene_node *map, const robot_surface *s) {
  const int condim = s->condim ? s->condim : 6;
  emit_number(at, map, "friction", condim < 3 ? 0.0 : s->friction);
  if (condim >= 4 && s->spinning > 0.0) emit_number(at, map, "spinning", s->spinning);
  if (condim >= 6 && s->rolling > 0.0) emit_number(at, map, "rolling", s->rolling);
  if (s->restitution > 0.0) emit_number(at, map, "restitution", s->restitution);
}

/* MJCF: the law of the higher priority, else the larger of each. */
static robot_surface mixed(const robot_surface *a, const robot_surface *b) {
  if (a->priority != b->priority) return a->priority > b->priority ? *a : *b;
  robot_surface m = *a;
  m.condim = a->condim > b->condim ? a->condim : b->condim;
  m.friction = fmax(a->friction, b->friction);
  m.spinning = fmax(a->spinning, b->spinning);
  m.rolling = fmax(a->rolling, b->rolling);
  return m;
}

static void put_materials(robot *r, scene_node *root) {
  const emit_place at = emit_at(r->doc, r->root);
  for (size_t i = 0; i < r->surface_count; i++) {
    const robot_surface *s = &r->surfaces[i];
    scene_node *map = emit_node(&at, SCENE_MAP);
    put_law(&at, map, s);
    emit_put(&at, emit_child(&at, root, "materials", SCENE_MAP), surface_name(r, i), map);
  }
  for (size_t i = 0; r->mixes && i < r->surface_count; i++)
    for (size_t k = i + 1; k < r->surface_count; k++) {
      const robot_surface law = mixed(&r->surfaces[i], &r->surfaces[k]);
      scene_node *map = emit_node(&at, SCENE_MAP), *names = emit_node(&at, SCENE_LIST);
      emit_add(&at, names, emit_text_node(&at, surface_name(r, i)));
      emit_add(&at, names, emit_text_node(&at, surface_name(r, k)));
      emit_put(&at, map, "between", names);
      put_law(&at, map, &law);
      emit_add(&at, emit_child(&at, root, "pairs", SCENE_LIST), map);
    }
}

/* ---- bodies --------------------------------------------------------------------------------- */

/* Bits by which MJCF's rule (contype of one and conaffinity of the other share a bit) becomes that
 * of scenes: each kind of geom has a bit of its own, and meets the bits of those that it touches.
 * Bit 0 is the kind (1, 1): that of all other bodies. */
static void put_filter(const piece_list *p, size_t piece, const emit_place *at, scene_node *body) {
  const size_t kind = p->piece[piece].filter;
  uint32_t meets = UINT32_MAX;
  for (size_t k = 0; k < p->filter_count; k++)
    if (!(p->filter[kind][0] & p->filter[k][1]) && !(p->filter[k][0] & p->filter[kind][1]))
      meets &= ~((uint32_t)1 << k);
  if (kind) emit_number(at, body, "category", (double)((uint32_t)1 << kind));
  if (meets != UINT32_MAX) emit_number(at, body, "collides_with", (double)meets);
}

static void put_mass(const emit_place *at, scene_node *body, const robot_mass *m, double part) {
  emit_number(at, body, "mass", part * m->mass);
  double inertia[6];
  for (int k = 0; k < 6; k++) inertia[k] = part * m->inertia[k];
  emit_numbers(at, body, "inertia", inertia, 6);
  if (v3_norm2(m->center) > 0.0) emit_vector(at, body, "center", m->center);
}

static void put_piece(robot *r, const piece_list *p, size_t piece, scene_node *root) {
  const robot_piece *e = &p->piece[piece];
  const emit_place at = emit_at(r->doc, e->at);
  scene_node *body = emit_node(&at, SCENE_MAP), *shape = piece_shape(r, p, piece);
  emit_text(&at, body, "name", e->name);
  if (e->fixed) emit_text(&at, body, "kind", "fixed");
  emit_pose(&at, body, e->place);
  if (!e->fixed) {
    const robot_piece *first = &p->piece[p->first[e->body]];
    const double rest = 1.0 - SHARE * (double)(p->count[e->body] - 1);
    put_mass(&at, body, &first->mass, e == first ? rest : SHARE);
  }
  if (shape) {
    emit_put(&at, body, "shape", shape);
    if (e->surface != SIZE_MAX) emit_text(&at, body, "material", surface_name(r, e->surface));
    put_filter(p, piece, &at, body);
  }
  emit_add(&at, emit_child(&at, root, "bodies", SCENE_LIST), body);
}

/* ---- joints --------------------------------------------------------------------------------- */

static void put_drive(robot *r, const emit_place *at, scene_node *map, const robot_joint *j) {
  const robot_drive *d = &j->drive;
  if (!d->given) return;
  const double limit = fmax(fabs(d->lower), fabs(d->upper));
  scene_node *motor = emit_node(at, SCENE_MAP);
  if (isfinite(limit) && d->lower != -d->upper)
    robot_note(r, d->at, NULL, "force limits %g … %g: the larger is taken for both", d->lower,
               d->upper);
  if (d->stiffness > 0.0) {
    emit_text(at, motor, "kind", "position");
    emit_number(at, motor, "value", d->constant / d->stiffness);
    emit_number(at, motor, "stiffness", d->stiffness);
    if (d->damping > 0.0) emit_number(at, motor, "damping", d->damping);
  } else if (d->damping > 0.0) {
    emit_text(at, motor, "kind", "speed");
    emit_number(at, motor, "value", d->constant / d->damping);
    emit_number(at, motor, "damping", d->damping);
  } else {
    emit_text(at, motor, "kind", j->kind == ROBOT_HINGE ? "torque" : "force");
    emit_number(at, motor, "value", fmin(fmax(d->constant, d->lower), d->upper));
  }
  if (isfinite(limit) && (d->stiffness > 0.0 || d->damping > 0.0))
    emit_number(at, motor, "limit", limit);
  emit_put(at, map, "motor", motor);
}

/* What a hinge or slide has beside its freedom. */
static void put_coordinate(robot *r, const emit_place *at, scene_node *map, const robot_joint *j) {
  const double limits[2] = {j->lower, j->upper};
  if (j->limited) emit_numbers(at, map, "limits", limits, 2);
  const bool has = j->limited || j->stiffness > 0.0 || j->drive.stiffness > 0.0;
  if (has && j->start != 0.0) emit_number(at, map, "start", j->start);
  put_drive(r, at, map, j);
  if (j->damping > 0.0) emit_number(at, map, "damping", j->damping);
  if (j->friction > 0.0) emit_number(at, map, "friction", j->friction);
  if (j->armature > 0.0) emit_number(at, map, "armature", j->armature);
  if (j->stiffness > 0.0) {
    scene_node *spring = emit_node(at, SCENE_MAP);
    emit_number(at, spring, "stiffness", j->stiffness);
    if (j->rest != 0.0) emit_number(at, spring, "rest", j->rest);
    emit_put(at, map, "spring", spring);
  }
}

static scene_node *pair_node(const emit_place *at, const char *a, const char *b) {
  scene_node *list = emit_node(at, SCENE_LIST);
  emit_add(at, list, emit_text_node(at, a));
  emit_add(at, list, emit_text_node(at, b));
  return list;
}

static void put_joint(robot *r, scene_node *root, const robot_unit *u, const char *a,
                      const char *b) {
  static const char *const kinds[] = {"hinge",  "slider",    "ball",
                                      "planar", "universal", "cylindrical"};
  const robot_joint *j = &u->joint;
  const emit_place at = emit_at(r->doc, j->at);
  scene_node *map = emit_node(&at, SCENE_MAP);
  emit_text(&at, map, "name", u->name);
  emit_text(&at, map, "kind", kinds[j->kind]);
  emit_put(&at, map, "bodies", pair_node(&at, a, b));
  emit_vector(&at, map, "anchor", j->world_anchor);
  if (j->kind != ROBOT_BALL) emit_vector(&at, map, "axis", j->world_axis);
  if (j->kind == ROBOT_UNIVERSAL) emit_vector(&at, map, "axis_b", j->world_axis_b);
  if (j->kind != ROBOT_BALL && j->kind != ROBOT_PLANAR) put_coordinate(r, &at, map, j);
  if (u->second) {
    const emit_place there = emit_at(r->doc, u->second->at);
    scene_node *second = emit_node(&there, SCENE_MAP);
    put_coordinate(r, &there, second, u->second);
    if (second && second->count) emit_put(&there, map, "second", second);
  }
  emit_add(&at, emit_child(&at, root, "joints", SCENE_LIST), map);
}

/* Spring and damper of a ball joint act about all axes: those of a bushing beside it. */
static void put_bushing(robot *r, scene_node *root, const robot_unit *u, const char *a,
                        const char *b) {
  const robot_joint *j = &u->joint;
  if (j->kind != ROBOT_BALL || (j->stiffness == 0.0 && j->damping == 0.0)) return;
  const emit_place at = emit_at(r->doc, j->at);
  scene_node *map = emit_node(&at, SCENE_MAP);
  const double k[6] = {0, 0, 0, j->stiffness, j->stiffness, j->stiffness};
  const double d[6] = {0, 0, 0, j->damping, j->damping, j->damping};
  const char *name = robot_text(r, "%s.spring", u->name);
  if (name) emit_text(&at, map, "name", name);
  emit_text(&at, map, "kind", "bushing");
  emit_put(&at, map, "bodies", pair_node(&at, a, b));
  emit_vector(&at, map, "anchor", j->world_anchor);
  emit_numbers(&at, map, "stiffness", k, 6);
  emit_numbers(&at, map, "damping", d, 6);
  emit_add(&at, emit_child(&at, root, "joints", SCENE_LIST), map);
}

static void put_fixed(robot *r, scene_node *root, const robot_piece *a, const robot_piece *b) {
  const emit_place at = emit_at(r->doc, b->at);
  scene_node *map = emit_node(&at, SCENE_MAP);
  emit_text(&at, map, "kind", "fixed");
  emit_put(&at, map, "bodies", pair_node(&at, a->name, b->name));
  emit_vector(&at, map, "anchor", pose_apply(a->place, a->mass.center));
  emit_add(&at, emit_child(&at, root, "joints", SCENE_LIST), map);
}

static const char *main_name(const robot *r, const piece_list *p, int body) {
  if (body == ROBOT_WORLD || r->bodies[body].root == ROBOT_WORLD) return "world";
  return p->piece[p->first[r->bodies[body].root]].name;
}

/* Joint k of a body leads from its part k - 1 (0: the parent) to its part k (the last: itself). */
static void put_chain(robot *r, const piece_list *p, size_t body, scene_node *root) {
  const robot_body *b = &r->bodies[body];
  const char *from = main_name(r, p, b->parent);
  const size_t joints = p->units[body];
  for (size_t k = 0; k < joints; k++) {
    const char *to =
        k + 1 < joints ? p->piece[p->first[body] + 1 + k].name : p->piece[p->first[body]].name;
    put_joint(r, root, &p->unit[p->unit_first[body] + k], from, to);
    put_bushing(r, root, &p->unit[p->unit_first[body] + k], from, to);
    from = to;
  }
  const size_t links = joints ? joints - 1 : 0;
  for (size_t k = links + 1; k < p->count[body]; k++)
    put_fixed(r, root, &p->piece[p->first[body]], &p->piece[p->first[body] + k]);
}

/* The unit that a joint of the robot became; null: with others in one. */
static const robot_unit *unit_of(const robot *r, const piece_list *p, size_t joint) {
  const robot_joint *j = &r->joints[joint];
  for (size_t k = 0; k < p->units[j->body]; k++) {
    const robot_unit *u = &p->unit[p->unit_first[j->body] + k];
    if (!u->second && strcmp(u->name, j->name) == 0) return u;
  }
  return NULL;
}

/* Joints at one parent that follow each other: a gear, a rack and its pinion, or a lever. */
static void put_links(robot *r, const piece_list *p, scene_node *root) {
  for (size_t i = 0; i < r->link_count; i++) {
    const robot_link *l = &r->links[i];
    const robot_joint *j = &r->joints[l->joint], *o = &r->joints[l->other];
    const emit_place at = emit_at(r->doc, l->at);
    const robot_body *b = &r->bodies[j->body], *c = &r->bodies[o->body];
    const char *carrier = main_name(r, p, b->parent);
    const bool same = strcmp(carrier, main_name(r, p, c->parent)) == 0 && p->units[j->body] == 1 &&
                      p->units[o->body] == 1 && unit_of(r, p, l->joint) && unit_of(r, p, l->other);
    if (!same || j->kind > ROBOT_SLIDE || o->kind > ROBOT_SLIDE || l->ratio == 0.0) {
      robot_lose(r, l->at, NULL,
                 "'%s' follows '%s': that takes two hinges or slides at the same parent", j->name,
                 o->name);
      continue;
    }
    const bool back = o->kind == ROBOT_SLIDE && j->kind == ROBOT_HINGE; /* a pinion has the turn */
    const robot_joint *first = back ? j : o, *second = back ? o : j;
    const bool slides = second->kind == ROBOT_SLIDE;
    scene_node *map = emit_node(&at, SCENE_MAP), *bodies = emit_node(&at, SCENE_LIST);
    const char *name = robot_text(r, "%s.follows", j->name);
    if (name) emit_text(&at, map, "name", name);
    emit_text(&at, map, "kind",
              !slides                      ? "gear"
              : first->kind == ROBOT_HINGE ? "rack_pinion"
                                           : "lever");
    emit_add(&at, bodies, emit_text_node(&at, main_name(r, p, (int)first->body)));
    emit_add(&at, bodies, emit_text_node(&at, main_name(r, p, (int)second->body)));
    if (strcmp(carrier, "world") != 0) emit_add(&at, bodies, emit_text_node(&at, carrier));
    emit_put(&at, map, "bodies", bodies);
    if (slides) {
      emit_vector(&at, map, "anchor", first->world_anchor);
      emit_vector(&at, map, "anchor_b", second->world_anchor);
    }
    emit_vector(&at, map, "axis", first->world_axis);
    emit_vector(&at, map, "axis_b", second->world_axis);
    emit_number(&at, map, "ratio", back ? 1.0 / l->ratio : l->ratio);
    emit_add(&at, emit_child(&at, root, "joints", SCENE_LIST), map);
  }
}

static void put_ties(robot *r, const piece_list *p, scene_node *root) {
  for (size_t i = 0; i < r->tie_count; i++) {
    const robot_tie *t = &r->ties[i];
    const emit_place at = emit_at(r->doc, t->at);
    v3 x[2];
    for (int n = 0; n < 2; n++)
      x[n] = t->body[n] == ROBOT_WORLD ? t->point[n]
                                       : pose_apply(r->bodies[t->body[n]].world, t->point[n]);
    scene_node *map = emit_node(&at, SCENE_MAP);
    static const char *const kinds[] = {"ball", "fixed", "rope", "strut"};
    const double far = v3_norm(v3_sub(x[0], x[1]));
    emit_text(&at, map, "name", t->name);
    emit_text(&at, map, "kind", kinds[t->kind]);
    emit_put(&at, map, "bodies",
             pair_node(&at, main_name(r, p, t->body[0]), main_name(r, p, t->body[1])));
    emit_vector(&at, map, "anchor", x[0]);
    if (t->kind == ROBOT_TIE_ROPE) {
      emit_vector(&at, map, "anchor_b", x[1]);
      emit_number(&at, map, "length", fmax(t->length, far));
      if (far > t->length)
        robot_lose(r, t->at, NULL, "'%s' begins %g m long, its limit is %g m: it keeps the former",
                   t->name, far, t->length);
    } else if (t->kind == ROBOT_TIE_STRUT) {
      emit_vector(&at, map, "anchor_b", x[1]);
      if (t->damping > 0.0) emit_number(&at, map, "damping", t->damping);
      if (t->stiffness > 0.0) {
        scene_node *spring = emit_node(&at, SCENE_MAP);
        emit_number(&at, spring, "stiffness", t->stiffness);
        emit_number(&at, spring, "rest", t->length);
        emit_put(&at, map, "spring", spring);
      }
    } else if (far > 1e-6) {
      robot_lose(r, t->at, NULL,
                 "'%s' does not close: its two points are %g m apart at the start; they would be "
                 "kept apart as they are",
                 t->name, far);
    }
    if (t->kind != ROBOT_TIE_ROPE && t->kind != ROBOT_TIE_STRUT)
      emit_flag(&at, map, "collide", true);
    emit_add(&at, emit_child(&at, root, "joints", SCENE_LIST), map);
  }
}

/* ---- what never touches --------------------------------------------------------------------- */

static void add_names(robot *r, const piece_list *p, int body, const emit_place *at,
                      scene_node *list) {
  const int root = body == ROBOT_WORLD ? ROBOT_WORLD : r->bodies[body].root;
  for (size_t k = 0; k < p->piece_count; k++) {
    const robot_piece *e = &p->piece[k];
    if (e->shaped &&
        (root == ROBOT_WORLD ? e->fixed && e->body == SIZE_MAX : e->body == (size_t)root))
      emit_add(at, list, emit_text_node(at, e->name));
  }
}

static void put_group(const emit_place *at, scene_node *root, scene_node *list) {
  if (!list || list->count < 2) return;
  scene_node *map = emit_node(at, SCENE_MAP);
  emit_put(at, map, "bodies", list);
  emit_add(at, emit_child(at, root, "exclude", SCENE_LIST), map);
}

static void put_excludes(robot *r, const piece_list *p, scene_node *root) {
  const emit_place all = emit_at(r->doc, r->root);
  if (!r->self_collides) {
    scene_node *list = emit_node(&all, SCENE_LIST);
    for (size_t k = 0; k < p->piece_count; k++)
      if (p->piece[k].shaped) emit_add(&all, list, emit_text_node(&all, p->piece[k].name));
    put_group(&all, root, list);
    return;
  }
  for (size_t i = 0; i < r->body_count; i++) {
    const robot_body *b = &r->bodies[i];
    if (b->root != (int)i) continue;
    const emit_place at = emit_at(r->doc, b->at);
    const int parent = b->parent == ROBOT_WORLD ? ROBOT_WORLD : r->bodies[b->parent].root;
    const bool apart = parent != ROBOT_WORLD && (p->count[i] > 1 || p->count[parent] > 1);
    if (!apart && p->count[i] < 3) continue; /* joined directly: they do not touch */
    scene_node *list = emit_node(&at, SCENE_LIST);
    if (parent != ROBOT_WORLD) add_names(r, p, parent, &at, list);
    add_names(r, p, (int)i, &at, list);
    put_group(&at, root, list);
  }
  for (size_t i = 0; i < r->apart_count; i++) {
    scene_node *list = emit_node(&all, SCENE_LIST);
    add_names(r, p, r->apart[i][0], &all, list);
    add_names(r, p, r->apart[i][1], &all, list);
    put_group(&all, root, list);
  }
}

/* ---- all ------------------------------------------------------------------------------------ */

static void put_forces(robot *r, const piece_list *p, scene_node *root) {
  for (size_t i = 0; i < r->body_count; i++) {
    const robot_body *b = &r->bodies[i];
    if (b->lift == 0.0 || b->root == ROBOT_WORLD) continue;
    const emit_place at = emit_at(r->doc, b->at);
    const robot_piece *e = &p->piece[p->first[b->root]];
    const v3 force = v3_scale(-b->lift * b->mass, v3_load(r->gravity));
    scene_node *map = emit_node(&at, SCENE_MAP);
    emit_text(&at, map, "body", e->name);
    emit_vector(&at, map, "force", force);
    const v3 arm = v3_sub(pose_apply(b->world, b->center), pose_apply(e->place, e->mass.center));
    const v3 torque = v3_cross(arm, force);
    if (v3_norm(torque) > 1e-12 * v3_norm(force)) {
      emit_vector(&at, map, "torque", torque);
      robot_note(r, b->at, "gravcomp", "it acts at its body's centre at the start");
    }
    emit_add(&at, emit_child(&at, root, "forces", SCENE_LIST), map);
  }
}

static void put_probes(robot *r, const piece_list *p, scene_node *root) {
  for (size_t i = 0; i < r->probe_count; i++) {
    const robot_probe *s = &r->probes[i];
    const emit_place at = emit_at(r->doc, s->at);
    const bool joint = strcmp(s->kind, "joint") == 0;
    const char *of = joint ? NULL : main_name(r, p, s->body);
    for (size_t k = 0; joint && k < p->unit_count; k++) {
      const robot_unit *u = &p->unit[k];
      const robot_body *b = &r->bodies[u->joint.body];
      if (s->joint >= b->joint && s->joint < b->joint + b->joints &&
          (u->joint.at == r->joints[s->joint].at ||
           (u->second && u->second->at == r->joints[s->joint].at)))
        of = u->name;
    }
    if (!of || strcmp(of, "world") == 0) continue;
    scene_node *map = emit_node(&at, SCENE_MAP);
    emit_text(&at, map, "name", s->name);
    emit_text(&at, map, "kind", s->kind);
    emit_text(&at, map, joint ? "joint" : "body", of);
    emit_add(&at, emit_child(&at, root, "probes", SCENE_LIST), map);
  }
}

static void count_all(robot *r, const piece_list *p) {
  scree_import_summary *s = &r->summary;
  for (size_t i = 0; i < r->body_count; i++) {
    const robot_body *b = &r->bodies[i];
    s->bodies += b->root == (int)i;
    s->degrees_of_freedom += b->free ? 6 : 0;
    if (b->root != ROBOT_WORLD && !p->piece[p->first[b->root]].fixed) s->mass += b->mass;
  }
  for (size_t i = 0; i < r->joint_count; i++)
    s->degrees_of_freedom +=
        r->joints[i].kind == ROBOT_BALL || r->joints[i].kind == ROBOT_PLANAR ? 3 : 1;
  s->joints = r->joint_count + r->tie_count;
  s->parts = p->piece_count;
}

scree_status robot_scene(robot *r, scene_node **out) {
  const emit_place at = emit_at(r->doc, r->root);
  piece_list p = {0};
  scene_node *root = emit_node(&at, SCENE_MAP);
  *out = root;
  scree_status status = robot_cut(r, &p);
  if (!status && root) {
    const char *title = robot_text(r, "%s", r->name);
    if (title) emit_text(&at, root, "title", title);
    if (r->has_gravity) emit_numbers(&at, root, "gravity", r->gravity, 3);
    if (r->has_step) emit_number(&at, root, "step", r->step);
    put_materials(r, root);
    for (size_t k = 0; k < p.piece_count; k++) put_piece(r, &p, k, root);
    for (size_t i = 0; i < r->body_count; i++)
      if (r->bodies[i].root == (int)i) put_chain(r, &p, i, root);
    put_links(r, &p, root);
    put_ties(r, &p, root);
    put_excludes(r, &p, root);
    put_forces(r, &p, root);
    put_probes(r, &p, root);
    count_all(r, &p);
  }
  robot_cut_clear(r, &p);
  return r->doc->out_of_memory ? SCREE_ERROR_MEMORY : status;
}
