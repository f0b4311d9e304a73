/* XML as a tree with the place of every element and attribute, read by expat.
 *
 * Hardened: a file that declares entities is refused, nothing outside the bytes is ever opened,
 * elements nest at most XML_DEPTH deep. Names of elements lose no prefix: `xacro:macro` stays. */
#ifndef SCREE_SCENE_IMPORT_XML_H
#define SCREE_SCENE_IMPORT_XML_H

#include "scene/read/node.h"

enum { XML_DEPTH = 200 };

typedef struct xml_attribute {
  const char *name, *value;
  uint32_t line, column;
} xml_attribute;

typedef struct xml_element xml_element;
struct xml_element {
  const char *name;
  uint32_t file, line, column;
  xml_attribute *attributes;
  size_t attribute_count;
  const char *text; /* between the tags, "" when none; children leave no mark in it */
  xml_element *parent, *first, *last, *next;
};

/* The root of the file number `file` of the document. Lives as long as the document. */
scree_status xml_parse(scene_document *doc, uint32_t file, xml_element **root);

/* The value of an attribute; null: not given. */
const char *xml_get(const xml_element *e, const char *name);
/* The first child of a name, and the next one after `e` of the same name. */
xml_element *xml_child(const xml_element *e, const char *name);
xml_element *xml_next(const xml_element *e, const char *name);
bool xml_is(const xml_element *e, const char *name);
/* The place of an element, or of one of its attributes, as a node for messages. */
scene_node xml_place(const xml_element *e, const char *attribute);

#endif
