/* Scree, picture: from a recording, or from a world as it is now, to what the renderer draws: items
 * with colours, force chains, legends and a camera that sees what matters.
 *
 *   scree_picture_def def = scree_picture_def_default();
 *   scree_picture *picture;  scree_picture_create(recording, "run.h5", &def, &picture);
 *   size_t frame = 0;
 *   scree_picture_survey(picture, 1, &frame);                  // ranges and focus over the frames
 *   scree_picture_aim(picture, 1, &frame, 1280, 720, false);   // a camera that sees them all
 *   scree_picture_load(picture, frame, 0.0);                   // one moment
 *   scree_image image;       scree_image_create(context, 1280, 720, &image);
 *   scree_picture_draw(picture, 0.0, NULL, &image);            // pixels
 *
 * scree_picture_draw_frame does all that for one frame. */
#ifndef SCREE_PICTURE_H
#define SCREE_PICTURE_H

#include "scree/recording.h"
#include "scree/render.h"
#include "scree/stepper.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A side of an axis: beyond (sign 1) or below (-1) the value; 0: the side of the camera. */
typedef struct scree_picture_side {
  int axis, sign;
  double value;
} scree_picture_side;
/* What is on all its sides is taken away. */
typedef struct scree_picture_section {
  scree_picture_side side[SCREE_CUT_PLANES];
  size_t count;
} scree_picture_section;

typedef struct scree_picture_def {
  uint32_t cookie; /* set by scree_picture_def_default */
  /* "auto", "material", "kind", "body", "plain", "speed", "spin", "vx", "vy", "vz", "force",
   * "contacts", "height", "size", "mass", "energy", or PROBE.COLUMN of a recording. */
  const char *colour;
  scree_appearance appearance; /* of moving bodies */
  bool chains;                 /* draw contact forces as rods */
  bool ranged;                 /* the range below is given; else it is found */
  double least, most;          /* values of the colours' ends */
  int map;                     /* a scree_map; -1: the field's own */
  bool legend;                 /* default true */
  bool ground;                 /* lay a ground where the scene has none; default false */
  /* Of the motion before: poses of so many earlier frames, evenly apart and the older the paler;
   * ways of the bodies' middles; and arrows along the velocities. */
  int ghosts;
  bool trails, arrows;
  bool joints;        /* draw joints, ropes, springs and edges of flexible parts as rods */
  double azimuth;     /* rad; NaN: chosen by the scene */
  double elevation;   /* rad; NaN: chosen by the scene */
  double field;       /* vertical angle of view, rad; default 28 degrees */
  double distance;    /* m, 0: whatever shows everything */
  double zoom;        /* default 1 */
  double target[3];   /* NaN: the middle of what is seen */
  double turn;        /* rad per second of a film */
  const char *follow; /* a body's name in the scene; null: none */
  size_t section_count;
  const scree_picture_section *sections; /* SCREE_CUT_LIMIT at most; copied */
} scree_picture_def;

typedef struct scree_picture scree_picture;

SCREE_API scree_picture_def scree_picture_def_default(void);
/* The recording must outlive the picture; `path` is its file, beside which probes are sought.
 * SCREE_ERROR_ARGUMENT: no such field, probe, column or body. */
SCREE_API scree_status scree_picture_create(scree_recording *recording, const char *path,
                                            const scree_picture_def *def, scree_picture **picture);
/* Of a world as it is when a frame is loaded (it has one, frame 0). The stepper, for contact
 * forces, and the scene, for names, may be null. */
SCREE_API scree_status scree_picture_create_world(const scree_world *world,
                                                  const scree_stepper *stepper, scree_scene *scene,
                                                  const scree_picture_def *def,
                                                  scree_picture **picture);
SCREE_API void scree_picture_destroy(scree_picture *picture);

SCREE_API size_t scree_picture_frame_count(const scree_picture *picture);
SCREE_API scree_status scree_picture_frame_time(const scree_picture *picture, size_t frame,
                                                double *time);
/* The frame nearest to a time. */
SCREE_API scree_status scree_picture_find_time(const scree_picture *picture, double time,
                                               size_t *frame);
/* Focus, ranges and thickness over some frames: call it before the first load. */
SCREE_API scree_status scree_picture_survey(scree_picture *picture, size_t count,
                                            const size_t *frames);
/* The camera for pictures of this size that sees all these frames, unless the definition says
 * otherwise. `strip`: a legend within the picture has room kept for it. After survey. */
SCREE_API scree_status scree_picture_aim(scree_picture *picture, size_t count, const size_t *frames,
                                         int width, int height, bool strip);
/* The moment `share` of the way from a frame to the next. */
SCREE_API scree_status scree_picture_load(scree_picture *picture, size_t frame, double share);

/* Of the moment that is loaded: */
SCREE_API double scree_picture_time(const scree_picture *picture);
/* Cuts included; the arrays live until the next load. */
SCREE_API scree_render_scene scree_picture_get_scene(const scree_picture *picture);
/* Turned by the film's time (s), after the body that it follows. */
SCREE_API scree_camera scree_picture_get_camera(const scree_picture *picture, double film_time);
/* False when the colours need no legend, or the definition has none. Its names live as long as the
 * picture.
 */
SCREE_API bool scree_picture_get_legend(scree_picture *picture, scree_legend *legend);
/* The range of the colours; false: they are categories. */
SCREE_API bool scree_picture_get_range(const scree_picture *picture, double *least, double *most);
/* Settings null: the default ones of the camera. Without caption and legend. */
SCREE_API scree_status scree_picture_draw(scree_picture *picture, double film_time,
                                          const scree_render_settings *settings,
                                          scree_image *image);
SCREE_API void scree_picture_put_legend(scree_picture *picture, scree_background background,
                                        scree_image *image);
/* Survey, aim, load, draw and legend for one frame. */
SCREE_API scree_status scree_picture_draw_frame(scree_picture *picture, size_t frame, int samples,
                                                bool shadows, scree_background background,
                                                scree_image *image);

#ifdef __cplusplus
}
#endif
#endif
