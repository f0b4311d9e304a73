/* Colours: sRGB for the screen, linear for light, OKLab for steps that look even. */
#ifndef SCREE_RENDER_COLOUR_H
#define SCREE_RENDER_COLOUR_H

#include "render/f3.h"
#include "scree/render.h"

float render_encode(float linear); /* to sRGB */
float render_decode(float srgb);
f3 render_linear(scree_colour c);
/* A linear colour of lightness and two colour axes. */
f3 render_from_lab(f3 lab);

#endif
