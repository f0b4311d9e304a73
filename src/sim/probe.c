/* Probes: CSV files with units in their first line. A run that goes on cuts its files back to where
 * its checkpoint was. Rows are gathered in memory; their checksum is made of what goes out. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/argument.h"
#include "base/crc.h"
#include "base/number.h"
#include "sim/sim.h"

enum { ROWS_BYTES = 1 << 16 };

/* The columns of the tables, with their units. */
static const char *const columns[SCREE_PROBE_KIND_COUNT][2 + PROBE_COLUMNS] = {
    [SCREE_PROBE_BODY] = {"time [s]", "x [m]", "y [m]", "z [m]", "qw", "qx", "qy", "qz", "vx [m/s]",
                          "vy [m/s]", "vz [m/s]", "wx [rad/s]", "wy [rad/s]", "wz [rad/s]"},
    [SCREE_PROBE_FORCE] = {"time [s]", "fx [N]", "fy [N]", "fz [N]", "tx [N m]", "ty [N m]",
                           "tz [N m]"},
    [SCREE_PROBE_PLANE] = {"time [s]", "mass [kg]", "forward [kg]", "backward [kg]",
                           "bodies forward", "bodies backward"},
    [SCREE_PROBE_ENERGY] = {"time [s]", "kinetic linear [J]", "kinetic angular [J]",
                            "potential [J]", "pairwise [J]", "elastic [J]", "total [J]"},
    [SCREE_PROBE_GROUP] = {"time [s]", "bodies", "mass [kg]", "x [m]", "y [m]", "z [m]", "vx [m/s]",
                           "vy [m/s]", "vz [m/s]", "x min [m]", "y min [m]", "z min [m]",
                           "x max [m]", "y max [m]", "z max [m]", "reach [m]"},
    [SCREE_PROBE_SURFACE] = {"time [s]", "cells", "height [m]", "slope [rad]", "azimuth [rad]",
                             "rms [m]"},
    [SCREE_PROBE_JOINT] = {"time [s]", "position [rad or m]", "speed [1/s]", "motor [N m or N]",
                           "power [W]", "friction [N m or N]", "spring [N m or N]",
                           "limit [N m or N]", "fx [N]", "fy [N]", "fz [N]", "tx [N m]", "ty [N m]",
                           "tz [N m]", "error [m]", "angle error [rad]", "broken"},
    [SCREE_PROBE_STRESS] = {"time [s]", "bodies", "contacts", "coordination", "solid", "sxx [Pa]",
                            "syy [Pa]", "szz [Pa]", "sxy [Pa]", "sxz [Pa]", "syz [Pa]", "fxx",
                            "fyy", "fzz", "fxy", "fxz", "fyz"},
    [SCREE_PROBE_REGION] = {"time [s]", "solid fraction", "void fraction", "bulk density [kg/m^3]",
                            "mass [kg]"},
};

const char *scree_probe_column_name(scree_probe_kind kind, size_t column) {
  if ((int)kind < 0 || kind >= SCREE_PROBE_KIND_COUNT || column > PROBE_COLUMNS) return NULL;
  return columns[kind][column];
}

static void put_header(FILE *file, scree_probe_kind kind) {
  for (size_t k = 0; columns[kind][k]; k++) fprintf(file, "%s%s", k ? "," : "", columns[kind][k]);
  fprintf(file, "\n");
}

static scree_status fault(scree_sim *sim, const sim_probe *p) {
  return context_fail(sim->context, SCREE_ERROR_IO, "%s: cannot be written: %s", p->claim.path,
                      strerror(errno));
}

static double height(const sim_probe *p, const double x[3]) {
  double d = 0.0;
  for (int k = 0; k < 3; k++) d += (x[k] - p->def.point[k]) * p->def.normal[k];
  return d;
}

/* Bodies that are on another side of the plane than after the last step have gone through it. */
static scree_status watch_plane(scree_sim *sim, sim_probe *p) {
  size_t limit = scree_world_body_limit(sim->world);
  scree_status status = memory_grow(sim->context, &p->sides, limit, sizeof *p->sides);
  if (status) return status;
  for (size_t i = 0; i < limit; i++) {
    scree_body_id id = scree_world_body_at(sim->world, i);
    scree_body_info info;
    if (!id.generation || scree_body_get_info(sim->world, id, &info)) continue;
    if (info.kind != SCREE_BODY_DYNAMIC) continue;
    bool above = height(p, info.center) >= 0.0, known = p->sides[i].generation == id.generation;
    if (known && above != p->sides[i].above) {
      p->sums.mass += above ? info.mass : -info.mass;
      if (above)
        p->sums.up++, p->sums.up_mass += info.mass;
      else
        p->sums.down++, p->sums.down_mass += info.mass;
    }
    p->sides[i].generation = id.generation;
    p->sides[i].above = above;
  }
  return SCREE_OK;
}

bool sim_probe_path(const scree_sim *sim, const sim_probe *p, char *path) {
  size_t stem = strlen(sim->out);
  if (stem > 3 && strcmp(sim->out + stem - 3, ".h5") == 0) stem -= 3;
  const int length = snprintf(path, CLAIM_PATH, "%.*s_%s.csv", (int)stem, sim->out, p->def.name);
  return length > 0 && length < CLAIM_PATH;
}

/* What the checkpoint knows of the table must be there, unchanged. */
static scree_status compare_table(scree_sim *sim, const sim_probe *p) {
  char block[1 << 14];
  uint64_t done = 0;
  uint32_t crc = 0;
  while (done < p->sums.bytes) {
    const uint64_t left = p->sums.bytes - done;
    const ssize_t n =
        pread(p->claim.file, block, left < sizeof block ? (size_t)left : sizeof block, (off_t)done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    crc = crc32c(crc, block, (size_t)n);
    done += (uint64_t)n;
  }
  if (done < p->sums.bytes || crc != p->crc)
    return context_fail(sim->context, SCREE_ERROR_INPUT,
                        "%s: the table %s; put it back as the run left it, or remove the "
                        "checkpoint: then the run starts from 0 and writes it once more",
                        p->claim.path,
                        done < p->sums.bytes ? "is shorter than its checkpoint says"
                                             : "was changed since its checkpoint");
  return SCREE_OK;
}

static scree_status open_table(scree_sim *sim, sim_probe *p, bool resumed, bool replace) {
  char path[CLAIM_PATH], text[CLAIM_PATH + 128];
  if (!sim_probe_path(sim, p, path))
    return context_fail(sim->context, SCREE_ERROR_IO, "%s: the path is too long", sim->out);
  const bool there = resumed && (p->sums.bytes || access(path, F_OK) == 0);
  if ((there ? claim_existing(&p->claim, path) : claim_take(&p->claim, path, replace)) !=
      CLAIM_TAKEN) {
    claim_explain(&p->claim, text, sizeof text);
    return context_fail(sim->context, SCREE_ERROR_IO, "%s", text);
  }
  p->text = open_memstream(&p->rows, &p->size);
  if (!p->text) return fault(sim, p);
  if (!p->sums.bytes) p->crc = 0;
  scree_status status = compare_table(sim, p);
  if (status) return status;
  if (ftruncate(p->claim.file, (off_t)p->sums.bytes) != 0 ||
      lseek(p->claim.file, 0, SEEK_END) != (off_t)p->sums.bytes)
    return fault(sim, p);
  if (!p->sums.bytes) put_header(p->text, p->def.kind);
  return SCREE_OK;
}

/* Making thousands of tables takes a while, so signals are looked for. Tables that were made are
 * removed with the run. */
static scree_status ask(scree_sim *sim) {
  if (!sim->starting || !context_stopped_alone(sim->context)) return SCREE_OK;
  return context_fail(sim->context, SCREE_ERROR_STOPPED, "tables of probes: stopped by the caller");
}

scree_status sim_probes_open(scree_sim *sim, bool resumed, bool replace) {
  scree_status status = SCREE_OK;
  for (size_t i = 0; i < sim->probe_count && !status; i++) {
    sim_probe *p = &sim->probes[i];
    status = ask(sim);
    if (status) return status;
    if (p->def.kind == SCREE_PROBE_PLANE) status = watch_plane(sim, p);
    if (!status && sim->out) status = open_table(sim, p, resumed, replace);
  }
  return status;
}

scree_status sim_probes_publish(scree_sim *sim) {
  sim_probe *last = NULL;
  for (size_t i = 0; i < sim->probe_count; i++) {
    sim_probe *p = &sim->probes[i];
    if (!p->text || p->claim.published) continue;
    errno = claim_name(&p->claim);
    if (errno) return fault(sim, p);
    last = p;
  }
  /* All tables are in one directory, so one sync serves them. */
  errno = last ? claim_sync_directory(last->claim.path) : 0;
  return errno ? fault(sim, last) : SCREE_OK;
}

void sim_probes_withdraw(scree_sim *sim) {
  for (size_t i = 0; i < sim->probe_count; i++) claim_withdraw(&sim->probes[i].claim);
}

static void put_number(FILE *file, const char *before, double x) {
  char text[40];
  number_format(text, sizeof text, "%.17g", x);
  fprintf(file, "%s%s", before, text);
}

static void put(FILE *file, const double *x, int count) {
  for (int i = 0; i < count; i++) put_number(file, ",", x[i]);
}

/* A joint that went with its body has an empty row; one without a coordinate has zeros there. */
static size_t measure_joint(const scree_sim *sim, const sim_probe *p, double row[PROBE_COLUMNS]) {
  scree_joint_state s;
  scree_coordinate_state c = {0};
  const scree_joint_id id = p->def.joint;
  if (!scree_joint_is_valid(sim->world, id) || scree_joint_get_state(sim->world, id, &s)) return 0;
  if (scree_joint_coordinates(sim->world, id) > 0)
    scree_joint_get_coordinate(sim->world, id, 0, &c);
  const double all[] = {c.position,  c.speed,    c.motor,       c.power,
                        c.friction,  c.spring,   c.limit,       s.force[0],
                        s.force[1],  s.force[2], s.torque[0],   s.torque[1],
                        s.torque[2], s.error,    s.angle_error, s.broken};
  memcpy(row, all, sizeof all);
  return sizeof all / sizeof *all;
}

/* Columns behind the time; 0: there is nothing to measure. */
static scree_status measure(const scree_sim *sim, const sim_probe *p, double row[PROBE_COLUMNS],
                            size_t *count) {
  *count = 0;
  if (p->def.kind == SCREE_PROBE_BODY) {
    scree_body_state s;
    if (!scree_body_is_valid(sim->world, p->def.body)) return SCREE_OK;
    *count = 13;
    const scree_status status = scree_body_get_state(sim->world, p->def.body, &s);
    memcpy(row, s.position, sizeof s.position);
    memcpy(row + 3, s.rotation, sizeof s.rotation);
    memcpy(row + 7, s.velocity, sizeof s.velocity);
    memcpy(row + 10, s.angular, sizeof s.angular);
    return status;
  }
  if (p->def.kind == SCREE_PROBE_FORCE) {
    if (!scree_body_is_valid(sim->world, p->def.body) || !sim->totals.steps) return SCREE_OK;
    *count = 6;
    return scree_stepper_get_contact_force(sim->stepper, p->def.body, row, row + 3);
  }
  if (p->def.kind == SCREE_PROBE_PLANE) {
    const double sums[] = {p->sums.mass, p->sums.up_mass, p->sums.down_mass, (double)p->sums.up,
                           (double)p->sums.down};
    *count = 5;
    memcpy(row, sums, sizeof sums);
    return SCREE_OK;
  }
  if (p->def.kind == SCREE_PROBE_JOINT) {
    *count = measure_joint(sim, p, row);
    return SCREE_OK;
  }
  if (p->def.kind == SCREE_PROBE_STRESS) {
    if (!sim->totals.steps) return SCREE_OK;
    *count = PROBE_STRESS_COLUMNS;
    probe_stress(sim, &p->def, row);
    return SCREE_OK;
  }
  if (p->def.kind == SCREE_PROBE_REGION) {
    *count = PROBE_REGION_COLUMNS;
    probe_region(sim->world, &p->def, row);
    return SCREE_OK;
  }
  if (p->def.kind == SCREE_PROBE_GROUP) {
    *count = PROBE_GROUP_COLUMNS;
    return probe_group(sim->world, &p->def, row);
  }
  if (p->def.kind == SCREE_PROBE_SURFACE) {
    *count = PROBE_SURFACE_COLUMNS;
    return probe_surface(sim->world, &p->def, row);
  }
  const scree_energy e = scree_world_get_energy(sim->world);
  const double parts[] = {e.linear,    e.angular,
                          e.potential, e.pairwise,
                          e.elastic,   e.linear + e.angular + e.potential + e.pairwise + e.elastic};
  *count = 6;
  memcpy(row, parts, sizeof parts);
  return SCREE_OK;
}

static scree_status write_row(scree_sim *sim, sim_probe *p) {
  double row[PROBE_COLUMNS];
  size_t count;
  const scree_status status = measure(sim, p, row, &count);
  put_number(p->text, "", scree_world_time(sim->world));
  put(p->text, row, (int)count);
  fprintf(p->text, "\n");
  return status;
}

scree_status scree_sim_get_probe(const scree_sim *sim, size_t probe, size_t capacity,
                                 double *values, size_t *count) {
  ARGUMENT_CHECK(sim ? sim->context : NULL, sim && count && (values || !capacity));
  *count = 0;
  if (probe >= sim->probe_count)
    return context_fail(sim->context, SCREE_ERROR_ARGUMENT, "the scene has %zu probes, not %zu",
                        sim->probe_count, probe + 1);
  double row[1 + PROBE_COLUMNS] = {scree_world_time(sim->world)};
  const scree_status status = measure(sim, &sim->probes[probe], row + 1, count);
  *count += *count > 0;
  if (!status) memcpy(values, row, (*count < capacity ? *count : capacity) * sizeof *row);
  return status;
}

scree_status sim_probe_restart(scree_sim *sim, sim_probe *p) {
  if (p->def.kind != SCREE_PROBE_PLANE) return SCREE_OK;
  if (p->sides) memset(p->sides, 0, memory_room(p->sides) * sizeof *p->sides);
  const uint64_t bytes = p->sums.bytes;
  const scree_status status = watch_plane(sim, p);
  p->sums.bytes = bytes;
  return status;
}

scree_status sim_probes_write(scree_sim *sim, uint64_t step) {
  for (size_t i = 0; i < sim->probe_count; i++) {
    sim_probe *p = &sim->probes[i];
    if (p->def.kind == SCREE_PROBE_PLANE && step) {
      scree_status status = watch_plane(sim, p);
      if (status) return status;
    }
    /* There are no contact forces before the first step. */
    const bool forces = p->def.kind == SCREE_PROBE_FORCE || p->def.kind == SCREE_PROBE_STRESS;
    bool now = step ? sim_is_due(sim, p->def.every, step) : !forces;
    if (!p->text || !now) continue;
    scree_status status = write_row(sim, p);
    if (status) return status;
  }
  return sim_probes_flush(sim, ROWS_BYTES);
}

/* A row that cannot be written whole leaves the table as it was at the last checkpoint, or a part
 * of a row: a run that goes on cuts it off. */
static scree_status write_out(scree_sim *sim, sim_probe *p) {
  if (fflush(p->text) != 0 || ferror(p->text)) return fault(sim, p);
  for (size_t done = 0; done < p->size;) {
    const ssize_t n = write(p->claim.file, p->rows + done, p->size - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return fault(sim, p);
    done += (size_t)n;
  }
  p->crc = crc32c(p->crc, p->rows, p->size);
  p->sums.bytes += p->size;
  return fseeko(p->text, 0, SEEK_SET) == 0 ? SCREE_OK : fault(sim, p);
}

scree_status sim_probes_sync(scree_sim *sim) {
  for (size_t i = 0; i < sim->probe_count; i++) {
    sim_probe *p = &sim->probes[i];
    if (!p->text) continue;
    scree_status status = ask(sim);
    if (!status) status = write_out(sim, p);
    if (status) return status;
    if (fsync(p->claim.file) != 0) return fault(sim, p);
  }
  return SCREE_OK;
}

scree_status sim_probes_flush(scree_sim *sim, size_t least) {
  for (size_t i = 0; i < sim->probe_count; i++) {
    sim_probe *p = &sim->probes[i];
    if (!p->text || (size_t)ftello(p->text) < least) continue;
    const scree_status status = write_out(sim, p);
    if (status) return status;
  }
  return SCREE_OK;
}

void sim_probes_close(scree_sim *sim) {
  for (size_t i = 0; i < sim->probe_count; i++) {
    sim_probe *p = &sim->probes[i];
    if (p->text) fclose(p->text);
    free(p->rows);
    claim_drop(&p->claim);
    memory_free(sim->context, p->sides);
  }
  memory_free(sim->context, sim->probes);
  sim->probes = NULL;
  sim->probe_count = 0;
}
