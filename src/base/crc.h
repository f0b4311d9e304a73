/* CRC-32C (Castagnoli, reflected 0x82F63B78), the checksum of recordings, probes and checkpoints.
 * It finds every change within 32 bits in a row and every change of up to three bits in blocks of
 * their size; other changes pass with a chance of 2^-32. It is what iSCSI, ext4 and SSE 4.2 have,
 * so other programs can check our files.
 *
 *   uint32_t crc = crc32c(0, a, size_a);  crc = crc32c(crc, b, size_b);      pieces of one whole */
#ifndef SCREE_BASE_CRC_H
#define SCREE_BASE_CRC_H

#include <stddef.h>
#include <stdint.h>

uint32_t crc32c(uint32_t crc, const void *bytes, size_t size);
/* The same without the instruction of the processor; for machines that lack it, and for tests. */
uint32_t crc32c_plain(uint32_t crc, const void *bytes, size_t size);

#endif
