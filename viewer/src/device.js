// What the pictures are drawn with.

// Without a graphics card pictures are drawn by the processor: smaller shadows, no smoothing of edges,
// and each instance costs as much as a drawing of its own.
export const software = (() => {
  const gl = document.createElement('canvas').getContext('webgl2');
  const info = gl?.getExtension('WEBGL_debug_renderer_info');
  const name = info ? gl.getParameter(info.UNMASKED_RENDERER_WEBGL) : '';
  gl?.getExtension('WEBGL_lose_context')?.loseContext();
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
})();
// Balls from which on hidden ones are looked for, and small ones are drawn as points.
export const MANY = software ? 500 : 15000;
// Moving bodies up to which there are shadows at first.
export const SHADOWED = software ? 500 : 20000;
