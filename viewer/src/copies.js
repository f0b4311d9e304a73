// One geometry that holds a unit many times, and rows of numbers for each copy.
import * as THREE from 'three';

export function repeated(attribute, times) {
  const array = new Float32Array(times * attribute.array.length);
  for (let i = 0; i < times; i++) array.set(attribute.array, i * attribute.array.length);
  return new THREE.BufferAttribute(array, attribute.itemSize);
}

export function repeatedIndex(unit, times) {
  const corners = unit.attributes.position.count, one = unit.index?.array ?? Uint32Array.from({ length: corners }, (_, i) => i);
  const array = new Uint32Array(times * one.length);
  for (let i = 0; i < times; i++) for (let k = 0; k < one.length; k++) array[i * one.length + k] = one[k] + i * corners;
  return new THREE.BufferAttribute(array, 1);
}

// A row for each copy goes to all corners of it, and to the graphics card.
export function spread(from, attribute, count, corners) {
  const width = attribute.itemSize, to = attribute.array;
  if (to !== from)
    for (let k = 0, at = 0; k < count; k++)
      for (let c = 0; c < corners; c++) for (let i = width * k; i < width * (k + 1); i++) to[at++] = from[i];
  attribute.clearUpdateRanges();
  attribute.addUpdateRange(0, width * count * corners);
  attribute.needsUpdate = true;
}
