/* See buffer.h. */
#include "view/buffer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"

void view_buffer_clear(view_buffer *b) {
  if (b->context) memory_free(b->context, b->data);
  *b = (view_buffer){.context = b->context};
}

static unsigned char *take(view_buffer *b, size_t size) {
  if (!b->status) b->status = memory_grow(b->context, &b->data, b->size + size, sizeof *b->data);
  if (b->status) return NULL;
  b->size += size;
  return b->data + b->size - size;
}

void view_put(view_buffer *b, const void *bytes, size_t size) {
  unsigned char *to = take(b, size);
  if (to && size) memcpy(to, bytes, size);
}

void view_put_u8(view_buffer *b, unsigned value) {
  unsigned char *to = take(b, 1);
  if (to) to[0] = (unsigned char)value;
}

void view_put_u16(view_buffer *b, unsigned value) {
  unsigned char *to = take(b, 2);
  if (to) to[0] = (unsigned char)value, to[1] = (unsigned char)(value >> 8);
}

void view_put_u32(view_buffer *b, uint32_t value) {
  unsigned char *to = take(b, 4);
  for (int i = 0; to && i < 4; i++) to[i] = (unsigned char)(value >> (8 * i));
}

void view_put_f32(view_buffer *b, double value) {
  const float number = (float)value;
  uint32_t bits;
  memcpy(&bits, &number, sizeof bits);
  view_put_u32(b, bits);
}

void view_put_f64(view_buffer *b, double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  view_put_u32(b, (uint32_t)bits);
  view_put_u32(b, (uint32_t)(bits >> 32));
}

static void view_put_varint(view_buffer *b, uint32_t value) {
  unsigned char bytes[5];
  size_t n = 0;
  for (; value >= 128; value >>= 7) bytes[n++] = (unsigned char)(value | 128);
  bytes[n++] = (unsigned char)value;
  view_put(b, bytes, n);
}

void view_put_signed(view_buffer *b, int32_t value) {
  view_put_varint(b, ((uint32_t)value << 1) ^ (value < 0 ? UINT32_MAX : 0));
}

/* Ten bits of fraction; below 2^-14 they are multiples of 2^-24. */
uint16_t view_half(double value) {
  const uint16_t sign = signbit(value) ? 0x8000 : 0;
  const double size = fabs(value);
  if (!(size < 65504.0)) return (uint16_t)(sign | (isnan(value) ? 0 : 0x7bff));
  int exponent;
  (void)frexp(size, &exponent);
  if (size == 0.0 || exponent < -13) return (uint16_t)(sign | (uint16_t)lrint(ldexp(size, 24)));
  const long fraction = lrint(ldexp(size, 11 - exponent)); /* 1024 … 2048 */
  return (uint16_t)(sign | (uint16_t)(((long)(exponent + 13) << 10) + fraction));
}

void view_put_text(view_buffer *b, const char *text) {
  view_put_u8(b, '"');
  for (const char *c = text; *c; c++) {
    const unsigned char byte = (unsigned char)*c;
    char escape[8];
    if (byte == '"' || byte == '\\') {
      view_put_u8(b, '\\');
      view_put_u8(b, byte);
    } else if (byte < 0x20) {
      snprintf(escape, sizeof escape, "\\u%04x", byte);
      view_put(b, escape, strlen(escape));
    } else {
      view_put_u8(b, byte);
    }
  }
  view_put_u8(b, '"');
}

void view_put_json(view_buffer *b, const char *text) {
  view_put(b, text, strlen(text));
}

void view_put_number(view_buffer *b, double value) {
  char text[40];
  if (isfinite(value))
    number_format(text, sizeof text, "%.9g", value);
  else
    snprintf(text, sizeof text, "null");
  view_put_json(b, text);
}

void view_put_numbers(view_buffer *b, size_t count, const double *values) {
  view_put_u8(b, '[');
  for (size_t i = 0; i < count; i++) {
    if (i) view_put_u8(b, ',');
    view_put_number(b, values[i]);
  }
  view_put_u8(b, ']');
}
