// Light is computed in world space: a sun with a shadow map, and the sky. Bodies are placed on the
// graphics card between two frames (mixing), so that nothing is sent while time runs between them.

const placing = `
uniform float mixing, grow;
uniform vec4 cut; // hide what lies beyond: dot(cut.xyz, x) > cut.w
attribute vec3 place0, place1, size, data; // data: value now, value next, number
attribute vec4 turn0, turn1;
vec3 rotate(vec4 q, vec3 v) { return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v); }
vec4 turned() { return normalize(mix(turn0, dot(turn0, turn1) < 0.0 ? -turn1 : turn1, mixing)); }
vec3 placed() { return mix(place0, place1, mixing); }
`;

const colouring = `
uniform sampler2D map;
uniform vec4 range; // least, 1 / span, 1: logarithmic
uniform vec3 plain; // of what has no value
uniform float selected;
vec3 colourOf(vec2 values, float t, float number) {
  vec3 c = plain;
  if (values.x > -1e29) {
    float v = mix(values.x, values.y, t);
    if (range.z > 0.5) v = log(max(v, 1e-30));
    c = texture2D(map, vec2(clamp((v - range.x) * range.y, 0.0, 1.0), 0.5)).rgb;
  }
  if (abs(number - selected) < 0.5) c = mix(c, vec3(1.0, 0.95, 0.55), 0.75);
  return pow(c, vec3(2.2));
}
`;

const lighting = `
uniform vec3 sun, sunColour, skyColour, groundColour;
uniform sampler2D shadowMap;
uniform mat4 shadowMatrix;
uniform vec3 shadowing; // on, size of a texel, bias
uniform float mode; // 0: picture, 1: number of the body, 2: depth
float lit(vec3 x, vec3 n) {
  if (shadowing.x < 0.5) return 1.0;
  vec4 p = shadowMatrix * vec4(x + n * shadowing.z, 1.0);
  vec3 s = p.xyz / p.w;
  if (s.x < 0.0 || s.x > 1.0 || s.y < 0.0 || s.y > 1.0 || s.z > 1.0) return 1.0;
  float sum = 0.0;
  for (int i = 0; i < 4; i++) {
    vec2 o = vec2(i < 2 ? -0.75 : 0.75, i == 0 || i == 2 ? -0.75 : 0.75) * shadowing.y;
    sum += step(s.z - 0.0006, texture2D(shadowMap, s.xy + o).r);
  }
  return 0.25 * sum;
}
vec3 shade(vec3 albedo, vec3 x, vec3 n, vec3 eye) {
  float up = 0.5 + 0.5 * n.z;
  float facing = max(dot(n, sun), 0.0);
  float light = facing > 0.0 ? lit(x, n) : 0.0;
  vec3 h = normalize(sun + eye);
  float shine = pow(max(dot(n, h), 0.0), 48.0) * 0.22 * light;
  float rim = pow(1.0 - max(dot(n, eye), 0.0), 3.0) * 0.10;
  vec3 c = albedo * (mix(groundColour, skyColour, up) + sunColour * facing * light);
  c += sunColour * shine + skyColour * rim * 0.6;
  return pow(c / (1.0 + 0.12 * c), vec3(1.0 / 2.2));
}
vec4 numbered(float number) {
  float n = number + 1.0;
  return vec4(mod(n, 256.0), mod(floor(n / 256.0), 256.0), floor(n / 65536.0), 255.0) / 255.0;
}
`;

export const meshVertex = `
${placing}
varying vec3 at, facing;
varying vec2 values;
varying float number;
#ifdef CAPSULE
vec3 shaped() { return vec3(position.xy, position.z) * size.x + vec3(0.0, 0.0, sign(position.z) * size.z); }
vec3 bent() { return normal; }
#else
vec3 shaped() { return position * size; }
vec3 bent() { return normal / size; }
#endif
void main() {
  vec4 q = turned();
  vec3 x = placed();
#ifdef SKIN
  at = x;
#elif defined(WALL)
  at = x + rotate(q, shaped());
#else
  at = x + rotate(q, shaped() * grow);
#endif
#ifndef FLAT
  facing = rotate(q, normalize(bent()));
#endif
  values = data.xy;
  number = data.z;
  gl_Position = projectionMatrix * viewMatrix * vec4(at, 1.0);
#ifdef SKIN
  if (grow <= 0.0) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
#elif !defined(WALL)
  if (dot(cut.xyz, x) > cut.w) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
#endif
}
`;

export const meshFragment = `
uniform float mixing;
uniform float wallGlass;
uniform vec4 cut;
${colouring}
${lighting}
varying vec3 at, facing;
varying vec2 values;
varying float number;
void main() {
#ifdef SKIN
  if (dot(cut.xyz, at) > cut.w) discard;
#endif
#ifdef WALL
  if (dot(cut.xyz, at) > cut.w || (wallGlass > 0.5 && mode > 0.5)) discard;
#endif
  if (mode > 1.5) { gl_FragColor = vec4(1.0); return; }
  if (mode > 0.5) { gl_FragColor = numbered(number); return; }
  vec3 eye = normalize(cameraPosition - at);
#ifdef FLAT
  vec3 n = normalize(cross(dFdx(at), dFdy(at)));
#else
  vec3 n = normalize(facing);
#endif
  if (dot(n, eye) < 0.0) n = -n;
#ifdef WALL
  if (wallGlass > 0.5) {
    float edge = pow(1.0 - dot(n, eye), 2.5);
    gl_FragColor = vec4(mix(plain, vec3(0.45, 0.6, 0.75), 0.5), 0.12 + 0.4 * edge);
    return;
  }
#endif
  gl_FragColor = vec4(shade(colourOf(values, mixing, number), at, n, eye), 1.0);
}
`;

// A ball is a square turned to the eye, on which each point finds the ball by itself.
export const ballVertex = `
${placing}
varying vec3 middle, ray, at;
varying vec4 q;
varying vec2 values;
varying vec2 numberRadius;
void main() {
  vec3 x = placed();
  q = turned();
  middle = x;
  vec3 d = x - cameraPosition;
  float far = length(d), r = size.x * grow;
  bool parallel = projectionMatrix[3][3] > 0.5;
  vec3 forward = parallel ? -vec3(viewMatrix[0][2], viewMatrix[1][2], viewMatrix[2][2]) : d / far;
  float s = parallel ? r : r * far / sqrt(max(far * far - r * r, 1e-4 * r * r));
  vec3 u = normalize(abs(forward.z) < 0.9 ? cross(forward, vec3(0.0, 0.0, 1.0)) : cross(forward, vec3(1.0, 0.0, 0.0)));
  vec3 v = cross(u, forward);
  at = x + s * (position.x * u + position.y * v);
  ray = parallel ? forward : at - cameraPosition;
  if (parallel) at -= forward * 4.0 * r;
  values = data.xy;
  numberRadius = vec2(data.z, r);
  vec4 p = projectionMatrix * viewMatrix * vec4(x + s * (position.x * u + position.y * v), 1.0);
  gl_Position = p;
  if (dot(cut.xyz, x) > cut.w || grow <= 0.0) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
}
`;

export const ballFragment = `
uniform float mixing, pattern;
uniform mat4 projectionMatrix;
${colouring}
${lighting}
varying vec3 middle, ray, at;
varying vec4 q;
varying vec2 values;
varying vec2 numberRadius;
vec3 unrotate(vec4 p, vec3 v) { return v + 2.0 * cross(p.xyz, cross(p.xyz, v) - p.w * v); }
void main() {
  vec3 d = normalize(ray), o = at - middle;
  float r = numberRadius.y, b = dot(o, d);
  vec3 near = o - b * d;
  float h = r * r - dot(near, near);
  if (h < 0.0) discard;
  vec3 local = near - sqrt(h) * d, x = middle + local, n = local / r;
  vec4 p = projectionMatrix * viewMatrix * vec4(x, 1.0);
  gl_FragDepth = clamp(0.5 + 0.5 * p.z / p.w, 0.0, 1.0);
  if (mode > 1.5) { gl_FragColor = vec4(1.0); return; }
  if (mode > 0.5) { gl_FragColor = numbered(numberRadius.x); return; }
  vec3 c = colourOf(values, mixing, numberRadius.x);
  if (pattern > 0.0) {
    vec3 l = unrotate(normalize(q), n);
    c *= 1.0 - pattern * step(l.x * l.y * l.z, 0.0);
  }
  gl_FragColor = vec4(shade(c, x, n, -d), 1.0);
}
`;

// Very many small balls: points that look round, with all that can be told beforehand told once a ball.
// Light and sky are seen from the disc: x and y in it, z to the eye. Points, as a renderer without a
// graphics card takes each instance for a drawing of its own.
export const discVertex = `
${placing}
${colouring}
uniform vec3 sun;
uniform float pixels; // of a metre at a distance of one
varying vec3 light, above, tint;
varying float number;
void main() {
  vec3 x = placed(), d = x - cameraPosition;
  float far = length(d);
  vec3 forward = d / far;
  vec3 u = normalize(abs(forward.z) < 0.9 ? cross(forward, vec3(0.0, 0.0, 1.0)) : cross(forward, vec3(1.0, 0.0, 0.0)));
  vec3 v = cross(u, forward);
  light = vec3(dot(sun, u), dot(sun, v), -dot(sun, forward));
  above = vec3(u.z, v.z, -forward.z);
  tint = colourOf(data.xy, mixing, data.z);
  number = data.z;
  gl_Position = projectionMatrix * viewMatrix * vec4(x, 1.0);
  gl_PointSize = max(2.0 * size.x * grow * pixels / gl_Position.w, 1.0);
  if (dot(cut.xyz, x) > cut.w || grow <= 0.0) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
}
`;

export const discFragment = `
uniform vec3 sunColour, skyColour, groundColour;
uniform float mode;
varying vec3 light, above, tint;
varying float number;
void main() {
  vec2 spot = vec2(2.0, -2.0) * gl_PointCoord + vec2(-1.0, 1.0);
  float depth = 1.0 - dot(spot, spot);
  if (depth < 0.0) discard;
  vec3 n = vec3(spot, sqrt(depth));
  vec3 c = tint * (mix(groundColour, skyColour, 0.5 + 0.5 * dot(n, above)) + sunColour * max(dot(n, light), 0.0));
  gl_FragColor = vec4(sqrt(c * 0.9), 1.0);
  if (mode > 0.5) {
    float k = number + 1.0;
    gl_FragColor = vec4(mod(k, 256.0), mod(floor(k / 256.0), 256.0), floor(k / 65536.0), 255.0) / 255.0;
  }
}
`;

// Floors: without end, so they fade out.
export const floorVertex = `
varying vec3 at;
varying vec2 flat2;
void main() {
  at = (modelMatrix * vec4(position, 1.0)).xyz;
  flat2 = position.xy;
  gl_Position = projectionMatrix * viewMatrix * vec4(at, 1.0);
}
`;

export const floorFragment = `
${lighting}
uniform vec3 tone, backdrop, normalUp, middle;
uniform float reach, cell;
varying vec3 at;
varying vec2 flat2;
float lines(vec2 p) {
  vec2 w = fwidth(p), g = abs(fract(p - 0.5) - 0.5) / max(w, vec2(1e-6));
  return (1.0 - min(min(g.x, g.y), 1.0)) * clamp(0.4 / max(w.x, w.y) - 0.4, 0.0, 1.0);
}
void main() {
  if (mode > 0.5) discard;
  vec3 eye = normalize(cameraPosition - at);
  float light = lit(at, normalUp);
  vec3 c = tone * (0.80 + 0.20 * light);
  c = mix(c, c * 0.86, 0.55 * lines(flat2 / cell) + 0.45 * lines(flat2 / (cell * 5.0)));
  float away = length(at - middle) / reach;
  float fade = smoothstep(1.0, 0.35, away);
  float under = dot(eye, normalUp) < 0.0 ? 0.35 : 1.0;
  gl_FragColor = vec4(mix(backdrop, c, fade), fade * under);
}
`;

// Walls of glass: seen where they turn away from the eye.
export const glassVertex = `
varying vec3 at, facing;
uniform vec4 cut;
void main() {
  at = (modelMatrix * vec4(position, 1.0)).xyz;
  facing = normalize(mat3(modelMatrix) * normal);
  gl_Position = projectionMatrix * viewMatrix * vec4(at, 1.0);
}
`;

export const glassFragment = `
varying vec3 at, facing;
uniform vec4 cut;
uniform vec3 tone, sun;
uniform float strength, mode;
void main() {
  if (mode > 0.5 || dot(cut.xyz, at) > cut.w) discard;
  vec3 eye = normalize(cameraPosition - at), n = normalize(facing);
  if (dot(n, eye) < 0.0) n = -n;
  float edge = pow(1.0 - dot(n, eye), 2.5);
  float shine = pow(max(dot(n, normalize(sun + eye)), 0.0), 80.0);
  gl_FragColor = vec4(tone + 0.5 * shine, strength * (0.10 + 0.55 * edge + 0.5 * shine));
}
`;

// Forces: cylinders between points, thick as they are strong.
export const linkVertex = `
attribute vec3 from, to;
attribute vec2 look; // radius, value 0 … 1
uniform vec4 cut;
varying vec3 at, facing;
varying float strong;
void main() {
  vec3 d = to - from;
  float l = max(length(d), 1e-9);
  d /= l;
  vec3 u = normalize(abs(d.z) < 0.9 ? cross(d, vec3(0.0, 0.0, 1.0)) : cross(d, vec3(1.0, 0.0, 0.0)));
  vec3 v = cross(d, u);
  facing = position.x * u + position.y * v;
  at = from + d * l * position.z + facing * look.x;
  strong = look.y;
  gl_Position = projectionMatrix * viewMatrix * vec4(at, 1.0);
  if (dot(cut.xyz, from) > cut.w) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
}
`;

export const linkFragment = `
${lighting}
uniform sampler2D map;
varying vec3 at, facing;
varying float strong;
void main() {
  if (mode > 0.5) discard;
  vec3 c = pow(texture2D(map, vec2(strong, 0.5)).rgb, vec3(2.2));
  vec3 eye = normalize(cameraPosition - at), n = normalize(facing);
  gl_FragColor = vec4(shade(c, at, n, eye), 1.0);
}
`;
