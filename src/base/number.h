/* Numbers as text, the same under every locale: a program that uses the library may have set one
 * whose decimals have a comma, and files must not depend on it. */
#ifndef SCREE_BASE_NUMBER_H
#define SCREE_BASE_NUMBER_H

#include <stdarg.h>
#include <stddef.h>

#include "scree/base.h"

/* strtod of the locale C. */
double number_read(const char *text, char **end);
/* snprintf and vsnprintf of the locale C. */
int number_format(char *buffer, size_t size, const char *format, ...) SCREE_PRINTF(3, 4);
int number_format_list(char *buffer, size_t size, const char *format, va_list list)
    SCREE_PRINTF(3, 0);

#endif
