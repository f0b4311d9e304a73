/* How much memory there is for this process: what the system can give without taking it from other
 * programs, and no more than its limits. */
#ifndef SCREE_BASE_SPARE_H
#define SCREE_BASE_SPARE_H

/* Bytes; infinite where it cannot be known. A few files are read: not for a loop. */
double spare_memory(void);

#endif
