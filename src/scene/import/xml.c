/* See xml.h. Text grows in the parser and is copied to the document when the element ends. */
#include "scene/import/xml.h"

#include <string.h>

#ifdef SCREE_WITH_EXPAT
#include <expat.h>
#endif

bool xml_is(const xml_element *e, const char *name) {
  return strcmp(e->name, name) == 0;
}

static const xml_attribute *xml_attribute_of(const xml_element *e, const char *name) {
  for (size_t i = 0; i < e->attribute_count; i++)
    if (strcmp(e->attributes[i].name, name) == 0) return &e->attributes[i];
  return NULL;
}

const char *xml_get(const xml_element *e, const char *name) {
  const xml_attribute *a = xml_attribute_of(e, name);
  return a ? a->value : NULL;
}

static xml_element *seek(xml_element *e, const char *name) {
  while (e && strcmp(e->name, name) != 0) e = e->next;
  return e;
}

xml_element *xml_child(const xml_element *e, const char *name) {
  return e ? seek(e->first, name) : NULL;
}

xml_element *xml_next(const xml_element *e, const char *name) {
  return seek(e->next, name);
}

scene_node xml_place(const xml_element *e, const char *attribute) {
  const xml_attribute *a = attribute ? xml_attribute_of(e, attribute) : NULL;
  return (scene_node){
      .file = e->file, .line = a ? a->line : e->line, .column = a ? a->column : e->column};
}

#ifdef SCREE_WITH_EXPAT

enum { ATTRIBUTE_PLACES = 64 }; /* of a tag; each is sought from its start */

typedef struct reader {
  scene_document *doc;
  XML_Parser parser;
  uint32_t file, skipped; /* lines before the first that is not empty */
  size_t start;
  xml_element *root, *open;
  int depth;
  scree_status status;
  char *text; /* of the open element, until a child or the end */
  size_t text_size;
} reader;

static void stop(reader *r, scree_status status) {
  if (!r->status) r->status = status;
  XML_StopParser(r->parser, XML_FALSE);
}

static scene_node here(const reader *r) {
  return (scene_node){.file = r->file,
                      .line = (uint32_t)XML_GetCurrentLineNumber(r->parser) + r->skipped,
                      .column = (uint32_t)XML_GetCurrentColumnNumber(r->parser) + 1};
}

static bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Where an attribute stands in the tag that begins at `at`: expat knows the tag's place only.
 * Quoted values are jumped over, so that a value cannot look like a name. */
static void place_attribute(const reader *r, const xml_element *e, xml_attribute *a) {
  const scene_file *f = &r->doc->files[r->file];
  const long long start = (long long)XML_GetCurrentByteIndex(r->parser) + (long long)r->start;
  if (start < 0 || (size_t)start >= f->size) return;
  uint32_t line = e->line, column = e->column;
  const size_t length = strlen(a->name);
  char quote = 0;
  for (size_t i = (size_t)start; i < f->size && (quote || f->bytes[i] != '>'); i++) {
    const char c = f->bytes[i];
    if (quote) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (is_space(f->bytes[i - (i > 0)]) && i + length < f->size &&
               strncmp(f->bytes + i, a->name, length) == 0 &&
               (f->bytes[i + length] == '=' || is_space(f->bytes[i + length]))) {
      a->line = line;
      a->column = column;
      return;
    }
    column++;
    if (c == '\n') line++, column = 1;
  }
}

static xml_element *new_element(reader *r, const char *name, const char **attributes) {
  xml_element *e = scene_alloc(r->doc, sizeof *e);
  if (!e) return NULL;
  const scene_node at = here(r);
  e->file = r->file;
  e->line = at.line;
  e->column = at.column;
  e->text = "";
  e->name = scene_copy_text(r->doc, name, strlen(name));
  while (attributes[2 * e->attribute_count]) e->attribute_count++;
  e->attributes = scene_alloc(r->doc, (e->attribute_count + 1) * sizeof *e->attributes);
  if (!e->name || !e->attributes) return NULL;
  for (size_t i = 0; i < e->attribute_count; i++) {
    xml_attribute *a = &e->attributes[i];
    a->name = scene_copy_text(r->doc, attributes[2 * i], strlen(attributes[2 * i]));
    a->value = scene_copy_text(r->doc, attributes[2 * i + 1], strlen(attributes[2 * i + 1]));
    if (!a->name || !a->value) return NULL;
    a->line = e->line;
    a->column = e->column;
    if (i < ATTRIBUTE_PLACES) place_attribute(r, e, a);
  }
  return e;
}

static void XMLCALL on_start(void *user, const char *name, const char **attributes) {
  reader *r = user;
  if (r->status) return;
  if (++r->depth > XML_DEPTH) {
    const scene_node at = here(r);
    stop(r, scene_fault(r->doc, &at, "elements nested more than %d deep", XML_DEPTH));
    return;
  }
  xml_element *e = new_element(r, name, attributes);
  if (!e) {
    stop(r, SCREE_ERROR_MEMORY);
    return;
  }
  e->parent = r->open;
  if (!r->open)
    r->root = e;
  else if (r->open->last)
    r->open->last->next = e;
  else
    r->open->first = e;
  if (r->open) r->open->last = e;
  r->open = e;
  r->text_size = 0;
}

static void XMLCALL on_end(void *user, const char *name) {
  reader *r = user;
  (void)name;
  if (r->status) return;
  if (r->text_size && !r->open->first) {
    r->open->text = scene_copy_text(r->doc, r->text, r->text_size);
    if (!r->open->text) stop(r, SCREE_ERROR_MEMORY);
  }
  r->text_size = 0;
  r->open = r->open->parent;
  r->depth--;
}

static void XMLCALL on_text(void *user, const char *text, int length) {
  reader *r = user;
  if (r->status || length <= 0) return;
  const scree_status status =
      memory_grow(r->doc->context, &r->text, r->text_size + (size_t)length, 1);
  if (status) {
    stop(r, status);
    return;
  }
  memcpy(r->text + r->text_size, text, (size_t)length);
  r->text_size += (size_t)length;
}

static void XMLCALL on_entity(void *user, const XML_Char *name, int is_parameter,
                              const XML_Char *value, int length, const XML_Char *base,
                              const XML_Char *system, const XML_Char *public,
                              const XML_Char *notation) {
  reader *r = user;
  (void)is_parameter, (void)value, (void)length, (void)base, (void)system, (void)public;
  (void)notation;
  if (r->status) return;
  const scene_node at = here(r);
  stop(r, scene_fault(r->doc, &at, "entity '%s': files that declare entities are not read", name));
}

scree_status xml_parse(scene_document *doc, uint32_t file, xml_element **root) {
  const scene_file *f = &doc->files[file];
  *root = NULL;
  reader r = {.doc = doc, .file = file};
  r.parser = XML_ParserCreate(NULL);
  if (!r.parser) return context_fail(doc->context, SCREE_ERROR_MEMORY, "no memory to read XML");
  XML_SetUserData(r.parser, &r);
  XML_SetElementHandler(r.parser, on_start, on_end);
  XML_SetCharacterDataHandler(r.parser, on_text);
  XML_SetEntityDeclHandler(r.parser, on_entity);
  enum { PIECE = 1 << 20 };
  bool ok = true;
  /* Some files have an empty line before <?xml; strictly that is none. */
  for (; r.start < f->size && is_space(f->bytes[r.start]); r.start++)
    r.skipped += f->bytes[r.start] == '\n';
  size_t done = r.start;
  do {
    const size_t left = f->size - done, piece = left < PIECE ? left : PIECE;
    ok = XML_Parse(r.parser, f->bytes + done, (int)piece, done + piece == f->size) == XML_STATUS_OK;
    done += piece;
  } while (ok && done < f->size);
  if (!ok && !r.status) {
    const scene_node at = here(&r);
    r.status =
        XML_GetErrorCode(r.parser) == XML_ERROR_NO_MEMORY
            ? context_fail(doc->context, SCREE_ERROR_MEMORY, "no memory to read XML")
            : scene_fault(doc, &at, "not XML: %s", XML_ErrorString(XML_GetErrorCode(r.parser)));
  }
  XML_ParserFree(r.parser);
  memory_free(doc->context, r.text);
  if (!r.status && !r.root) {
    const scene_node at = {.file = file, .line = 1, .column = 1};
    r.status = scene_fault(doc, &at, "not XML: there is no element");
  }
  if (!r.status) *root = r.root;
  return r.status;
}

#else

scree_status xml_parse(scene_document *doc, uint32_t file, xml_element **root) {
  (void)file;
  *root = NULL;
  return context_fail(doc->context, SCREE_ERROR_UNSUPPORTED,
                      "this build reads no robots; configure with SCREE_WITH_EXPAT=ON");
}

#endif
