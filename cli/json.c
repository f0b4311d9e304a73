/* A writer of JSON: see cli.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

/* The length of the UTF-8 sequence at `at`, 0 when it is none (overlong forms and surrogates are
 * none): file names may hold any byte, JSON may not. */
static size_t utf8_length(const unsigned char *at) {
  const unsigned char a = at[0];
  if (a < 0x80) return 1;
  const size_t n = a >= 0xc2 && a < 0xe0   ? 2
                   : a >= 0xe0 && a < 0xf0 ? 3
                   : a >= 0xf0 && a < 0xf5 ? 4
                                           : 0;
  for (size_t i = 1; i < n; i++)
    if ((at[i] & 0xc0) != 0x80) return 0;
  if ((a == 0xe0 && at[1] < 0xa0) || (a == 0xed && at[1] > 0x9f) || (a == 0xf0 && at[1] < 0x90) ||
      (a == 0xf4 && at[1] > 0x8f))
    return 0;
  return n;
}

void json_string(FILE *out, const char *text) {
  fputc('"', out);
  for (const unsigned char *at = (const unsigned char *)text; *at;) {
    const size_t n = utf8_length(at);
    if (n == 0) {
      fputs("\\ufffd", out);
      at++;
    } else if (*at == '"' || *at == '\\') {
      fprintf(out, "\\%c", *at++);
    } else if (*at < 0x20 || *at == 0x7f) {
      fprintf(out, "\\u%04x", *at++);
    } else if (at[0] == 0xc2 && at[1] < 0xa0) { /* controls beyond ASCII */
      fprintf(out, "\\u%04x", at[1]);
      at += 2;
    } else {
      fwrite(at, 1, n, out);
      at += n;
    }
  }
  fputc('"', out);
}

void json_real(FILE *out, double value) {
  if (!isfinite(value)) {
    fputs("null", out);
    return;
  }
  char text[40];
  for (int digits = 6; digits <= 17; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, value);
    if (strtod(text, NULL) == value) break;
  }
  fputs(text, out);
}

void json_key(FILE *out, bool *first, const char *key) {
  fputs(*first ? "" : ", ", out);
  *first = false;
  json_string(out, key);
  fputs(": ", out);
}

void json_text_member(FILE *out, bool *first, const char *key, const char *text) {
  json_key(out, first, key);
  json_string(out, text);
}

void json_real_member(FILE *out, bool *first, const char *key, double value) {
  json_key(out, first, key);
  json_real(out, value);
}

void json_whole_member(FILE *out, bool *first, const char *key, long long value) {
  json_key(out, first, key);
  fprintf(out, "%lld", value);
}
