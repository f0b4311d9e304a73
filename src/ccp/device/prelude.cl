/* What the shared sources need of C and of scree/ccp.h, for a device. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define SCREE_DEVICE 1
#define SCREE_MAX_DIM 6
#define WORLD 0xffffffffu

typedef enum scree_set_kind {
  SCREE_SET_FREE,
  SCREE_SET_RAY,
  SCREE_SET_INTERVAL,
  SCREE_SET_COULOMB,
  SCREE_SET_ELLIPTIC,
  SCREE_SET_ROLLING,
  SCREE_SET_USER
} scree_set_kind;
typedef enum scree_model { SCREE_MODEL_RELAXED, SCREE_MODEL_COULOMB } scree_model;

typedef struct scree_set {
  scree_set_kind kind;
  int dim;
  double mu, mu2, rolling, spinning, lo, hi, cohesion, cap;
  double flow[SCREE_MAX_DIM - 1];
} scree_set;

typedef struct op_judged {
  double natural2, square, worst, penetration, gap, impulse2, velocity2, product;
} op_judged;

void scree_set_project(const scree_set *set, double moment_weight, double *x);
double scree_set_shift(const scree_set *set, const double *u);
void scree_set_flow(const scree_set *set, const double *u, double *w);
double scree_set_dual_violation(const scree_set *set, const double *u);
void set_scale_kind(scree_set *set, const double *root);
bool set_solve_kind(const scree_set *set, scree_model model, const double *nii, const double *q,
                    double *g);
