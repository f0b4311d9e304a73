/* See number.h. The locale C is one object of the system, made once and never freed; uselocale is
 * for this thread alone, so other threads of the program notice nothing. */
#include "base/number.h"

#include <locale.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static locale_t plain_locale(void) {
  static _Atomic(locale_t) kept;
  locale_t plain = atomic_load(&kept);
  if (plain) return plain;
  locale_t made = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (!made) return (locale_t)0; /* no memory: the program's own locale has to do */
  if (atomic_compare_exchange_strong(&kept, &plain, made)) return made;
  freelocale(made); /* another thread was first */
  return plain;
}

double number_read(const char *text, char **end) {
  const locale_t plain = plain_locale(), old = plain ? uselocale(plain) : (locale_t)0;
  const double value = strtod(text, end);
  if (plain) uselocale(old);
  return value;
}

int number_format_list(char *buffer, size_t size, const char *format, va_list list) {
  const locale_t plain = plain_locale(), old = plain ? uselocale(plain) : (locale_t)0;
  const int n = vsnprintf(buffer, size, format, list);
  if (plain) uselocale(old);
  return n;
}

int number_format(char *buffer, size_t size, const char *format, ...) {
  va_list list;
  va_start(list, format);
  const int n = number_format_list(buffer, size, format, list);
  va_end(list);
  return n;
}
