/* Inside the server. Two threads: the caller's, which runs the simulation, and the server's, which
 * talks to readers. They share a board under a lock that the run only ever tries; commands go the
 * other way through a small ring. Each thread allocates from a context of its own. */
#ifndef SCREE_SERVE_SERVE_H
#define SCREE_SERVE_SERVE_H

#include <pthread.h>
#include <stdatomic.h>

#include "scree/serve.h"
#include "view/reader.h"
#include "view/view.h"

#if defined(SCREE_WITH_LIVE) && defined(SCREE_WITH_VIEWER) && defined(SCREE_WITH_HDF5)
#define SERVE_IS_IN 1
#endif

enum {
  SERVE_VALUES = 8,    /* numbers of a command */
  SERVE_COMMANDS = 64, /* that wait */
  SERVE_READERS = 8,
  SERVE_HISTORY = 2 * VIEW_ROWS,
  SERVE_NOTE = 256,
  SERVE_TOKEN = 33
};

/* Commands of readers, as viewer/src/source.js sends them: u32 number, u32 count, f64 values. */
enum {
  SERVE_NEXT = 1, /* [with contacts]: the newest state of a live run */
  SERVE_FRAME,    /* i: a frame of a recording */
  SERVE_PAUSE,
  SERVE_GO,
  SERVE_STEP,    /* n */
  SERVE_GRAVITY, /* x y z */
  SERVE_MOTOR,   /* joint, coordinate, value */
  SERVE_PULL,    /* body, x y z on it, x y z to pull it to */
  SERVE_RELEASE,
  SERVE_RESTART,
  SERVE_PACE,     /* simulated s per s, 0: no limit */
  SERVE_MATERIAL, /* place, friction */
  SERVE_OPS
};

typedef struct serve_command {
  uint32_t op, count;
  double value[SERVE_VALUES];
} serve_command;

/* How a run stands, as it is reported to readers. */
typedef struct serve_state {
  bool paused, over;
  double pace, time, duration, residual;
  uint64_t steps, contacts;
} serve_state;

/* What the run shows. All memory is of the run's context. */
typedef struct serve_board {
  pthread_mutex_t lock;
  uint64_t epoch;  /* counts runs; 0: none yet */
  uint64_t serial; /* counts states that were put up */
  view_buffer head;
  view_buffer shapes; /* messages, each with its length (u32) before it */
  size_t shape_count;
  double quantum;
  view_cast cast;
  serve_state state;
  view_frame frame; /* its arrays are these: */
  uint32_t *numbers, *pairs;
  double *poses;
  float *velocities, *contacts;
  double *history; /* rows of VIEW_STEP_COLUMNS */
  size_t history_rows;
  uint64_t history_serial;
  view_buffer probes; /* what they measure now: messages as in shapes */
  uint64_t probe_serial;
  char note[SERVE_NOTE];
  uint64_t note_serial;
} serve_board;

/* The run's own part: not shared. */
typedef struct serve_drive {
  bool changeable, changed;
  serve_state state;
  scree_server_cost cost;
  scree_ledger ledger;
  double published, tabled;     /* wall time; */
  double probed;                /* so is this */
  double pace_start, pace_time; /* wall time and simulated time from which the pace counts */
  long steps_left;              /* while paused */
  double *rows;                 /* the history as it grows */
  size_t row_count, stride, since;
  bool pulling;
  serve_command pull;
} serve_drive;

struct scree_server {
  scree_context *context; /* the run's */
  scree_context *own;     /* the server thread's */
  scree_server_def def;
  char token[SERVE_TOKEN], address[96];
  int port;
  serve_board board;
  serve_drive drive;
  atomic_bool wanted, contacts_wanted, stop;
  atomic_size_t readers;
  /* Commands. */
  pthread_mutex_t command_lock;
  pthread_cond_t command_there;
  serve_command command[SERVE_COMMANDS];
  size_t command_count;
  /* The server thread. */
  struct lws_context *sockets;
  pthread_t thread;
  bool started;
  void *memory; /* of the sockets */
  /* A recording. */
  atomic_bool showing;
  view_reader reader;
  view_buffer steps;      /* the log of steps, and */
  view_buffer tables;     /* probes: messages as in board.shapes */
  bool written;           /* a run writes to it: what comes is shown too */
  uint64_t shown;         /* counts what was found when it was looked at again */
  double looked, counted; /* wall time: at the file, at its log of steps */
};

/* board.c */
scree_status serve_board_init(scree_server *s);
void serve_board_clear(scree_server *s);
/* Puts up the state now, whoever reads. */
scree_status serve_publish(scree_server *s, scree_sim *sim, bool always);
void serve_note(scree_server *s, const char *text);
/* Tells the server thread that there is something new. */
void serve_wake(scree_server *s);
/* A message into a list of them. */
void serve_append(view_buffer *list, const view_buffer *message);

/* command.c; false: it has the wrong form. */
bool serve_take_command(scree_server *s, const void *bytes, size_t size, serve_command *command);
void serve_queue(scree_server *s, const serve_command *command);

/* reader.c: what one reader has been sent. */
typedef struct serve_reader {
  uint64_t epoch, serial, note_serial, history_serial, probe_serial;
  size_t shapes_told; /* bytes of the list */
  size_t bodies_told;
  view_encoder encoder;
  view_buffer out, message; /* out: messages with lengths; sent from `at` on */
  size_t at, piece;
  bool pending;  /* it waits for an answer */
  bool contacts; /* and wants these */
  size_t frame;  /* of a recording; SIZE_MAX: the head alone */
} serve_reader;
void serve_reader_init(serve_reader *r, scree_context *context);
void serve_reader_clear(serve_reader *r);
/* The log of steps of the recording that is shown. */
scree_status serve_read_steps(scree_server *s);
/* Messages for a reader that waits; ends its waiting when there are any. */
scree_status serve_reader_fill(scree_server *s, serve_reader *r);

#endif
