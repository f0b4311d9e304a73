/* Which bodies the scene of a robot has: see scene.h and the head of scene.c. */
#include <math.h>
#include <string.h>

#include "scene/import/scene.h"

void robot_cut_clear(robot *r, piece_list *p) {
  scree_context *context = r->doc->context;
  memory_free(context, p->piece);
  memory_free(context, p->first);
  memory_free(context, p->count);
  memory_free(context, p->of_geom);
  memory_free(context, p->place);
  memory_free(context, p->unit);
  memory_free(context, p->unit_first);
  memory_free(context, p->units);
}

static robot_piece *add_piece(robot *r, piece_list *p, const xml_element *at, size_t body,
                              const char *name) {
  if (!name || memory_grow(r->doc->context, &p->piece, p->piece_count + 1, sizeof *p->piece)) {
    r->doc->out_of_memory = true;
    return NULL;
  }
  robot_piece *e = &p->piece[p->piece_count++];
  *e = (robot_piece){.name = name, .at = at, .body = body, .surface = SIZE_MAX};
  e->place = pose_identity();
  return e;
}

static scree_status find_filter(robot *r, piece_list *p, const robot_geom *g, size_t *index) {
  if (!p->filter_count) {
    p->filter[0][0] = p->filter[0][1] = 1;
    p->filter_count = 1;
  }
  for (*index = 0; *index < p->filter_count; (*index)++)
    if (p->filter[*index][0] == g->meets_as && p->filter[*index][1] == g->meets) return SCREE_OK;
  if (p->filter_count == FILTER_LIMIT)
    return robot_fault(r, g->at, NULL,
                       "more than %d different pairs of contype and conaffinity in the model",
                       FILTER_LIMIT - 1);
  p->filter[*index][0] = g->meets_as;
  p->filter[*index][1] = g->meets;
  p->filter_count++;
  return SCREE_OK;
}

/* ---- joints that are one -------------------------------------------------------------------- */

static bool is_plain(const robot_joint *j) {
  const robot_drive *d = &j->drive;
  return !j->limited && j->armature == 0.0 && j->damping == 0.0 && j->friction == 0.0 &&
         j->stiffness == 0.0 && !d->given;
}

static bool is_parallel(v3 a, v3 b) {
  return v3_norm(v3_cross(a, b)) < 1e-9;
}

static bool is_same_point(const robot_joint *a, const robot_joint *b) {
  return v3_norm(v3_sub(a->world_anchor, b->world_anchor)) < 1e-9;
}

/* Slides and a hinge that neither limit nor resist: a joint that moves in a plane. */
static bool unite_plane(const robot_joint *const *j, robot_unit *u) {
  const robot_joint *hinge = NULL, *slide[3];
  size_t slides = 0;
  for (int k = 0; k < 3; k++) {
    if (!is_plain(j[k]) || (j[k]->kind != ROBOT_HINGE && j[k]->kind != ROBOT_SLIDE)) return false;
    if (j[k]->kind == ROBOT_SLIDE)
      slide[slides++] = j[k];
    else
      hinge = j[k];
  }
  if (slides != 2) return false;
  const v3 normal = v3_cross(slide[0]->world_axis, slide[1]->world_axis);
  if (!(v3_norm(normal) > 1e-9) || !is_parallel(v3_normalize(normal), hinge->world_axis))
    return false;
  u->joint = *hinge;
  u->joint.kind = ROBOT_PLANAR;
  return true;
}

static bool unite_ball(const robot_joint *const *j, robot_unit *u) {
  for (int k = 0; k < 3; k++)
    if (!is_plain(j[k]) || j[k]->kind != ROBOT_HINGE || !is_same_point(j[0], j[k])) return false;
  const double volume = v3_dot(j[0]->world_axis, v3_cross(j[1]->world_axis, j[2]->world_axis));
  u->joint = *j[0];
  u->joint.kind = ROBOT_BALL;
  return fabs(volume) > 1e-3;
}

/* Two hinges across each other through a point, or a hinge and a slide along one line. */
static bool unite_two(const robot_joint *a, const robot_joint *b, robot_unit *u) {
  const bool hinge_a = a->kind == ROBOT_HINGE, hinge_b = b->kind == ROBOT_HINGE;
  if (a->kind > ROBOT_SLIDE || b->kind > ROBOT_SLIDE) return false;
  if (hinge_a && hinge_b) {
    if (!is_same_point(a, b) || fabs(v3_dot(a->world_axis, b->world_axis)) > 1e-9) return false;
    u->joint = *a;
    u->joint.kind = ROBOT_UNIVERSAL;
    u->joint.world_axis_b = b->world_axis;
    u->second = b;
    return true;
  }
  if (hinge_a == hinge_b || v3_dot(a->world_axis, b->world_axis) < 1.0 - 1e-12) return false;
  const robot_joint *slide = hinge_a ? b : a;
  u->second = hinge_a ? a : b;
  u->joint = *slide; /* its line is that of the hinge */
  u->joint.kind = ROBOT_CYLINDRICAL;
  u->joint.world_anchor = u->second->world_anchor;
  return true;
}

static scree_status add_unit(robot *r, piece_list *p, size_t body, robot_unit *u) {
  if (!u->name || memory_grow(r->doc->context, &p->unit, p->unit_count + 1, sizeof *p->unit))
    return SCREE_ERROR_MEMORY;
  p->unit[p->unit_count++] = *u;
  p->units[body]++;
  return SCREE_OK;
}

/* The joints of a body as joints of the scene, as few as can be. */
static scree_status unite(robot *r, piece_list *p, size_t body) {
  const robot_body *b = &r->bodies[body];
  p->unit_first[body] = p->unit_count;
  scree_status status = SCREE_OK;
  for (size_t k = 0; k < b->joints && !status;) {
    const robot_joint *j[3] = {&r->joints[b->joint + k], NULL, NULL};
    const size_t left = b->joints - k;
    if (left > 1) j[1] = j[0] + 1;
    if (left > 2) j[2] = j[0] + 2;
    robot_unit u = {.joint = *j[0], .name = j[0]->name};
    if (k == 0 && left == 3 && (unite_plane(j, &u) || unite_ball(j, &u))) {
      u.name = robot_text(r, "%s+%s+%s", j[0]->name, j[1]->name, j[2]->name);
      k += 3;
    } else if (left > 1 && unite_two(j[0], j[1], &u)) {
      u.name = robot_text(r, "%s+%s", j[0]->name, j[1]->name);
      k += 2;
    } else {
      u = (robot_unit){.joint = *j[0], .name = j[0]->name};
      k++;
    }
    status = add_unit(r, p, body, &u);
  }
  if (!status && p->units[body] > 1)
    robot_note(r, b->at, NULL,
               "between the joints of body '%s' there are %zu parts with 1 %% of its mass and "
               "inertia each, so that its motion differs by about as much",
               b->name, p->units[body] - 1);
  return status;
}

/* ---- masses --------------------------------------------------------------------------------- */

/* The inertia that the shapes of a body would have with its mass. */
static scree_status shape_inertia(robot *r, size_t body, robot_mass *m) {
  robot_mass sum = {0};
  for (size_t i = 0; i < r->geom_count; i++) {
    if (r->geom_body[i] == SIZE_MAX || r->bodies[r->geom_body[i]].root != (int)body) continue;
    if (!r->geoms[i].solid && !r->geoms[i].weighed) continue;
    robot_geom g = r->geoms[i];
    g.mass = -1.0;
    g.density = 1.0;
    robot_mass part;
    const scree_status status = robot_weigh_geom(r, &g, &part);
    if (status) return status;
    robot_add_mass(&sum, &part, r->bodies[r->geom_body[i]].in_root);
  }
  const double trace = (m->inertia[0] + m->inertia[3] + m->inertia[5]) / 3.0;
  for (int k = 0; k < 6; k++)
    m->inertia[k] = sum.mass > 0.0               ? sum.inertia[k] * m->mass / sum.mass
                    : k == 0 || k == 3 || k == 5 ? trace
                                                 : 0.0;
  return SCREE_OK;
}

/* Numbers of a file may break the triangle rule by their rounding, or be made up. */
static scree_status check_inertia(robot *r, size_t body, robot_mass *m) {
  const robot_body *b = &r->bodies[body];
  double p[3];
  robot_principal_inertia(m->inertia, p);
  const double excess = p[2] - p[0] - p[1];
  if (p[0] > 1e-9 * p[2] && excess <= 1e-10 * p[2]) return SCREE_OK;
  if (p[0] > 0.0 && excess < 0.02 * p[2]) {
    const double more = fmax(excess, 0.0) + 1e-9 * p[2];
    robot_note(r, b->at, NULL,
               "inertia of '%s': the moments %g %g %g break the triangle rule by %.2g%%: %g is "
               "added to each",
               b->name, p[0], p[1], p[2], 100.0 * excess / p[2], more);
    m->inertia[0] += more;
    m->inertia[3] += more;
    m->inertia[5] += more;
    return SCREE_OK;
  }
  robot_lose(r, b->at, NULL,
             "inertia of '%s': no body has the moments %g %g %g; that of its shape is taken",
             b->name, p[0], p[1], p[2]);
  const scree_status status = shape_inertia(r, body, m);
  robot_principal_inertia(m->inertia, p);
  if (!status && !(p[0] > 0.0))
    return robot_fault(r, b->at, NULL, "inertia of '%s': it has none, and no shape", b->name);
  return status;
}

static scree_status weigh_body(robot *r, size_t body, robot_mass *m) {
  const robot_body *b = &r->bodies[body];
  for (size_t i = 0; i < r->body_count; i++) {
    const robot_body *o = &r->bodies[i];
    if (o->root != (int)body) continue;
    robot_mass part = {.mass = o->mass, .center = o->center};
    memcpy(part.inertia, o->inertia, sizeof part.inertia);
    robot_add_mass(m, &part, o->in_root);
  }
  if (!(m->mass > 0.0) && r->def->density > 0.0 && r->def->allow_unsupported) {
    const double radius = 0.01;
    robot_lose(r, b->at, NULL, "'%s' has neither mass nor shape: a ball of 2 cm is taken", b->name);
    m->mass = 4.0 / 3.0 * 3.14159265358979324 * radius * radius * radius * r->def->density;
    m->inertia[0] = m->inertia[3] = m->inertia[5] = 0.4 * m->mass * radius * radius;
    r->bodies[body].mass = m->mass;
  }
  if (!(m->mass > 0.0))
    return robot_fault(r, b->at, NULL,
                       "'%s' can move but has no mass; give it one in the file, or a density for "
                       "its shapes (--density, density:)",
                       b->name);
  return check_inertia(r, body, m);
}

/* ---- cutting -------------------------------------------------------------------------------- */

static scree_status cut_geom(robot *r, piece_list *p, size_t body, size_t geom) {
  const robot_geom *g = &r->geoms[geom];
  const robot_body *owner = &r->bodies[r->geom_body[geom]];
  size_t filter;
  const scree_status status = find_filter(r, p, g, &filter);
  if (status) return status;
  const size_t links = p->units[body] ? p->units[body] : 1;
  size_t k = p->first[body];
  for (size_t n = 0; n < p->count[body]; n++, k++) {
    if (n > 0 && n < links) continue; /* between joints: without shape */
    if (!p->piece[k].shaped || (p->piece[k].surface == g->surface && p->piece[k].filter == filter))
      break;
  }
  if (k == p->first[body] + p->count[body]) {
    if (!add_piece(r, p, g->at, body,
                   robot_text(r, "%s.part%zu", r->bodies[body].name, p->count[body] - links + 2)))
      return SCREE_ERROR_MEMORY;
    p->count[body]++;
    p->piece[k].place = p->piece[p->first[body]].place;
  }
  robot_piece *e = &p->piece[k];
  e->shaped = true;
  e->surface = g->surface;
  e->filter = filter;
  p->of_geom[geom] = k;
  p->place[geom] = pose_mul(owner->in_root, pose_mul(g->place, g->shift));
  return SCREE_OK;
}

static scree_status cut_body(robot *r, piece_list *p, size_t body) {
  const robot_body *b = &r->bodies[body];
  p->first[body] = p->piece_count;
  if (unite(r, p, body)) return SCREE_ERROR_MEMORY;
  robot_piece *e = add_piece(r, p, b->at, body, b->name);
  if (!e) return SCREE_ERROR_MEMORY;
  p->count[body] = 1;
  e->place = b->world;
  e->fixed = b->held;
  scree_status status = b->held ? SCREE_OK : weigh_body(r, body, &e->mass);
  for (size_t k = 0; k + 1 < p->units[body] && !status; k++) {
    const robot_unit *u = &p->unit[p->unit_first[body] + k];
    e = add_piece(r, p, u->joint.at, body, robot_text(r, "%s.%s", b->name, u->name));
    if (!e) return SCREE_ERROR_MEMORY;
    e->place = b->world;
    p->count[body]++;
  }
  for (size_t i = 0; i < r->geom_count && !status; i++)
    if (r->geoms[i].solid && r->geom_body[i] != SIZE_MAX &&
        r->bodies[r->geom_body[i]].root == (int)body)
      status = cut_geom(r, p, body, i);
  return status;
}

/* Geoms of the world become a body each, as a floor cannot be a part of a compound. */
static scree_status cut_world(robot *r, piece_list *p, size_t geom) {
  const robot_geom *g = &r->geoms[geom];
  const pose body =
      r->geom_body[geom] == SIZE_MAX ? pose_identity() : r->bodies[r->geom_body[geom]].world;
  size_t filter;
  const scree_status status = find_filter(r, p, g, &filter);
  robot_piece *e = status ? NULL : add_piece(r, p, g->at, SIZE_MAX, g->name);
  if (!e) return status ? status : SCREE_ERROR_MEMORY;
  e->fixed = e->shaped = true;
  e->surface = g->surface;
  e->filter = filter;
  e->place = pose_mul(body, pose_mul(g->place, g->shift));
  p->of_geom[geom] = p->piece_count - 1;
  p->place[geom] = pose_identity();
  return SCREE_OK;
}

scree_status robot_cut(robot *r, piece_list *p) {
  scree_context *context = r->doc->context;
  p->first = memory_new(context, r->body_count + 1, sizeof *p->first);
  p->count = memory_new(context, r->body_count + 1, sizeof *p->count);
  p->unit_first = memory_new(context, r->body_count + 1, sizeof *p->unit_first);
  p->units = memory_new(context, r->body_count + 1, sizeof *p->units);
  p->of_geom = memory_new(context, r->geom_count + 1, sizeof *p->of_geom);
  p->place = memory_new(context, r->geom_count + 1, sizeof *p->place);
  if (!p->first || !p->count || !p->unit_first || !p->units || !p->of_geom || !p->place)
    return SCREE_ERROR_MEMORY;
  for (size_t i = 0; i < r->geom_count; i++) p->of_geom[i] = SIZE_MAX;
  scree_status status = SCREE_OK;
  for (size_t i = 0; i < r->geom_count && !status; i++)
    if (r->geoms[i].solid &&
        (r->geom_body[i] == SIZE_MAX || r->bodies[r->geom_body[i]].root == ROBOT_WORLD))
      status = cut_world(r, p, i);
  for (size_t i = 0; i < r->body_count && !status; i++) {
    if (r->bodies[i].root != (int)i) continue;
    const scree_status one = cut_body(r, p, i);
    if (one) status = one;
  }
  return status;
}
