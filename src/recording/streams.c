/* What rows a recording has; see recording.h and scree/recording.h. */
#include "recording/recording.h"

#ifdef SCREE_WITH_HDF5

const recording_stream recording_streams[STREAM_COUNT] = {
    [STREAM_BODY_LIST] = {"/bodies/list", 5, 4, STREAM_U32},
    [STREAM_BODY_MASS] = {"/bodies/mass", 2, 8, STREAM_F64},
    [STREAM_CHECK_LIST] = {"/checks/list", 0, 4, STREAM_U32},
    [STREAM_BODY_ID] = {"/bodies/id", 3, 4, STREAM_U32},
    [STREAM_BODY_POSE] = {"/bodies/pose", 7, 8, STREAM_F64},
    [STREAM_BODY_VELOCITY] = {"/bodies/velocity", 6, 4, STREAM_F32},
    [STREAM_CONTACT_BODIES] = {"/contacts/bodies", 2, 4, STREAM_U32},
    [STREAM_CONTACT_VALUES] = {"/contacts/values", 10, 4, STREAM_F32},
    [STREAM_CHECK_FRAMES] = {"/checks/frames", CHECK_COLUMNS, 4, STREAM_U32},
    [STREAM_FRAME_INDEX] = {"/frames/index", 5, 8, STREAM_U64},
    [STREAM_FRAME_TIME] = {"/frames/time", 0, 8, STREAM_F64},
    [STREAM_CHECK_STEPS] = {"/checks/steps", 0, 4, STREAM_U32},
    [STREAM_STEPS] = {"/steps", SCREE_STEP_COLUMNS, 8, STREAM_F64},
};

hid_t recording_type(const recording_stream *s) {
  switch (s->type) {
  case STREAM_U32:
    return H5T_NATIVE_UINT32;
  case STREAM_U64:
    return H5T_NATIVE_UINT64;
  case STREAM_F32:
    return H5T_NATIVE_FLOAT;
  default:
    return H5T_NATIVE_DOUBLE;
  }
}

size_t recording_row_size(const recording_stream *s) {
  return s->size * (size_t)(s->columns ? s->columns : 1);
}

#endif
