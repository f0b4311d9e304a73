/* The structure of a recording, all blocks of HDF5 but the data, as a checkpoint keeps it: for each
 * block its address and size (u64) and its bytes. See recording.h. */
#ifndef SCREE_RECORDING_STRUCTURE_H
#define SCREE_RECORDING_STRUCTURE_H

#include "io/hdf5/walk.h"
#include "recording/recording.h"

#ifdef SCREE_WITH_HDF5

/* Blocks as patches, which point into `bytes`; the caller frees. A list that makes no sense is
 * SCREE_ERROR_INPUT. */
scree_status structure_patches(scree_context *context, const char *name, const char *bytes,
                               size_t size, check_patch **patches, size_t *count);
/* Walks through the file and hands out its blocks. */
scree_status structure_collect(scree_context *context, const char *name, int file,
                               scree_write_function write, void *user);
/* Writes the blocks to their places and brings them to the disk. A file that this is interrupted in
 * is a mixture, which the next try makes good. */
scree_status structure_restore(scree_context *context, const char *name, int file,
                               const char *bytes, size_t size);
/* How many bytes the file lacks of all that it refers to: a killed writer may have named chunks
 * that it never wrote, and new space begins behind them. */
scree_status structure_find_end(scree_context *context, const char *name, int file,
                                uint64_t *missing);
/* Rows of a stream at the given counts. */
uint64_t recording_count_of(const recording_counts *counts, int stream);

#endif
#endif
