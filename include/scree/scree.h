/* Scree: hard-contact multibody dynamics. This header includes all the others. */
#ifndef SCREE_SCREE_H
#define SCREE_SCREE_H

#include "scree/base.h"
#include "scree/ccp.h"
#include "scree/contact.h"
#include "scree/export.h"
#include "scree/io.h"
#include "scree/model.h"
#include "scree/recording.h"
#include "scree/render.h"
#include "scree/scene.h"
#include "scree/shape.h"
#include "scree/sim.h"
#include "scree/solver.h"
#include "scree/stepper.h"

#endif
