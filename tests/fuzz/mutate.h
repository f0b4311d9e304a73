/* Changes that know what a text is made of: lines, blocks of lines that are indented deeper than
 * their first, elements between < and >, and numbers. libFuzzer's own changes, which know the words
 * of the dictionary, come in between. For targets whose inputs are texts:
 *
 *   FUZZ_MUTATE_TEXT(1)      the first byte is no part of the text
 */
#ifndef SCREE_FUZZ_MUTATE_H
#define SCREE_FUZZ_MUTATE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

static inline uint32_t mutate_next(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(*state >> 33);
}

typedef struct mutate_span {
  size_t at, size;
} mutate_span;

static inline size_t mutate_line_end(const uint8_t *d, size_t size, size_t at) {
  while (at < size && d[at] != '\n') at++;
  return at < size ? at + 1 : at;
}

static inline size_t mutate_indent(const uint8_t *d, size_t size, size_t at) {
  size_t n = 0;
  while (at + n < size && (d[at + n] == ' ' || d[at + n] == '-')) n++;
  return n;
}

/* A line somewhere; with `block` also those below it that are indented deeper. */
static inline mutate_span mutate_lines(const uint8_t *d, size_t size, uint64_t *state, bool block) {
  if (!size) return (mutate_span){0, 0};
  size_t at = mutate_next(state) % size;
  while (at && d[at - 1] != '\n') at--;
  const size_t indent = mutate_indent(d, size, at);
  size_t end = mutate_line_end(d, size, at);
  while (block && end < size && mutate_indent(d, size, end) > indent)
    end = mutate_line_end(d, size, end);
  return (mutate_span){at, end - at};
}

/* What stands between an opening bracket and the one that closes it, brackets included: an element
 * of XML, a list or a map of YAML in one line. */
static inline mutate_span mutate_brackets(const uint8_t *d, size_t size, uint64_t *state) {
  static const char open[] = "<[{(", close[] = ">]})";
  if (!size) return (mutate_span){0, 0};
  const size_t start = mutate_next(state) % size;
  for (size_t i = 0; i < size; i++) {
    const size_t at = (start + i) % size;
    const char *kind = d[at] ? strchr(open, d[at]) : NULL;
    if (!kind) continue;
    int depth = 0;
    for (size_t end = at; end < size; end++) {
      depth += d[end] == (uint8_t)*kind;
      depth -= d[end] == (uint8_t)close[kind - open];
      if (!depth) return (mutate_span){at, end + 1 - at};
    }
    return (mutate_span){at, 0};
  }
  return (mutate_span){0, 0};
}

static inline mutate_span mutate_number(const uint8_t *d, size_t size, uint64_t *state) {
  if (!size) return (mutate_span){0, 0};
  const size_t start = mutate_next(state) % size;
  for (size_t i = 0; i < size; i++) {
    size_t at = (start + i) % size, end;
    if (d[at] < '0' || d[at] > '9') continue;
    while (at && d[at - 1] && strchr("0123456789.eE+-", d[at - 1])) at--;
    for (end = at; end < size && d[end] && strchr("0123456789.eE+-", d[end]);) end++;
    return (mutate_span){at, end - at};
  }
  return (mutate_span){0, 0};
}

/* `span` becomes `text`; the size after it, unchanged where it would be too long. */
static inline size_t mutate_replace(uint8_t *d, size_t size, size_t most, mutate_span span,
                                    const void *text, size_t length) {
  if (size - span.size + length > most) return size;
  memmove(d + span.at + length, d + span.at + span.size, size - span.at - span.size);
  memcpy(d + span.at, text, length);
  return size - span.size + length;
}

/* The number next to what is given in size, or one of the worst. */
static inline size_t mutate_change_number(uint8_t *d, size_t size, size_t most, uint64_t *state) {
  static const char *const numbers[] = {"0",          "-0",         "1",      "-1",    "2",
                                        "0.5",        "1e-9",       "1e-300", "1e300", "-1e30",
                                        "1e12",       "1e-30",      "1e400",  "1e15",  "3.5",
                                        "2147483647", "4294967296", "0x10",   ".5",    "1e"};
  const mutate_span span = mutate_number(d, size, state);
  const char *text = numbers[mutate_next(state) % (sizeof numbers / sizeof *numbers)];
  return mutate_replace(d, size, most, span, text, strlen(text));
}

/* Puts a copy of a part somewhere: before another line, or in the place of brackets. */
static inline size_t mutate_copy(uint8_t *d, size_t size, size_t most, uint64_t *state,
                                 bool lines) {
  uint8_t part[1024];
  const mutate_span from = lines ? mutate_lines(d, size, state, mutate_next(state) & 1)
                                 : mutate_brackets(d, size, state);
  if (from.size > sizeof part) return size;
  memcpy(part, d + from.at, from.size);
  mutate_span to = lines ? mutate_lines(d, size, state, false) : mutate_brackets(d, size, state);
  if (lines || (mutate_next(state) & 1)) to.size = 0;
  return mutate_replace(d, size, most, to, part, from.size);
}

static inline size_t mutate_text(uint8_t *d, size_t size, size_t most, unsigned seed) {
  uint64_t state = (uint64_t)seed * 0x9E3779B97F4A7C15u + 1;
  switch (mutate_next(&state) % 10) {
  case 0:
    return mutate_replace(d, size, most, mutate_lines(d, size, &state, false), "", 0);
  case 1:
    return mutate_replace(d, size, most, mutate_lines(d, size, &state, true), "", 0);
  case 2:
    return mutate_copy(d, size, most, &state, true);
  case 3:
    return mutate_copy(d, size, most, &state, false);
  case 4:
    return mutate_replace(d, size, most, mutate_brackets(d, size, &state), "", 0);
  case 5:
  case 6:
    return mutate_change_number(d, size, most, &state);
  default:
    return LLVMFuzzerMutate(d, size, most);
  }
}

#define FUZZ_MUTATE_TEXT(skip)                                                                     \
  size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed) { \
    if (size <= (skip) || max_size <= (skip) || seed % 16 == 0)                                    \
      return LLVMFuzzerMutate(data, size, max_size);                                               \
    const size_t n = mutate_text(data + (skip), size - (skip), max_size - (skip), seed / 16);      \
    return n + (skip);                                                                             \
  }

#endif
