/* Every verb, in the order of the help: VERB(name) for cmd_<name>.c. The only place that names them
 * all. */
VERB(run)
VERB(resume)
VERB(check)
VERB(solve)
VERB(render)
VERB(plot)
VERB(export)
VERB(info)
VERB(bench)
VERB(generate)
VERB(list)
VERB(doctor)
