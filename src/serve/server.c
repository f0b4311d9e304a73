/* The server: HTTP for the page's two files, a WebSocket for the rest, by libwebsockets in a thread
 * of its own. Every request must come to 127.0.0.1 or localhost at our port (Host), under the path
 * of the token, and a socket from a page that we served (Origin). What readers send is bounded by
 * the size of a command; what they are sent, by one answer at a time to what they ask for: a reader
 * that does not read keeps its own answer waiting, and is dropped after a while. */
#include <stdio.h>
#include <string.h>

#include "base/argument.h"
#include "base/definition.h"
#include "serve/serve.h"

scree_server_def scree_server_def_default(void) {
  return (scree_server_def){.cookie = DEFINITION_COOKIE};
}

#ifndef SERVE_IS_IN

bool scree_server_is_there(void) {
  return false;
}

scree_status scree_server_create(scree_context *context, const scree_server_def *def,
                                 scree_server **server) {
  ARGUMENT_CHECK(context, context && server);
  (void)def;
  *server = NULL;
  return context_fail(context, SCREE_ERROR_UNSUPPORTED,
                      "this Scree was built without live views: they need libwebsockets and the "
                      "viewer (docs/viewer.md)");
}

void scree_server_destroy(scree_server *s) {
  (void)s;
}

const char *scree_server_address(const scree_server *s) {
  (void)s;
  return "";
}

size_t scree_server_reader_count(const scree_server *s) {
  if (!s) return 0;
  (void)s;
  return 0;
}

scree_status scree_server_show(scree_server *s, scree_recording *recording, size_t table_count,
                               const scree_view_table *tables) {
  ARGUMENT_CHECK(s ? s->context : NULL, s && recording && (tables || !table_count));
  (void)s, (void)recording, (void)table_count, (void)tables;
  return SCREE_ERROR_UNSUPPORTED;
}

void serve_wake(scree_server *s) {
  (void)s;
}

#else

#include <libwebsockets.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/random.h>

enum {
  PIECE = 32768,       /* bytes sent at once */
  CONNECTIONS = 48,    /* open at once, of any kind */
  SEND_SECONDS = 20,   /* an answer must be taken within */
  COMMAND_BYTES = 128, /* larger messages end the connection */
  REFUSALS_TOLD = 3,   /* of a kind; then the 10th, the 100th and so on */
  REFUSAL_KINDS = 12
};

/* The state of a connection; libwebsockets fills it with zeros. */
typedef struct session {
  const view_asset *asset;
  size_t sent;
  serve_reader *reader;
  unsigned char command[COMMAND_BYTES]; /* what has come of it */
  size_t command_size;
} session;

/* The state of the server's thread. */
typedef struct desk {
  struct lws *socket[SERVE_READERS];
  serve_reader *reader[SERVE_READERS];
  struct {
    const char *why;
    size_t count;
  } refused[REFUSAL_KINDS];
} desk;

bool scree_server_is_there(void) {
  return true;
}

void serve_wake(scree_server *s) {
  if (s->started) lws_cancel_service(s->sockets);
}

/* ---- who may come in ------------------------------------------------------------------------ */

static scree_server *server_of(struct lws *socket) {
  return lws_context_user(lws_get_context(socket));
}

/* `why` is one of a few texts of this file. */
static void refuse(scree_server *s, desk *d, const char *why) {
  int kind = 0;
  while (kind < REFUSAL_KINDS - 1 && d->refused[kind].why && d->refused[kind].why != why) kind++;
  d->refused[kind].why = why;
  const size_t count = ++d->refused[kind].count;
  size_t round = count;
  while (round > REFUSALS_TOLD && round % 10 == 0) round /= 10;
  if (!s->def.report || (count > REFUSALS_TOLD && round != 1)) return;
  char text[256];
  if (count <= REFUSALS_TOLD)
    snprintf(text, sizeof text, "refused: %s", why);
  else
    snprintf(text, sizeof text, "refused: %s, %zu times so far", why, count);
  s->def.report(s->def.report_user, text);
}

/* The same time for every wrong token of the right length. */
static bool is_token(const scree_server *s, const char *text, size_t length) {
  unsigned char difference = 0;
  if (length != SERVE_TOKEN - 1) return false;
  for (size_t i = 0; i < length; i++) difference |= (unsigned char)(text[i] ^ s->token[i]);
  return difference == 0;
}

static bool has_value(struct lws *socket, enum lws_token_indexes header, const char *before,
                      int port) {
  char text[128], wanted[64];
  if (lws_hdr_total_length(socket, header) <= 0 ||
      lws_hdr_copy(socket, text, sizeof text, header) < 0)
    return false;
  for (int i = 0; i < 2; i++) {
    snprintf(wanted, sizeof wanted, "%s%s:%d", before, i ? "localhost" : "127.0.0.1", port);
    if (strcmp(text, wanted) == 0) return true;
  }
  return false;
}

/* What follows "/TOKEN/" in the path; null: it is not allowed, `why` says so. */
static const char *inside(const scree_server *s, struct lws *socket, const char *path,
                          const char **why) {
  if (!has_value(socket, WSI_TOKEN_HOST, "", s->port)) {
    *why = "a request for another host name";
    return NULL;
  }
  const char *end = path && path[0] == '/' ? strchr(path + 1, '/') : NULL;
  if (!end || !is_token(s, path + 1, (size_t)(end - path - 1))) {
    *why = "a request without the token";
    return NULL;
  }
  return end + 1;
}

/* ---- the page ------------------------------------------------------------------------------- */

static int answer(struct lws *socket, unsigned code) {
  if (lws_return_http_status(socket, code, NULL) < 0) return -1;
  return lws_http_transaction_completed(socket) ? -1 : 0;
}

static int begin_page(scree_server *s, desk *d, struct lws *socket, session *own,
                      const char *path) {
  const char *why = "";
  const char *name = inside(s, socket, path, &why);
  if (!name || lws_hdr_total_length(socket, WSI_TOKEN_GET_URI) <= 0) {
    refuse(s, d, name ? "a request other than GET" : why);
    return answer(socket, HTTP_STATUS_FORBIDDEN);
  }
  own->asset = view_find_asset(*name ? name : "index.html");
  own->sent = 0;
  if (!own->asset) {
    refuse(s, d, "a request for a file that is not the page's");
    return answer(socket, HTTP_STATUS_NOT_FOUND);
  }
  char policy[512];
  snprintf(policy, sizeof policy,
           "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; img-src data:; "
           "connect-src 'self' ws://127.0.0.1:%d ws://localhost:%d; base-uri 'none'; form-action "
           "'none'; frame-ancestors 'none'",
           s->port, s->port);
  const char *const headers[][2] = {{"content-security-policy:", policy},
                                    {"x-content-type-options:", "nosniff"},
                                    {"referrer-policy:", "no-referrer"},
                                    {"cross-origin-opener-policy:", "same-origin"},
                                    {"cross-origin-resource-policy:", "same-origin"},
                                    {"cache-control:", "no-store"},
                                    {"content-encoding:", "gzip"}};
  unsigned char buffer[LWS_PRE + 2048], *start = &buffer[LWS_PRE], *at = start,
                                        *end = &buffer[sizeof buffer - 1];
  if (lws_add_http_common_headers(socket, HTTP_STATUS_OK, own->asset->type, own->asset->size, &at,
                                  end))
    return -1;
  for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
    if (lws_add_http_header_by_name(socket, (const unsigned char *)headers[i][0],
                                    (const unsigned char *)headers[i][1],
                                    (int)strlen(headers[i][1]), &at, end))
      return -1;
  if (lws_finalize_write_http_header(socket, start, &at, end)) return -1;
  lws_callback_on_writable(socket);
  return 0;
}

static int go_on_page(struct lws *socket, session *own) {
  unsigned char buffer[LWS_PRE + PIECE];
  if (!own->asset) return -1;
  const size_t left = own->asset->size - own->sent, n = left < PIECE ? left : PIECE;
  memcpy(buffer + LWS_PRE, own->asset->data + own->sent, n);
  own->sent += n;
  const bool last = own->sent == own->asset->size;
  if (lws_write(socket, buffer + LWS_PRE, n, last ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) < (int)n)
    return -1;
  if (!last) return lws_callback_on_writable(socket) < 0 ? -1 : 0;
  return lws_http_transaction_completed(socket) ? -1 : 0;
}

/* ---- sockets -------------------------------------------------------------------------------- */

static int filter_socket(scree_server *s, desk *d, struct lws *socket) {
  char path[128] = "";
  const char *why = "";
  if (lws_hdr_copy(socket, path, sizeof path, WSI_TOKEN_GET_URI) < 0) path[0] = '\0';
  const char *name = inside(s, socket, path, &why);
  if (name && strcmp(name, "ws") != 0) why = "a socket at a wrong path", name = NULL;
  if (name && !has_value(socket, WSI_TOKEN_ORIGIN, "http://", s->port))
    why = "a socket from a page of another origin", name = NULL;
  if (name && atomic_load(&s->readers) >= SERVE_READERS)
    why = "a socket beside eight others", name = NULL;
  if (name) return 0;
  refuse(s, d, why);
  return -1; /* closed without an answer */
}

static int begin_socket(scree_server *s, desk *d, struct lws *socket, session *own) {
  (void)atomic_load(&s->showing); /* what was made before it was stored is seen from here on */
  for (int i = 0; i < SERVE_READERS; i++) {
    if (d->socket[i]) continue;
    own->reader = memory_new(s->own, 1, sizeof *own->reader);
    if (!own->reader) return -1;
    serve_reader_init(own->reader, s->own);
    d->socket[i] = socket;
    d->reader[i] = own->reader;
    atomic_fetch_add(&s->readers, 1);
    return 0;
  }
  return -1;
}

static void end_socket(scree_server *s, desk *d, struct lws *socket, session *own) {
  if (!own || !own->reader) return;
  for (int i = 0; i < SERVE_READERS; i++)
    if (d->socket[i] == socket) d->socket[i] = NULL, d->reader[i] = NULL;
  serve_reader_clear(own->reader);
  memory_free(s->own, own->reader);
  own->reader = NULL;
  atomic_fetch_sub(&s->readers, 1);
  /* A reader that is gone lets go of the body that it held. */
  serve_queue(s, &(serve_command){.op = SERVE_RELEASE});
}

static int receive(scree_server *s, desk *d, struct lws *socket, session *own, const void *bytes,
                   size_t size) {
  serve_command c;
  bool good =
      own->reader && lws_frame_is_binary(socket) && size <= COMMAND_BYTES - own->command_size;
  if (good) {
    memcpy(own->command + own->command_size, bytes, size);
    own->command_size += size;
    if (!lws_is_final_fragment(socket)) return 0;
    good = serve_take_command(s, own->command, own->command_size, &c);
    own->command_size = 0;
  }
  if (!good) {
    refuse(s, d, "a message that is no command; its connection is closed");
    return -1;
  }
  if (c.op == SERVE_NEXT || c.op == SERVE_FRAME) {
    own->reader->pending = true;
    own->reader->contacts = c.op == SERVE_NEXT && c.count && c.value[0] > 0.0;
    if (own->reader->contacts) atomic_store(&s->contacts_wanted, true);
    if (c.op == SERVE_FRAME && c.value[0] >= 0.0) own->reader->frame = (size_t)c.value[0];
    lws_callback_on_writable(socket);
  } else if (!s->showing) {
    serve_queue(s, &c);
  }
  return 0;
}

/* One piece of the answer; the next when the socket takes more. */
static int send_piece(scree_server *s, struct lws *socket, session *own) {
  serve_reader *r = own->reader;
  if (!r) return -1;
  if (!r->out.size && serve_reader_fill(s, r)) return -1;
  if (!r->out.size) return 0;
  if (r->at == 0 && r->piece == 0) lws_set_timeout(socket, PENDING_TIMEOUT_USER_OK, SEND_SECONDS);
  const unsigned char *m = r->out.data + r->at;
  const size_t size = (size_t)m[0] | (size_t)m[1] << 8 | (size_t)m[2] << 16 | (size_t)m[3] << 24;
  const size_t left = size - r->piece, n = left < PIECE ? left : PIECE;
  unsigned char buffer[LWS_PRE + PIECE];
  memcpy(buffer + LWS_PRE, m + 4 + r->piece, n);
  int how = r->piece ? LWS_WRITE_CONTINUATION : LWS_WRITE_BINARY;
  if (n < left) how |= LWS_WRITE_NO_FIN;
  if (lws_write(socket, buffer + LWS_PRE, n, (enum lws_write_protocol)how) < (int)n) return -1;
  r->piece += n;
  if (r->piece == size) r->at += 4 + size, r->piece = 0;
  if (r->at == r->out.size) {
    r->out.size = r->at = 0;
    lws_set_timeout(socket, NO_PENDING_TIMEOUT, 0);
  }
  if (r->out.size || r->pending) lws_callback_on_writable(socket);
  return 0;
}

static void wake_readers(scree_server *s, desk *d) {
  bool contacts = false;
  for (int i = 0; i < SERVE_READERS; i++) {
    if (!d->reader[i]) continue;
    contacts = contacts || d->reader[i]->contacts;
    if (d->reader[i]->pending) lws_callback_on_writable(d->socket[i]);
  }
  atomic_store(&s->contacts_wanted, contacts);
}

static int callback(struct lws *socket, enum lws_callback_reasons reason, void *user, void *in,
                    size_t size) {
  struct lws_context *sockets = lws_get_context(socket);
  scree_server *s = sockets ? server_of(socket) : NULL;
  const struct lws_protocols *protocol = lws_get_protocol(socket);
  desk *d = protocol ? protocol->user : NULL;
  session *own = user;
  if (!s || !d) return 0;
  switch (reason) {
  case LWS_CALLBACK_HTTP:
    return begin_page(s, d, socket, own, in);
  case LWS_CALLBACK_HTTP_BODY: /* a body: nobody asked for one */
    return -1;
  case LWS_CALLBACK_HTTP_WRITEABLE:
    return go_on_page(socket, own);
  case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
    return filter_socket(s, d, socket);
  case LWS_CALLBACK_ESTABLISHED:
    return begin_socket(s, d, socket, own);
  case LWS_CALLBACK_RECEIVE:
    return receive(s, d, socket, own, in, size);
  case LWS_CALLBACK_SERVER_WRITEABLE:
    return send_piece(s, socket, own);
  case LWS_CALLBACK_CLOSED:
    end_socket(s, d, socket, own);
    return 0;
  case LWS_CALLBACK_EVENT_WAIT_CANCELLED:
    if (protocol->id == 1) wake_readers(s, d);
    return 0;
  default:
    return 0;
  }
}

/* ---- life ----------------------------------------------------------------------------------- */

static void *serve(void *user) {
  scree_server *s = user;
  while (!atomic_load(&s->stop))
    if (lws_service(s->sockets, 0) < 0) break;
  return NULL;
}

static scree_status make_token(scree_server *s) {
  unsigned char bytes[(SERVE_TOKEN - 1) / 2];
  if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
    return context_fail(s->context, SCREE_ERROR_IO, "the system gives no random numbers");
  for (size_t i = 0; i < sizeof bytes; i++) snprintf(&s->token[2 * i], 3, "%02x", bytes[i]);
  return SCREE_OK;
}

typedef struct sockets_memory {
  struct lws_protocols protocols[3];
  desk desk;
} sockets_memory;

static scree_status open_sockets(scree_server *s) {
  sockets_memory *m = s->memory = memory_new(s->context, 1, sizeof *m);
  if (!m) return SCREE_ERROR_MEMORY;
  m->protocols[0] = (struct lws_protocols){.name = "http",
                                           .callback = callback,
                                           .per_session_data_size = sizeof(session),
                                           .user = &m->desk};
  m->protocols[1] = (struct lws_protocols){.name = "scree",
                                           .callback = callback,
                                           .per_session_data_size = sizeof(session),
                                           .rx_buffer_size = COMMAND_BYTES,
                                           .id = 1,
                                           .user = &m->desk};
  lws_set_log_level(0, NULL);
  struct lws_context_creation_info info = {0};
  info.port = CONTEXT_PORT_NO_LISTEN;
  info.protocols = m->protocols;
  info.user = s;
  info.gid = -1;
  info.uid = -1;
  info.options = LWS_SERVER_OPTION_EXPLICIT_VHOSTS | LWS_SERVER_OPTION_DISABLE_IPV6 |
                 LWS_SERVER_OPTION_NO_LWS_SYSTEM_STATES;
  info.fd_limit_per_thread = CONNECTIONS;
  info.max_http_header_pool = CONNECTIONS;
  info.max_http_header_data = 2048;
  info.timeout_secs = 5;
  info.keepalive_timeout = 5;
  info.server_string = "scree";
  s->sockets = lws_create_context(&info);
  if (!s->sockets) return context_fail(s->context, SCREE_ERROR_IO, "no server can be made");
  info.port = s->def.port;
  info.iface = "127.0.0.1";
  info.vhost_name = "scree";
  struct lws_vhost *host = lws_create_vhost(s->sockets, &info);
  s->port = host ? lws_get_vhost_listen_port(host) : -1;
  if (s->port <= 0)
    return context_fail(s->context, SCREE_ERROR_IO,
                        "port %d at 127.0.0.1 cannot be had; another program may use it",
                        s->def.port);
  snprintf(s->address, sizeof s->address, "http://127.0.0.1:%d/%s/", s->port, s->token);
  return SCREE_OK;
}

/* Signals are for the caller's threads. */
static scree_status start_thread(scree_server *s) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  s->started = pthread_create(&s->thread, NULL, serve, s) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return s->started ? SCREE_OK : context_fail(s->context, SCREE_ERROR_IO, "no thread can be made");
}

scree_status scree_server_create(scree_context *context, const scree_server_def *def,
                                 scree_server **server) {
  ARGUMENT_CHECK(context, context && server);
  *server = NULL;
  if (def) DEFINITION_CHECK(context, def, server_def);
  scree_server *s = *server = memory_new(context, 1, sizeof *s);
  if (!s) return SCREE_ERROR_MEMORY;
  s->context = context;
  s->def = def ? *def : scree_server_def_default();
  s->own = scree_context_create(NULL);
  s->tables.context = s->steps.context = s->own;
  scree_status status = serve_board_init(s);
  if (!status && !s->own) status = SCREE_ERROR_MEMORY;
  if (!status) status = make_token(s);
  if (!status) status = open_sockets(s);
  if (!status) status = start_thread(s);
  if (!status) return SCREE_OK;
  scree_server_destroy(s);
  *server = NULL;
  return status;
}

void scree_server_destroy(scree_server *s) {
  if (!s) return;
  atomic_store(&s->stop, true);
  if (s->started) {
    lws_cancel_service(s->sockets);
    pthread_join(s->thread, NULL);
  }
  if (s->sockets) lws_context_destroy(s->sockets);
  memory_free(s->context, s->memory);
  view_reader_close(&s->reader);
  if (s->own) view_buffer_clear(&s->tables);
  view_buffer_clear(&s->steps);
  serve_board_clear(s);
  scree_context_destroy(s->own);
  memory_free(s->context, s);
}

const char *scree_server_address(const scree_server *s) {
  return s ? s->address : "";
}

size_t scree_server_reader_count(const scree_server *s) {
  if (!s) return 0;
  return atomic_load(&s->readers);
}

/* To be called before the first reader can connect: the address is not known to anybody yet. */
scree_status scree_server_show(scree_server *s, scree_recording *recording, size_t table_count,
                               const scree_view_table *tables) {
  ARGUMENT_CHECK(s ? s->context : NULL, s && recording && (tables || !table_count));
  scree_status status = view_reader_open(&s->reader, recording, 0);
  if (!status) status = serve_read_steps(s);
  if (status) return status;
  view_buffer message = {.context = s->own};
  for (size_t i = 0; i < table_count; i++) {
    if (!tables[i].rows) continue;
    view_put_table(&message, &tables[i], VIEW_ROWS, 0);
    serve_append(&s->tables, &message);
    message.size = 0;
  }
  view_buffer_clear(&message);
  s->written = scree_recording_is_live(recording);
  s->shown = 1;
  s->showing = true;
  return s->tables.status;
}
#endif
