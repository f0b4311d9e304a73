/* Under a sanitizer a step takes five to twenty times as long, and what is looked for is faults in
 * the code that it passes. Figures at the end of many steps are for the other builds: where the
 * same code runs again and again, a test does less of it there. */
#ifndef SCREE_TESTS_SANITIZED_H
#define SCREE_TESTS_SANITIZED_H

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SCREE_SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SCREE_SANITIZED 1
#endif

#ifdef SCREE_SANITIZED
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

#endif
