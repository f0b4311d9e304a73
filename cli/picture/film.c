/* See film.h. */
#include "cli/picture/film.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fresh.h"
#include "cli/file.h"

extern char **environ;

enum { FILM_DESCRIPTOR = 63 };

/* An MP4 file is boxes, each with its size and name; the last one ends with the file, and "moov",
 * which says where the pictures are, is among them. ffmpeg may end well on a full disk without
 * that. */
static bool mp4_is_whole(int file) {
  struct stat info;
  bool index = false;
  uint64_t at = 0;
  if (fstat(file, &info) != 0) return false;
  const uint64_t end = (uint64_t)info.st_size;
  while (at < end) {
    unsigned char head[16];
    if (end - at < sizeof head || pread(file, head, sizeof head, (off_t)at) != (ssize_t)sizeof head)
      return at + 8 == end && index;
    uint64_t size = 0;
    for (int k = 0; k < 4; k++) size = size << 8 | head[k];
    if (size == 1)
      for (int k = 8; k < 16; k++) size = size << 8 | head[k];
    if (memcmp(head + 4, "moov", 4) == 0) index = true;
    if (size < 8 || size > end - at) return false;
    at += size;
  }
  return index;
}

/* A GIF ends with the byte ; and begins with its name. */
static bool gif_is_whole(int file) {
  struct stat info;
  char head[4] = "", last = 0;
  return fstat(file, &info) == 0 && info.st_size > 16 && pread(file, head, 4, 0) == 4 &&
         memcmp(head, "GIF8", 4) == 0 && pread(file, &last, 1, info.st_size - 1) == 1 &&
         last == ';';
}

/* A WebM file is two elements, a head and a segment whose size is known once it is whole; sizes
 * begin with as many zero bits as bytes follow. */
static bool webm_is_whole(int file) {
  struct stat info;
  if (fstat(file, &info) != 0) return false;
  uint64_t at = 0;
  for (int element = 0; element < 2; element++) {
    unsigned char head[12];
    if (pread(file, head, sizeof head, (off_t)at) != (ssize_t)sizeof head) return false;
    static const unsigned char names[2][4] = {{0x1a, 0x45, 0xdf, 0xa3}, {0x18, 0x53, 0x80, 0x67}};
    if (memcmp(head, names[element], 4) != 0 || head[4] == 0) return false;
    int length = 1;
    while (!(head[4] & (0x80 >> (length - 1)))) length++;
    uint64_t size = head[4] & (0x7f >> (length - 1));
    for (int k = 1; k < length; k++) size = size << 8 | head[4 + k];
    at += 4 + (uint64_t)length + size;
    if (at > (uint64_t)info.st_size) return false;
  }
  return at == (uint64_t)info.st_size;
}

typedef struct film_format {
  const char *suffix;
  bool (*is_whole)(int file); /* ffmpeg may end well on a full disk with a part of a film */
  const char *arguments[24];
} film_format;

/* Colours as on the screen, in the words that players understand. The colours of a GIF are chosen
 * anew for each picture, so that no more than one is kept in memory. */
static const film_format formats[] = {
    {".mp4",
     mp4_is_whole,
     {"-vf",
      "scale=out_color_matrix=bt709:out_range=tv",
      "-c:v",
      "libx264",
      "-preset",
      "medium",
      "-crf",
      "17",
      "-pix_fmt",
      "yuv420p",
      "-colorspace",
      "bt709",
      "-color_primaries",
      "bt709",
      "-color_trc",
      "bt709",
      "-movflags",
      "+faststart",
      "-xerror",
      "-f",
      "mp4",
      NULL}},
    {".webm",
     webm_is_whole,
     {"-vf", "scale=out_color_matrix=bt709:out_range=tv", "-c:v", "libvpx-vp9", "-crf", "28",
      "-b:v", "0", "-row-mt", "1", "-cpu-used", "4", "-pix_fmt", "yuv420p", "-xerror", "-f", "webm",
      NULL}},
    {".gif",
     gif_is_whole,
     {"-vf",
      "split[a][b];[a]palettegen=stats_mode=single[p];[b][p]paletteuse=new=1:dither=bayer:"
      "bayer_scale=4",
      "-xerror", "-f", "gif", NULL}},
};

static const film_format *film_format_of(const char *path) {
  const size_t length = strlen(path);
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
    const size_t n = strlen(formats[i].suffix);
    if (length > n && strcmp(path + length - n, formats[i].suffix) == 0) return &formats[i];
  }
  return NULL;
}

bool film_is(const char *path) {
  return film_format_of(path) != NULL;
}

int film_begin(film *f, const char *path, int width, int height, double fps, bool quick) {
  int ends[2];
  char size[32], rate[32], target[] = "file:/dev/fd/63";
  *f = (film){.path = path, .pipe = -1, .place.file = -1};
  if (!file_program_exists("ffmpeg"))
    return cli_fail(CLI_IO,
                    "%s: a film needs the program ffmpeg, which is not on the PATH; "
                    "install the Debian package ffmpeg, or draw pictures (.png)",
                    path);
  snprintf(size, sizeof size, "%dx%d", width, height);
  snprintf(rate, sizeof rate, "%.17g", fps);
  const film_format *format = film_format_of(path);
  const char *arguments[48] = {"ffmpeg", "-hide_banner", "-loglevel", "error", "-nostdin", "-y",
                               "-f",     "rawvideo",     "-pix_fmt",  "rgb24", "-s",       size,
                               "-r",     rate,           "-i",        "pipe:0"};
  int count = 16;
  for (int k = 0; format->arguments[k]; k++, count++) {
    arguments[count] = format->arguments[k];
    if (quick && strcmp(arguments[count], "medium") == 0) arguments[count] = "ultrafast";
  }
  arguments[count++] = target;
  /* The file is passed by its descriptor: a name may look like an option or a protocol, or may be
   * replaced meanwhile. */
  const int refused = fresh_open(&f->place, path);
  if (refused) return cli_fail(CLI_IO, "%s: cannot be written: %s", path, strerror(refused));
  if (pipe(ends) != 0) {
    fresh_drop(&f->place);
    return cli_fail(CLI_IO, "%s: no pipe: %s", path, strerror(errno));
  }
  fcntl(ends[1], F_SETFD, FD_CLOEXEC);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[0], 0);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  posix_spawn_file_actions_adddup2(&actions, f->place.file, FILM_DESCRIPTOR);
  const int fault =
      posix_spawnp(&f->child, "ffmpeg", &actions, NULL, (char *const *)arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[0]);
  f->pipe = ends[1];
  if (!fault) return CLI_OK;
  close(f->pipe);
  f->pipe = -1;
  film_end(f, false);
  return cli_fail(CLI_IO, "%s: ffmpeg cannot be started: %s", path, strerror(fault));
}

int film_add(film *f, const scree_image *image) {
  const uint8_t *at = image->pixels;
  size_t left = 3 * (size_t)image->width * (size_t)image->height;
  while (left) {
    const ssize_t n = write(f->pipe, at, left);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0)
      return cli_fail(CLI_IO, "%s: ffmpeg does not take the pictures: %s", f->path,
                      strerror(errno));
    at += n;
    left -= (size_t)n;
  }
  return CLI_OK;
}

int film_end(film *f, bool ok) {
  int state = 0;
  if (f->pipe < 0) {
    fresh_drop(&f->place);
    return CLI_OK;
  }
  close(f->pipe);
  f->pipe = -1;
  while (waitpid(f->child, &state, 0) < 0 && errno == EINTR) {
  }
  const bool sound = WIFEXITED(state) && WEXITSTATUS(state) == 0;
  const bool whole = sound && film_format_of(f->path)->is_whole(f->place.file);
  const int fault = ok && whole ? fresh_place(&f->place, true) : 0;
  fresh_drop(&f->place);
  if (!ok || (whole && !fault)) return CLI_OK;
  if (!sound) return cli_fail(CLI_IO, "%s: ffmpeg failed, see its message above", f->path);
  if (!whole)
    return cli_fail(CLI_IO, "%s: the film is not whole; is there room on the disk?", f->path);
  return cli_fail(CLI_IO, "%s: cannot be written: %s", f->path, strerror(fault));
}
