/* What steppers of smooth motion share besides the method: their data, the start of a step and its
 * report. */
#include "step/smooth/smooth.h"

#include <string.h>

#include "base/options.h"

double smooth_option(const scree_stepper *st, const char *key) {
  return options_get(st->class->options, st->class->option_count, st->option, key);
}

/* Springs of contacts, where the options select them. */
static scree_status push_contacts(void *user, double *f) {
  scree_stepper *st = user;
  smooth *m = st->data;
  if (m->penalty.young == 0.0) return SCREE_OK;
  return smooth_contacts_push(st, &m->contacts, &m->penalty, m->penalty_step, m->system.rank, f);
}

typedef struct pair_search {
  smooth_system *system;
  bool missing;
} pair_search;

static void look_for_pair(void *user, uint32_t i, uint32_t j) {
  pair_search *p = user;
  const smooth_system *s = p->system;
  if (p->missing || s->rank[i] == SMOOTH_NONE || s->rank[j] == SMOOTH_NONE) return;
  p->missing = !kkt_block(&s->matrix, s->rank[i], s->rank[j]);
}

static void visit_pairs(void *user, world_visit_pair *visit, void *visitor) {
  const smooth *m = user;
  if (m->penalty.young != 0.0) smooth_contacts_pairs(&m->contacts, visit, visitor);
}

static void visit_blocks(void *user, world_visit_block *visit, void *visitor) {
  const smooth *m = user;
  if (m->penalty.young != 0.0)
    smooth_contacts_blocks(m->system.world, &m->contacts, visit, visitor);
}

scree_status smooth_push(scree_stepper *st, double dt, double *f) {
  smooth *m = st->data;
  pair_search p = {.system = &m->system};
  if (m->penalty.young == 0.0) return SCREE_OK;
  m->penalty_step = dt;
  const scree_status status = push_contacts(st, f);
  if (status) return status;
  /* The matrix needs a place for each pair that may push. */
  smooth_contacts_pairs(&m->contacts, look_for_pair, &p);
  return p.missing ? kkt_make_pattern(&m->system) : SCREE_OK;
}

void smooth_keep_contacts(smooth *m, double dt) {
  smooth_contacts *c = &m->contacts;
  if (m->penalty.young == 0.0) return;
  const penalty_sums was = c->kept;
  smooth_contacts_keep(c);
  const penalty_sums *is = &c->kept;
  const double normal = is->normal_energy - was.normal_energy;
  const double tangent = is->tangent_energy - was.tangent_energy;
  m->work.normal += 0.5 * dt * (is->normal_loss + was.normal_loss);
  m->work.tangent -= 0.5 * dt * (is->tangent_power + was.tangent_power) + tangent;
  m->work.stored += normal + tangent;
  m->work.given -= 0.5 * dt * (is->given_power + was.given_power);
}

scree_status smooth_create(scree_stepper *st) {
  smooth *m = memory_new(st->context, 1, sizeof *m);
  if (!m) return SCREE_ERROR_MEMORY;
  system_init(&m->system, st->world);
  m->system.more_forces = push_contacts;
  m->system.more_user = st;
  m->system.more_pairs = visit_pairs;
  m->system.more_blocks = visit_blocks;
  m->system.more_of = m;
  st->data = m;
  return SCREE_OK;
}

void smooth_destroy(scree_stepper *st) {
  smooth *m = st->data;
  if (!m) return;
  linear_destroy(&m->linear);
  smooth_contacts_clear(st->context, &m->contacts);
  system_clear(&m->system);
  memory_free(st->context, m->pose);
  memory_free(st->context, m->twist);
  memory_free(st->context, m->keep);
  memory_free(st->context, m->v);
  memory_free(st->context, m->more);
  memory_free(st->context, m->contact_bytes);
  memory_free(st->context, m);
}

typedef struct smooth_header {
  double part;
  uint64_t system_size;
} smooth_header;

size_t smooth_save(const scree_stepper *st, void *bytes) {
  const smooth *m = st->data;
  const smooth_header head = {m->part, system_save(&m->system, NULL)};
  char *at = bytes;
  if (at) {
    memcpy(at, &head, sizeof head);
    system_save(&m->system, at + sizeof head);
  }
  return sizeof head + head.system_size +
         smooth_contacts_save(&m->contacts, at ? at + sizeof head + head.system_size : NULL);
}

scree_status smooth_restore(scree_stepper *st, const void *bytes, size_t size) {
  smooth *m = st->data;
  smooth_header head;
  const char *at = bytes;
  if (size >= sizeof head) memcpy(&head, at, sizeof head);
  if (size < sizeof head || head.system_size > size - sizeof head)
    return context_fail(st->context, SCREE_ERROR_INPUT, "checkpoint: cut short");
  m->part = head.part;
  at += sizeof head;
  const scree_status status = system_restore(&m->system, at, head.system_size);
  return status ? status
                : smooth_contacts_restore(st, &m->contacts, at + head.system_size,
                                          size - sizeof head - head.system_size);
}

/* Creates the linear solver that the options name, if it is not the present one. */
static scree_status choose_linear(scree_stepper *st, smooth *m) {
  const size_t wanted = (size_t)smooth_option(st, "linear_solver");
  if (m->linear.class == linear_at(wanted)) return SCREE_OK;
  linear_destroy(&m->linear);
  return linear_create(st->context, wanted, &m->linear);
}

/* Velocities were moved to those that joints allow: what that took is lost in an impact; what it
 * gave came from a motor that has its speed at once, or from a body with a given motion. */
static void book_start(const smooth_system *s, double loss, scree_step_info *info) {
  bool motor = false;
  for (size_t k = 0; k < s->rows; k++) motor = motor || s->row[k].motor;
  if (loss >= 0.0)
    info->ledger.impacts = info->impact_loss = loss;
  else
    *(motor ? &info->ledger.motors : &info->ledger.motions) = -loss;
}

static void log_joint(void *user, scree_joint_id id, int rows, int held) {
  const scree_stepper *st = user;
  context_log(st->context, SCREE_LOG_INFO,
              "stepper %s: joint %u (%s): %d of its %d rows are redundant: joints before it imply "
              "them; reactions are those of least norm",
              st->class->name, id.index, scree_joint_kind_name(st->world->joint[id.index].kind),
              rows, held);
}

/* Counts redundant rows again when joints have been added or removed. */
static scree_status count_redundant(scree_stepper *st, smooth *m) {
  scree_freedom freedom;
  if (m->counted == m->system.made) return SCREE_OK;
  m->redundant = m->system.matrix.independent = false;
  const scree_status status = scree_world_count_freedom(st->world, log_joint, st, &freedom);
  if (status) return status;
  m->redundant = freedom.redundant > 0 || freedom.uncounted_joints > 0;
  m->system.matrix.independent = !m->redundant;
  m->counted = m->system.made;
  return SCREE_OK;
}

static void choose_contacts(scree_stepper *st, smooth *m) {
  m->penalty = (penalty_law){.end = m->penalty.end};
  m->penalty_step = 0.0;
  m->work = (penalty_work){0};
  if ((int)smooth_option(st, "contact") != SMOOTH_CONTACT_PENALTY) return;
  m->penalty.young = smooth_option(st, "young");
  m->penalty.poisson = smooth_option(st, "poisson");
}

scree_status smooth_begin(scree_stepper *st, double h, scree_step_info *info, smooth_power *power) {
  smooth *m = st->data;
  smooth_system *s = &m->system;
  bool again;
  if (world_is_periodic(st->world))
    return context_fail(st->context, SCREE_ERROR_INPUT,
                        "stepper %s: it knows no periodic boxes; take nonsmooth", st->class->name);
  scree_status status = choose_linear(st, m);
  choose_contacts(st, m);
  /* Forces of a user's function last for the whole step: they see the velocities at whole steps. */
  if (!status && st->world->force_function)
    st->world->force_function(st->world->force_user, st->world, st->world->time, h);
  if (!status) status = system_begin(s, &again);
  if (!status) status = count_redundant(st, m);
  if (status) return status;
  if (memory_grow(st->context, &m->v, 6 * s->bodies + 1, sizeof *m->v) ||
      memory_grow(st->context, &m->more, 12 * s->bodies + 1, sizeof *m->more))
    return SCREE_ERROR_MEMORY;
  if (again) {
    double loss;
    status = system_start(s, &m->linear, &loss);
    if (status) return status;
    book_start(s, loss, info);
    m->part = 0.0;
    m->contacts.kept = m->contacts.now;
  }
  if ((int)smooth_option(st, "contact") == SMOOTH_CONTACT_REFUSE)
    status = smooth_contacts_refuse(st, &m->contacts);
  if (status) return status;
  system_rows(s);
  info->joint_error = system_joint_error(s);
  info->model = st->def.model;
  info->joints = s->joints;
  info->rows = s->rows;
  *power = system_power(s, s->v0, s->lambda0);
  return SCREE_OK;
}

void smooth_end(scree_stepper *st, double h, const scree_energy *before, const smooth_power *power,
                scree_step_info *info) {
  smooth *m = st->data;
  smooth_system *s = &m->system;
  const scree_energy after = scree_world_get_energy(st->world);
  const smooth_power p = system_power(s, s->v0, s->lambda0);
  scree_ledger *l = &info->ledger;
  info->advanced = true;
  l->kinetic = after.linear + after.angular - before->linear - before->angular - l->impacts +
               l->motors + l->motions;
  l->potential = after.potential + after.pairwise + after.elastic - before->potential -
                 before->pairwise - before->elastic;
  l->forces = 0.5 * h * (p.forces + power->forces);
  l->motors += 0.5 * h * (p.motors + power->motors);
  l->motions += 0.5 * h * (p.motions + power->motions);
  l->potential += p.springs - power->springs; /* they give back what they took */
  l->joints = 0.5 * h * (p.dampers + power->dampers);
  l->potential += m->work.stored;
  l->impacts += m->work.normal;
  l->friction += m->work.tangent;
  l->motions += m->work.given;
  smooth_contacts_drop(&m->contacts);
  if (m->penalty.young != 0.0) smooth_contacts_report(&m->contacts, info);
  l->error = l->kinetic + l->potential - (l->motors + l->motions + l->forces) + l->friction +
             l->impacts + l->joints;
}

scree_status smooth_end_explicit(scree_stepper *st, double h, int order, const scree_energy *before,
                                 const smooth_power *power, scree_step_info *info) {
  smooth *m = st->data;
  smooth_note_turning(&m->system, h, order, info);
  info->parts = info->solves = 1;
  info->converged = true;
  smooth_keep_contacts(m, h); /* they are of the start: their work is that of the step before */
  system_accept(&m->system, h);
  bool again;
  const scree_status status = system_begin(&m->system, &again);
  system_rows(&m->system);
  smooth_end(st, h, before, power, info);
  return status;
}
