/* Every set, in the order of scree_set_kind: SET(kind, ops). The only place that names them all. */
SET(SCREE_SET_FREE, set_free_ops)
SET(SCREE_SET_RAY, set_ray_ops)
SET(SCREE_SET_INTERVAL, set_interval_ops)
SET(SCREE_SET_COULOMB, set_coulomb_ops)
SET(SCREE_SET_ELLIPTIC, set_elliptic_ops)
SET(SCREE_SET_ROLLING, set_rolling_ops)
SET(SCREE_SET_USER, set_user_ops)
