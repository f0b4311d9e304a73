/* Scree, render: pictures without a display, by ray tracing on the CPU.
 *
 *   scree_render *render;      scree_render_create(context, &render);
 *   scree_render_item ball = {.shape = shape, .rotation = {1.0, 0.0, 0.0, 0.0}};
 *   scree_render_scene drawn = {.item_count = 1, .items = &ball};   // and links, cuts
 *   scree_render_set_scene(render, &drawn);
 *   scree_camera camera = {.eye = {3.0, 3.0, 2.0}, .up = {0.0, 0.0, 1.0}, .field = 0.6};
 *   scree_render_settings settings = scree_render_settings_default(&camera);
 *   scree_image image;         scree_image_create(context, 640, 480, &image);
 *   scree_render_draw(render, &camera, &settings, &image);          // rgb pixels
 *   scree_image_save(&image, "picture.png");
 *
 * The module knows shapes and places, nothing of worlds or recordings: whoever has a state gives a
 * list of items. Lengths are in metres, z is up, colours are sRGB as on the screen, 0 to 1.
 *
 * Samples come from fixed sequences with a hash of the pixel: the same scene gives the same bytes
 * for any number of threads. */
#ifndef SCREE_RENDER_H
#define SCREE_RENDER_H

#include "scree/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct scree_colour {
  float r, g, b;
} scree_colour;

/* ---- what is drawn -------------------------------------------------------------------------- */

typedef enum scree_appearance {
  SCREE_APPEARANCE_SOLID,
  SCREE_APPEARANCE_WALL,  /* around the others: glass where it stands between them and the camera */
  SCREE_APPEARANCE_GHOST, /* glass everywhere, in its colour; casts no shadow */
  SCREE_APPEARANCE_HIDDEN /* not drawn, but framed */
} scree_appearance;

/* Half-spaces are grounds and walls that fade away from the focus, containers are glass in front
 * and walls behind, whatever their appearance. */
typedef struct scree_render_item {
  const scree_shape *shape; /* must outlive the scene */
  double position[3], rotation[4];
  scree_colour colour;
  scree_appearance appearance;
} scree_render_item;

/* A rod with round ends, as for a force between two bodies. */
typedef struct scree_render_link {
  double from[3], to[3], radius;
  scree_colour colour;
} scree_render_link;

/* Takes away all points that are on the far side of every one of its planes, normal . x > offset:
 * one plane cuts a half off, two planes cut a wedge out. Solid bodies show their section. */
enum { SCREE_CUT_PLANES = 3, SCREE_CUT_LIMIT = 8 };
typedef struct scree_render_cut {
  size_t count;
  double normal[SCREE_CUT_PLANES][3], offset[SCREE_CUT_PLANES];
} scree_render_cut;

typedef struct scree_box {
  double lower[3], upper[3];
} scree_box;

typedef struct scree_render_scene {
  size_t item_count, link_count, cut_count;
  const scree_render_item *items;
  const scree_render_link *links;
  const scree_render_cut *cuts;
  scree_box focus;     /* what the picture is of: see scree_render_focus */
  bool ground;         /* lay a ground below the focus where no half-space is one */
  double ground_level; /* its z, m; NaN: below the focus and the containers around it */
} scree_render_scene;

/* The box around what matters: the solid items, without those that flew far away from all others
 * and those much larger than the rest. False when there is none. */
SCREE_API bool scree_render_focus(size_t item_count, const scree_render_item *items,
                                  scree_box *focus);
/* The box around the visible part of a wall or container beside that focus; false: it has none that
 * a picture must show. */
SCREE_API bool scree_render_wall_box(const scree_render_item *item, const scree_box *focus,
                                     scree_box *box);

/* ---- camera --------------------------------------------------------------------------------- */

typedef struct scree_camera {
  double eye[3], target[3], up[3];
  double field;    /* vertical angle of view, rad */
  double shift[2]; /* where the target is, as a share of width and height right of and above the
                      middle */
} scree_camera;

/* The nearest place from which everything added is seen, with a margin, from a given direction. The
 * answer is exact: some ball touches the margin on two opposite sides. */
typedef struct scree_framing {
  double right[3], up[3], forward[3];
  double tangent[2], field, reach[4], depth[2];
  size_t count;
} scree_framing;

/* azimuth (rad, from +x to +y) and elevation (rad) of the eye as seen from the scene; field as in
 * the camera; aspect: width over height; margin: share of the picture left free on each side. */
SCREE_API void scree_framing_begin(scree_framing *framing, double azimuth, double elevation,
                                   double field, double aspect, double margin);
SCREE_API void scree_framing_add_ball(scree_framing *framing, const double center[3],
                                      double radius);
SCREE_API void scree_framing_add_box(scree_framing *framing, const scree_box *box);
/* All items that belong to the focus, as far as the cuts leave them. */
SCREE_API void scree_framing_add_scene(scree_framing *framing, const scree_render_scene *scene);
/* False when nothing was added. */
SCREE_API bool scree_framing_end(const scree_framing *framing, scree_camera *camera);

/* ---- pictures ------------------------------------------------------------------------------- */

typedef struct scree_image {
  int width, height;
  uint8_t *pixels; /* rgb, rows from the top, without gaps */
  scree_context *context;
} scree_image;

SCREE_API scree_status scree_image_create(scree_context *context, int width, int height,
                                          scree_image *image);
SCREE_API void scree_image_clear(scree_image *image);
/* Writes a PNG. */
SCREE_API scree_status scree_image_save(const scree_image *image, const char *path);
SCREE_API void scree_image_fill(scree_image *image, scree_colour colour);
/* Copies `from` with its upper left corner at (x, y); what lies outside is left out. */
SCREE_API void scree_image_paste(scree_image *image, const scree_image *from, int x, int y);

typedef enum scree_background {
  SCREE_BACKGROUND_STUDIO, /* light grey, for the screen */
  SCREE_BACKGROUND_WHITE,  /* for paper */
  SCREE_BACKGROUND_DARK,   /* for talks */
  SCREE_BACKGROUND_COUNT
} scree_background;

typedef struct scree_render_settings {
  uint32_t cookie;             /* set by scree_render_settings_default */
  int samples;                 /* per pixel, 1 to 4096; default 12 */
  scree_background background; /* default studio */
  double light_azimuth;        /* rad, where the sun stands; default: left of the camera */
  double light_elevation;      /* rad */
  double light_size;           /* rad, radius of the sun's disk: softness of shadows */
  bool shadows, occlusion;     /* default both */
  bool grid;                   /* lines on the ground; default true */
  bool (*stop)(void);          /* asked now and then, from all threads: true ends the drawing, and
                                  the image is not whole; default null */
} scree_render_settings;

/* The light comes from the left of this camera. */
SCREE_API scree_render_settings scree_render_settings_default(const scree_camera *camera);

typedef struct scree_render scree_render;

/* SCREE_ERROR_UNSUPPORTED when Scree was built without Embree. */
SCREE_API scree_status scree_render_create(scree_context *context, scree_render **render);
SCREE_API void scree_render_destroy(scree_render *render);
/* Items, links and cuts are copied, shapes are not. */
SCREE_API scree_status scree_render_set_scene(scree_render *render,
                                              const scree_render_scene *scene);
/* Fills an image that was created. */
SCREE_API scree_status scree_render_draw(scree_render *render, const scree_camera *camera,
                                         const scree_render_settings *settings, scree_image *image);
/* What the middle of a pixel sees: the item (SIZE_MAX: none) and how far away (m). */
SCREE_API scree_status scree_render_pick(scree_render *render, const scree_camera *camera,
                                         int width, int height, double x, double y, size_t *item,
                                         double *distance);

/* ---- colours and words ---------------------------------------------------------------------- */

/* Categories: distinguished also by those who see no red or no green. Repeats after its length. */
SCREE_API scree_colour scree_palette(size_t i);
SCREE_API size_t scree_palette_count(void);

typedef enum scree_map {
  SCREE_MAP_DEEP,    /* dark violet over teal to light yellow: lightness grows evenly */
  SCREE_MAP_HEAT,    /* black over red to light yellow, for forces */
  SCREE_MAP_BALANCE, /* blue over light grey to red, for signed values; x = 0.5 is zero */
  SCREE_MAP_COUNT
} scree_map;
/* x from 0 to 1; beyond, the end's colour. */
SCREE_API scree_colour scree_map_colour(scree_map map, double x);

/* Text in a font of strokes. `size` is the height of a line in pixels; (x, y) the left end of the
 * base line. UTF-8; what the font lacks is drawn as a box. Width in pixels is returned. */
SCREE_API double scree_image_text(scree_image *image, double x, double y, double size,
                                  scree_colour colour, const char *text);
SCREE_API double scree_text_width(double size, const char *text);

/* A legend on a plate, at the right border of the picture. */
typedef struct scree_legend {
  const char *title, *unit; /* unit "" when none */
  /* A scale … */
  scree_map map;
  double least, most;
  /* … or, when count is not 0, names with colours. */
  size_t count;
  const char *const *names;
  const scree_colour *colours;
} scree_legend;
SCREE_API void scree_image_legend(scree_image *image, const scree_legend *legend,
                                  scree_background background);
/* The share of the picture's width that this legend takes. */
SCREE_API double scree_legend_width(const scree_legend *legend, int width, int height);
/* A line of text in a corner: 0 upper left, 1 upper right, 2 lower left, 3 lower right. */
SCREE_API void scree_image_caption(scree_image *image, int corner, const char *text,
                                   scree_background background);

#ifdef __cplusplus
}
#endif
#endif
