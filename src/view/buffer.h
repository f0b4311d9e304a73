/* Bytes that grow, little endian whatever the machine. A failure is kept and checked once, at the
 * end. */
#ifndef SCREE_VIEW_BUFFER_H
#define SCREE_VIEW_BUFFER_H

#include "base/memory.h"

typedef struct view_buffer {
  scree_context *context;
  unsigned char *data;
  size_t size;
  scree_status status;
} view_buffer;

void view_buffer_clear(view_buffer *b);
void view_put(view_buffer *b, const void *bytes, size_t size);
void view_put_u8(view_buffer *b, unsigned value);
void view_put_u16(view_buffer *b, unsigned value);
void view_put_u32(view_buffer *b, uint32_t value);
void view_put_f32(view_buffer *b, double value);
void view_put_f64(view_buffer *b, double value);
/* Seven bits per byte, the lowest first; the sign of an integer in its lowest bit. */
void view_put_signed(view_buffer *b, int32_t value);
/* The nearest number of 16 bits (IEEE 754 half), as bits; too large ones become the largest. */
uint16_t view_half(double value);
/* JSON: text in quotes, a number (null where it is not finite), and what printf makes. */
void view_put_text(view_buffer *b, const char *text);
void view_put_json(view_buffer *b, const char *text);
void view_put_number(view_buffer *b, double value);
void view_put_numbers(view_buffer *b, size_t count, const double *values);

#endif
