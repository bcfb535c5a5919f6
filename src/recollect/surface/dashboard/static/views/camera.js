// The camera of a drawing: points within about 1 of the middle, seen flat, or in space by an eye that goes around them.

// The closest and the farthest zoom, as multiples of the one that shows everything.
const CLOSEST = 400;
const FARTHEST = 0.5;
// The part of the shorter side that a drawing with a radius of 1 fills.
const SHARE = 0.93;
const RADIANS_PER_PIXEL = 0.006;
// The shorter side, in pixels, from which on points have their full size.
const USUAL_SIDE = 700;

export class Camera {
  // eye: its distance from the middle; turns: dragging goes around the middle.
  constructor({ eye = 1, turns = false } = {}) {
    Object.assign(this, { eye, turns, yaw: 0.6, pitch: 0.35, width: 1, height: 1 });
    this.fit();
  }

  // Show everything within this distance from the middle.
  fit(radius = 1) {
    Object.assign(this, { x: 0, y: 0, zoom: 1 / radius, fitted: 1 / radius });
  }

  // Pixels per unit.
  get scale() {
    return Math.min(this.width, this.height) / 2 * SHARE * this.zoom;
  }

  // Show a square of this width around a place.
  look(x, y, wide) {
    Object.assign(this, { x, y, zoom: within(this.fitted, 2 / wide, this.fitted * CLOSEST) });
  }

  drag(x, y) {
    if (!this.turns) { this.pan(x, y); return; }
    this.yaw += x * RADIANS_PER_PIXEL;
    this.pitch = within(-1.5, this.pitch + y * RADIANS_PER_PIXEL, 1.5);
  }

  pan(x, y) {
    this.x -= x / this.scale;
    this.y += y / this.scale;
  }

  // The place under the pixel stays where it is.
  zoomBy(factor, x = this.width / 2, y = this.height / 2) {
    const before = this.scale;
    this.zoom = within(this.fitted * FARTHEST, this.zoom * factor, this.fitted * CLOSEST);
    const [right, up] = [x - this.width / 2, this.height / 2 - y];
    this.x += right / before - right / this.scale;
    this.y += up / before - up / this.scale;
  }

  // The factor for the size of points: they grow slower than distances, and are smaller on a small screen.
  get magnification() {
    return within(0.8, (this.zoom / this.fitted) ** 0.5, 5) * Math.min(1, Math.sqrt(Math.min(this.width, this.height) / USUAL_SIDE));
  }

  // The 4 × 4 matrix, by columns, for a canvas of this size with the same middle.
  matrix(width, height) {
    const { yaw, pitch } = this.turns ? this : { yaw: 0, pitch: 0 };
    const [cy, sy, cp, sp] = [Math.cos(yaw), Math.sin(yaw), Math.cos(pitch), Math.sin(pitch)];
    const [a, b] = [2 * this.scale / width * this.eye, 2 * this.scale / height * this.eye];
    // Rows of the rotation: right, up, and towards the eye.
    const right = [cy, 0, -sy], up = [sp * sy, cp, sp * cy], near = this.turns ? [cp * sy, -sp, cp * cy] : [0, 0, 0];
    const column = (axis) => [right[axis] * a, up[axis] * b, near[axis] * -0.2, -near[axis]];
    return new Float32Array([...column(0), ...column(1), ...column(2), -this.x * a, -this.y * b, 0, this.eye]);
  }
}

const within = (least, value, most) => Math.min(most, Math.max(least, value));
