/* See file.h. */
#include "cli/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/claim.h"

/* The directory part of a path, for free(); "." when there is none. */
static char *directory_of(const char *path) {
  const char *slash = strrchr(path, '/');
  if (!slash) return strdup(".");
  return strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

/* Held until the process ends. */
static struct claimed {
  claim claim;
  struct claimed *next;
} * claims;

static void drop_claims(void) {
  while (claims) {
    struct claimed *c = claims;
    claims = c->next;
    claim_drop(&c->claim);
    free(c);
  }
}

int file_refuse_input(const char *path, const char *input) {
  if (!claim_is_same(path, input)) return CLI_OK;
  return cli_fail(CLI_USAGE, "%s: it is read from, so it is not written; give another name", path);
}

int file_refuse_scene(const scree_scene *scene) {
  for (const struct claimed *c = claims; c; c = c->next)
    if (scree_scene_reads(scene, c->claim.path))
      return cli_fail(CLI_USAGE,
                      "%s: the scene is read from it, so it is not written; give "
                      "another name",
                      c->claim.path);
  return CLI_OK;
}

static int check_writable(const char *path) {
  struct stat s;
  if (stat(path, &s) == 0 && S_ISDIR(s.st_mode))
    return cli_fail(CLI_IO, "%s: cannot write it: it is a directory", path);
  char *directory = directory_of(path);
  int code = CLI_OK;
  if (!directory)
    code = cli_fail(CLI_INTERNAL, "out of memory");
  else if (access(directory, W_OK | X_OK) != 0)
    code = cli_fail(CLI_IO, "%s: cannot write it: directory '%s': %s", path, directory,
                    strerror(errno));
  free(directory);
  return code;
}

int file_claim(const cli_args *args, const char *path) {
  int code = check_writable(path);
  for (size_t i = 0; i < args->operand_count && !code; i++)
    code = file_refuse_input(path, args->operand[i]);
  if (code) return code;
  for (const struct claimed *c = claims; c; c = c->next)
    if (strcmp(c->claim.path, path) == 0)
      return cli_fail(CLI_USAGE, "%s: two outputs have this name; give two names", path);
  struct claimed *c = malloc(sizeof *c);
  if (!c) return cli_fail(CLI_INTERNAL, "out of memory");
  if (claim_take(&c->claim, path, cli_has(args, "force")) != CLAIM_TAKEN) {
    char text[CLAIM_PATH + 128];
    claim_explain(&c->claim, text, sizeof text);
    free(c);
    return cli_fail(CLI_IO, "%s", text);
  }
  if (!claims) atexit(drop_claims);
  c->next = claims;
  claims = c;
  return CLI_OK;
}

FILE *file_begin(fresh *f, const char *path) {
  const int fault = fresh_open(f, path);
  FILE *file = fault ? NULL : fresh_stream(f);
  if (file) return file;
  cli_fail(CLI_IO, "%s: cannot write it: %s", path, strerror(fault ? fault : errno));
  fresh_drop(f);
  return NULL;
}

int file_end(fresh *f, FILE *file, bool ok) {
  int fault = fflush(file) != 0 || ferror(file) ? (errno ? errno : EIO) : 0;
  if (fclose(file) != 0 && !fault) fault = errno ? errno : EIO;
  if (ok && !fault) fault = fresh_place(f, true);
  fresh_drop(f);
  return ok && fault ? cli_fail(CLI_IO, "%s: cannot write it: %s", f->path, strerror(fault))
                     : CLI_OK;
}

bool file_program_exists(const char *name) {
  const char *path = getenv("PATH");
  for (const char *at = path ? path : "/usr/bin:/bin"; at;) {
    const size_t n = strcspn(at, ":");
    char candidate[4096];
    const int length =
        snprintf(candidate, sizeof candidate, "%.*s%s%s", (int)n, at, n ? "/" : "", name);
    if (length > 0 && (size_t)length < sizeof candidate && access(candidate, X_OK) == 0)
      return true;
    at = at[n] ? at + n + 1 : NULL;
  }
  return false;
}
