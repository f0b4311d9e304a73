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
 * Arguments. A null pointer that a call needs is refused: by SCREE_ERROR_ARGUMENT where it returns
 * scree_status, else by 0, false, null, "" or a struct of zeros; *_destroy, *_close and *_clear
 * take null. A body, joint or link that was removed, or never was, is recognised by its generation
 * in the same way. Behind a pointer there must be as many entries as its count says. An object that
 * was destroyed must not be used: nothing can tell it.
 *
 * Locale. Numbers are read and written the same under every locale. */
#ifndef SCREE_SCREE_H
#define SCREE_SCREE_H

#include "scree/base.h"
#include "scree/ccp.h"
#include "scree/contact.h"
#include "scree/coupling.h"
#include "scree/device.h"
#include "scree/distributed.h"
#include "scree/export.h"
#include "scree/io.h"
#include "scree/joint.h"
#include "scree/model.h"
#include "scree/picture.h"
#include "scree/query.h"
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
