/* Scree: hard-contact multibody dynamics. This header includes all the others.
 *
 * Threads. A context, and all that was made with it (scenes, worlds, steppers, runs, recordings,
 * problems, solvers, shapes, pictures), belong together and are used from one thread at a time;
 * which one may change, when the program sees to the order. Different contexts share nothing that
 * changes: they may be used from different threads at once; a shape of one must not be given to
 * another. A context may have threads of its own (scree_context_set_threads); with many contexts at
 * work give each one thread. Calls without a context (names, lists, defaults, scree_version) may
 * come from anywhere. Callbacks are made from the thread that called. Two contexts must not write
 * the same file. Files go through HDF5, which must be its thread-safe build (Debian's is) for
 * contexts at work at once to use them.
 *
 * Arguments. A call that returns scree_status refuses a null pointer that it needs by
 * SCREE_ERROR_ARGUMENT where it loads, saves, steps or solves something, or adds to a world;
 * *_destroy, *_close and *_clear take null. Other calls do not look. A body or joint that was
 * removed is told by its generation: SCREE_ERROR_ARGUMENT. An object that was destroyed must not be
 * used.
 *
 * Locale. Numbers are read and written the same under every locale. */
#ifndef SCREE_SCREE_H
#define SCREE_SCREE_H

#include "scree/base.h"
#include "scree/ccp.h"
#include "scree/contact.h"
#include "scree/export.h"
#include "scree/io.h"
#include "scree/model.h"
#include "scree/picture.h"
#include "scree/recording.h"
#include "scree/render.h"
#include "scree/scene.h"
#include "scree/serve.h"
#include "scree/shape.h"
#include "scree/sim.h"
#include "scree/solver.h"
#include "scree/stepper.h"
#include "scree/view.h"

#endif
