/* The font: strokes on a grid, drawn for this purpose. A glyph is a list of strokes set apart by
 * spaces; a point is two digits of base 36, x then y. The base line is at y = 6, capitals reach
 * 24 ('o'), small letters 18 ('i'), tails 0. A stroke is straight from point to point; '~' makes it
 * a smooth curve through its points, '@' a closed one. */
#ifndef SCREE_RENDER_GLYPHS_H
#define SCREE_RENDER_GLYPHS_H

#include <stdint.h>

typedef struct render_glyph {
  uint32_t code; /* Unicode */
  int width;     /* without the space to the next glyph */
  const char *strokes;
} render_glyph;

#define BOWL "@5i9gac9856180c1g"

static const render_glyph render_glyphs[] = {
    {' ', 5, ""},
    {'!', 0, "0o0c 0606"},
    {'"', 4, "0o0k 4o4k"},
    {'#', 12, "4o26 ao86 0jcj 0bcb"},
    {'$', 12, "~bl8o3o0k3g9eca9636 09 6r63"},
    {'%', 12, "@2o4l2i0l @acc9a689 co06"},
    {'&', 12, "~c63j4n6o8n7j0c083676ca"},
    {'\'', 0, "0o0k"},
    {'(', 4, "~4q1l0f1945"},
    {')', 4, "~0q3l4f3905"},
    {'*', 8, "4n4f 0l8h 8l0h"},
    {'+', 10, "0cac 5h57"},
    {',', 1, "1703"},
    {'-', 8, "0c8c"},
    {'.', 0, "0606"},
    {'/', 8, "048o"},
    {'0', 12, "@6oamcfa866280f2m"},
    {'1', 12, "2k7o76"},
    {'2', 12, "~0k2n6oanck9e06 06c6"},
    {'3', 12, "~0l3o8obk9g5g ~5g9gcb9636 09"},
    {'4', 12, "969o0bcb"},
    {'5', 12, "bo2o1g ~1g6ibgcba75608"},
    {'6', 12, "~ao4j0c @6hbfcba766270b1f"},
    {'7', 12, "0oco46"},
    {'8', 12, "@6oamai6g2i2m @6gbecaa766270a1e"},
    {'9', 12, "~268bci @6d1f0j2n6oancjbf"},
    {':', 0, "0808 0g0g"},
    {';', 1, "1703 1g1g"},
    {'<', 9, "9i0c96"},
    {'=', 10, "0faf 09a9"},
    {'>', 9, "0i9c06"},
    {'?', 9, "~0l3o7o9k6f5c 5656"},
    {'@', 14, "@7ocmefc876280f2m @7iaf7c4f"},
    {'A', 12, "066oc6 2cac"},
    {'B', 12, "060o6o ~6obmbi6g 6g0g ~6gcec866 6606"},
    {'C', 12, "~ck9o4n0i0c47969 96ca"},
    {'D', 12, "060o5o ~5oamcfa856 5606"},
    {'E', 11, "bo0o06b6 0g9g"},
    {'F', 11, "bo0o06 0g9g"},
    {'G', 12, "~ck9o4n0i0c4796ca cacf7f"},
    {'H', 12, "060o c6co 0gcg"},
    {'I', 0, "060o"},
    {'J', 8, "8o8b ~8b673609"},
    {'K', 12, "060o co0e 4hc6"},
    {'L', 10, "0o06a6"},
    {'M', 14, "060o7ceoe6"},
    {'N', 12, "060oc6co"},
    {'O', 14, "@7ocmefc876280f2m"},
    {'P', 12, "060o6o ~6ocmch6f 6f0f"},
    {'Q', 14, "@7ocmefc876280f2m 9ae5"},
    {'R', 12, "060o6o ~6ocmch6f 6f0f 7fc6"},
    {'S', 12, "~bl8o3o0k3g9eca963609"},
    {'T', 12, "0oco 6o66"},
    {'U', 12, "0o0b ~0b2766a7cb cbco"},
    {'V', 12, "0o66co"},
    {'W', 16, "0o468kc6go"},
    {'X', 12, "0oc6 co06"},
    {'Y', 12, "0o6fco 6f66"},
    {'Z', 12, "0oco06c6"},
    {'[', 4, "4o0o0444"},
    {'\\', 8, "0o84"},
    {']', 4, "0o4o4404"},
    {'^', 10, "0h5oah"},
    {'_', 10, "03a3"},
    {'`', 3, "0o3k"},
    {'a', 10, BOWL " aia6"},
    {'b', 10, BOWL " 060o"},
    {'c', 10, "~ag6i2h0c2766a8"},
    {'d', 10, BOWL " a6ao"},
    {'e', 10, "0cac ~ac9g5i1g0c185698"},
    {'f', 7, "~8n5o3l3i 3i36 0i7i"},
    {'g', 10, BOWL " aia4 ~a4815012"},
    {'h', 10, "060o ~0d3h6i9gac aca6"},
    {'i', 0, "060i 0n0n"},
    {'j', 4, "4i43 ~432001 4n4n"},
    {'k', 9, "060o 9i0b 3e96"},
    {'l', 3, "0o09 ~091636"},
    {'m', 16, "060i ~0d2h5i7h8d 8d86 ~8dahdifhgd gdg6"},
    {'n', 10, "060i ~0d3h6i9gac aca6"},
    {'o', 10, BOWL},
    {'p', 10, BOWL " 000i"},
    {'q', 10, BOWL " a0ai"},
    {'r', 7, "060i ~0d2h5i7i"},
    {'s', 9, "~9g5i1g2d7b985608"},
    {'t', 7, "3o39 ~395687 0i7i"},
    {'u', 10, "0i0b ~0b174677ab aia6"},
    {'v', 10, "0i56ai"},
    {'w', 14, "0i467fa6ei"},
    {'x', 10, "0ia6 ai06"},
    {'y', 10, "0i56 ai20"},
    {'z', 10, "0iai06a6"},
    {'{', 5, "~5q3n3i0f3c3754"},
    {'|', 0, "0q02"},
    {'}', 5, "~0q2n2i5f2c2704"},
    {'~', 10, "~0c2e5d8caeaf"},
    {0xb0, 6, "@3o6l3i0l"},              /* degree */
    {0xb2, 6, "~0m3o6m0g 0g6g"},         /* squared */
    {0xb3, 6, "~0n3o5m3k ~3k6i3g0h"},    /* cubed */
    {0xb5, 10, "000i ~0b174677ab aia6"}, /* micro */
    {0xb7, 0, "0f0f"},                   /* dot */
    {0xd7, 10, "0ha7 ah07"},             /* times */
    {0x2013, 10, "0cac"},                /* dash */
    {0x2026, 8, "0606 4646 8686"},       /* ellipsis */
    {0x2212, 10, "0cac"},                /* minus */
    {0xfffd, 10, "060oaoa606"},          /* what the font lacks */
};
#undef BOWL

#endif
