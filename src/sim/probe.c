/* Probes: CSV files with units in their first line. A run that goes on cuts its files back to where
 * its checkpoint was. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "sim/sim.h"

static const char *const headers[SCREE_PROBE_KIND_COUNT] = {
    [SCREE_PROBE_BODY] = "time [s],x [m],y [m],z [m],qw,qx,qy,qz,vx [m/s],vy [m/s],vz [m/s],"
                         "wx [rad/s],wy [rad/s],wz [rad/s]",
    [SCREE_PROBE_FORCE] = "time [s],fx [N],fy [N],fz [N],tx [N m],ty [N m],tz [N m]",
    [SCREE_PROBE_PLANE] = "time [s],mass [kg],forward [kg],backward [kg],bodies forward,"
                          "bodies backward",
    [SCREE_PROBE_ENERGY] = "time [s],kinetic linear [J],kinetic angular [J],potential [J],"
                           "pairwise [J],total [J]",
    [SCREE_PROBE_GROUP] = "time [s],bodies,mass [kg],x [m],y [m],z [m],vx [m/s],vy [m/s],vz [m/s],"
                          "x min [m],y min [m],z min [m],x max [m],y max [m],z max [m],"
                          "reach [m]",
    [SCREE_PROBE_SURFACE] = "time [s],cells,height [m],slope [rad],azimuth [rad],rms [m]",
};

static scree_status fault(scree_sim *sim, const sim_probe *p) {
  return context_fail(sim->context, SCREE_ERROR_IO, "%s: cannot be written: %s", p->path,
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
  scree_status status =
      memory_grow(sim->context, &p->sides, &p->side_room, limit, sizeof *p->sides);
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

scree_status sim_probes_open(scree_sim *sim, bool resumed) {
  scree_status status = SCREE_OK;
  for (size_t i = 0; i < sim->probe_count && !status; i++) {
    sim_probe *p = &sim->probes[i];
    if (p->def.kind == SCREE_PROBE_PLANE) status = watch_plane(sim, p);
    if (status || !sim->out) continue;
    p->path = memory_new(sim->context, strlen(sim->out) + strlen(p->def.name) + 8, 1);
    if (!p->path) return SCREE_ERROR_MEMORY;
    size_t stem = strlen(sim->out);
    if (stem > 3 && strcmp(sim->out + stem - 3, ".h5") == 0) stem -= 3;
    sprintf(p->path, "%.*s_%s.csv", (int)stem, sim->out, p->def.name);
    p->file = fopen(p->path, resumed ? "r+" : "w");
    if (!p->file && resumed && p->sums.bytes == 0) p->file = fopen(p->path, "w");
    if (!p->file) return fault(sim, p);
    if (p->sums.bytes == 0) {
      if (ftruncate(fileno(p->file), 0) != 0 || fprintf(p->file, "%s\n", headers[p->def.kind]) < 0)
        return fault(sim, p);
    } else if (ftruncate(fileno(p->file), (off_t)p->sums.bytes) != 0 ||
               fseek(p->file, 0, SEEK_END) != 0) {
      return fault(sim, p);
    }
  }
  return status;
}

static void put_number(FILE *file, const char *before, double x) {
  char text[40];
  number_format(text, sizeof text, "%.17g", x);
  fprintf(file, "%s%s", before, text);
}

static void put(FILE *file, const double *x, int count) {
  for (int i = 0; i < count; i++) put_number(file, ",", x[i]);
}

static scree_status write_row(scree_sim *sim, sim_probe *p) {
  scree_status status = SCREE_OK;
  put_number(p->file, "", scree_world_time(sim->world));
  if (p->def.kind == SCREE_PROBE_BODY) {
    scree_body_state s;
    if (!scree_body_get_state(sim->world, p->def.body, &s)) {
      put(p->file, s.position, 3);
      put(p->file, s.rotation, 4);
      put(p->file, s.velocity, 3);
      put(p->file, s.angular, 3);
    }
  } else if (p->def.kind == SCREE_PROBE_FORCE) {
    double force[3], torque[3];
    if (!scree_stepper_get_contact_force(sim->stepper, p->def.body, force, torque)) {
      put(p->file, force, 3);
      put(p->file, torque, 3);
    }
  } else if (p->def.kind == SCREE_PROBE_PLANE) {
    const double sums[] = {p->sums.mass, p->sums.up_mass, p->sums.down_mass, (double)p->sums.up,
                           (double)p->sums.down};
    put(p->file, sums, 5);
  } else if (p->def.kind == SCREE_PROBE_GROUP) {
    double row[PROBE_GROUP_COLUMNS];
    status = probe_group(sim->world, &p->def, row);
    put(p->file, row, PROBE_GROUP_COLUMNS);
  } else if (p->def.kind == SCREE_PROBE_SURFACE) {
    double row[PROBE_SURFACE_COLUMNS];
    status = probe_surface(sim->world, &p->def, row);
    put(p->file, row, PROBE_SURFACE_COLUMNS);
  } else {
    scree_energy e = scree_world_get_energy(sim->world);
    const double parts[] = {e.linear, e.angular, e.potential, e.pairwise,
                            e.linear + e.angular + e.potential + e.pairwise};
    put(p->file, parts, 5);
  }
  fprintf(p->file, "\n");
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
    bool now = step ? sim_is_due(sim, p->def.every, step) : p->def.kind != SCREE_PROBE_FORCE;
    if (!p->file || !now) continue;
    scree_status status = write_row(sim, p);
    if (status) return status;
  }
  return SCREE_OK;
}

scree_status sim_probes_flush(scree_sim *sim) {
  for (size_t i = 0; i < sim->probe_count; i++) {
    sim_probe *p = &sim->probes[i];
    if (!p->file) continue;
    errno = 0;
    if (fflush(p->file) != 0 || ferror(p->file)) return fault(sim, p);
    p->sums.bytes = (uint64_t)ftell(p->file);
  }
  return SCREE_OK;
}

void sim_probes_close(scree_sim *sim) {
  for (size_t i = 0; i < sim->probe_count; i++) {
    if (sim->probes[i].file) fclose(sim->probes[i].file);
    memory_free(sim->context, sim->probes[i].path);
    memory_free(sim->context, sim->probes[i].sides);
  }
  memory_free(sim->context, sim->probes);
  sim->probes = NULL;
  sim->probe_count = 0;
}
