/* Which part of a scene a picture is of: containers have no outer end, walls may be much higher
 * than what lies between them, and a grain may have flown away. */
#ifndef SCREE_RENDER_FOCUS_H
#define SCREE_RENDER_FOCUS_H

#include "scree/render.h"
#include "shape/shape.h"

/* The part of a container that is drawn, in its frame: open ends far beyond the focus come near. */
void render_container_window(const shape *s, pose place, const scree_box *focus, double *low,
                             double *high);
unsigned render_container_open(const shape *s);

#endif
