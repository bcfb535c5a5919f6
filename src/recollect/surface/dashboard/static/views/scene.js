// Points, lines and labels on a canvas with WebGL 2: the drawing of the graph and of the map.
//
// Positions are uploaded once. Panning and zooming slide and stretch the canvases, which are larger than their host:
// nothing is drawn until an edge comes into sight or the picture gets coarse. A frame that is drawn while the camera moves
// has only as many lines as there is time for; when it rests, more. Labels are text on a second canvas and never overlap.

import { el, fill, visible } from "../dom.js";

const VERTEX = `#version 300 es
uniform mat4 camera; uniform float zoom; uniform float least; uniform float middle;
in vec3 at; in float size; in vec4 tint; out vec4 colour; flat out float wide;
void main() {
  gl_Position = camera * vec4(at, 1.0);
  wide = size <= 0.0 ? 0.0 : max(size * zoom / gl_Position.w, least);
  gl_PointSize = wide;
  float behind = clamp(gl_Position.w - middle, 0.0, 1.0);
  colour = vec4(tint.rgb, tint.a * (1.0 - 0.6 * behind));
  if (size <= 0.0) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
}`;
const POINT = `#version 300 es
precision mediump float; uniform vec4 ground; in vec4 colour; flat in float wide; out vec4 paint;
void main() {
  vec2 off = gl_PointCoord - 0.5; float edge = 0.5 - length(off); float soft = 1.0 / wide;
  float shape = wide < 3.0 ? 1.0 : smoothstep(0.0, soft, edge);
  if (shape * colour.a < 0.02) discard;
  float rim = wide > 7.0 ? 1.0 - smoothstep(soft, 2.2 * soft, edge) : 0.0;
  paint = vec4(mix(colour.rgb, ground.rgb, rim), colour.a * shape);
}`;
const LINE = `#version 300 es
precision mediump float; uniform float strength; in vec4 colour; flat in float wide; out vec4 paint;
void main() { paint = vec4(colour.rgb, colour.a * strength); }`;

// A frame should take this long at most; the number of lines while moving follows from it.
const FRAME_MS = 24;
const FIRST_LINES = 12000;
const LEAST_LINES = 1500;
// The part of the host by which canvases that slide are larger, on each side.
const MARGIN = 0.25;
// A picture that is stretched more than this is drawn again.
const COARSE = 1.5;
// The strength of lines between islands against those inside: they are long, and would cover everything.
const FAINT = 0.3;
// The camera rests when it has not moved for this long after a frame, or for so many frames of a slow renderer.
const REST_MS = 160;
const REST_FRAMES = 4;
// At rest, so many times as many lines as while moving: a slow renderer must not stall when it could draw all.
const STILL = 10;

class Scene {
  // host: an element that the canvases fill.
  constructor(host, camera, { depth = false, slides = false } = {}) {
    this.host = host;
    this.margin = slides ? MARGIN : 0;
    this.camera = camera;
    this.canvas = document.createElement("canvas");
    this.overlay = document.createElement("canvas");
    this.overlay.className = "labels";
    for (const canvas of [this.canvas, this.overlay]) {
      Object.assign(canvas.style, { left: `${-100 * this.margin}%`, top: `${-100 * this.margin}%`, width: `${100 + 200 * this.margin}%`, height: `${100 + 200 * this.margin}%` });
      host.append(canvas);
    }
    this.gl = this.canvas.getContext("webgl2", { antialias: false, alpha: false, depth });
    if (!this.gl) throw new Error("no WebGL 2");
    this.text = this.overlay.getContext("2d");
    this.depth = depth;
    this.count = 0;
    this.lines = { inner: 0, outer: 0, marked: 0 };
    this.budget = FIRST_LINES;
    this.least = depth ? 2.5 : 1.5;
    this.labels = () => [];
    this.spent = 0;
    this.#prepare();
    this.observer = new ResizeObserver(() => this.#resize());
    this.observer.observe(host);
    this.canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
    this.canvas.addEventListener("webglcontextrestored", () => { this.#prepare(); this.#upload(); this.draw(); });
    this.#resize();
  }

  close() {
    this.observer.disconnect();
    cancelAnimationFrame(this.asked);
    clearTimeout(this.resting);
    this.gl.getExtension("WEBGL_lose_context")?.loseContext();
    this.canvas.remove();
    this.overlay.remove();
    this.closed = true;
  }

  #prepare() {
    const gl = this.gl;
    this.points = program(gl, VERTEX, POINT);
    this.strokes = program(gl, VERTEX, LINE);
    this.buffers = Object.fromEntries(["at", "size", "tint", "inner", "outer", "marked"].map((name) => [name, gl.createBuffer()]));
    this.shape = gl.createVertexArray();
    gl.bindVertexArray(this.shape);
    for (const [place, [name, width, kind]] of [["at", 3, gl.FLOAT], ["size", 1, gl.FLOAT], ["tint", 4, gl.UNSIGNED_BYTE]].entries()) {
      gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers[name]);
      gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(place, width, kind, kind === gl.UNSIGNED_BYTE, 0, 0);
    }
    gl.enable(gl.BLEND);
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  #resize() {
    if (this.closed) return;
    const ratio = Math.min(devicePixelRatio || 1, 2);
    this.width = Math.max(1, this.host.clientWidth);
    this.height = Math.max(1, this.host.clientHeight);
    this.ratio = ratio;
    Object.assign(this.camera, { width: this.width, height: this.height });
    this.beyond = [this.width * this.margin, this.height * this.margin];
    this.whole = [this.width + 2 * this.beyond[0], this.height + 2 * this.beyond[1]];
    for (const canvas of [this.canvas, this.overlay]) [canvas.width, canvas.height] = this.whole.map((side) => Math.round(side * ratio));
    this.draw();
  }

  // at: Float32Array of 3 per point; size: Float32Array in pixels, 0 hides; tint: Uint8Array of 4 per point.
  setPoints(at, size, tint) {
    Object.assign(this, { at, size, tint, count: size.length });
    for (const [name, data] of Object.entries({ at, size, tint })) this.#send(this.gl.ARRAY_BUFFER, name, data);
    this.draw();
  }

  // kind: "outer" lines are faint, "inner" ones less so, "marked" ones strong; ends: Uint32Array of 2 points per line.
  setLines(kind, ends) {
    this.lines[kind] = ends.length / 2;
    this[`${kind}Ends`] = ends;
    this.gl.bindVertexArray(this.shape);
    this.#send(this.gl.ELEMENT_ARRAY_BUFFER, kind, ends);
    this.draw();
  }

  #send(target, name, data) {
    this.gl.bindBuffer(target, this.buffers[name]);
    this.gl.bufferData(target, data, this.gl.DYNAMIC_DRAW);
  }

  #upload() {
    if (!this.count) return;
    this.setPoints(this.at, this.size, this.tint);
    for (const kind of Object.keys(this.lines)) if (this[`${kind}Ends`]) this.setLines(kind, this[`${kind}Ends`]);
  }

  // Draw soon. moving: the camera moves, so that the picture may be stretched, and lines left out, until it rests.
  draw({ moving = false } = {}) {
    if (this.closed) return;
    if (moving) {
      this.moving = true;
      clearTimeout(this.resting);
      if (!this.asked && this.#stretch()) { this.#restLater(); return; }
    }
    if (!this.asked) this.asked = requestAnimationFrame((now) => { this.asked = 0; this.#frame(now); });
  }

  // Move and scale the picture to where the camera is now; false if it would not fill the host, or be coarse.
  #stretch() {
    if (this.camera.turns || !this.drawnBy) return false;
    const now = this.camera.matrix(...this.whole), before = this.drawnBy, scale = now[0] / before[0];
    const way = [0, 1].map((axis) => (now[12 + axis] - scale * before[12 + axis]) / this.camera.eye * this.whole[axis] / 2);
    if (scale > COARSE || way.some((part, axis) => Math.abs(part) + this.whole[axis] / 2 - this.beyond[axis] > scale * this.whole[axis] / 2)) return false;
    this.matrix = now;
    this.#place(`translate(${way[0]}px, ${-way[1]}px) scale(${scale})`);
    return true;
  }

  // The camera rests: draw as many lines as there is time for. held: a finger or a button keeps it from resting.
  rest() {
    this.held = this.moving = false;
    this.draw();
  }

  #place(transform) {
    for (const canvas of [this.canvas, this.overlay]) canvas.style.transform = transform;
  }

  #restLater() {
    clearTimeout(this.resting);
    this.resting = setTimeout(() => (this.held ? this.#restLater() : this.rest()), Math.max(REST_MS, this.spent * REST_FRAMES));
  }

  #frame(now) {
    if (this.closed || !this.width) return;
    this.#place("");
    const gl = this.gl;
    const camera = this.matrix = this.drawnBy = this.camera.matrix(...this.whole);
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clearColor(...(this.ground || [1, 1, 1, 1]));
    gl.clear(gl.COLOR_BUFFER_BIT | (this.depth ? gl.DEPTH_BUFFER_BIT : 0));
    gl.bindVertexArray(this.shape);
    gl.disable(gl.DEPTH_TEST);
    const all = this.lines.inner + this.lines.outer;
    const share = Math.min(1, this.budget * (this.moving ? 1 : STILL) / Math.max(all, 1));
    // Fewer lines are drawn stronger, so that the picture keeps its weight.
    const strength = (this.lineStrength ?? 0.2) * Math.min(3, Math.sqrt(1 / share));
    this.#lines(camera, "outer", Math.round(this.lines.outer * share), Math.min(1, strength * FAINT));
    this.#lines(camera, "inner", Math.round(this.lines.inner * share), Math.min(1, strength));
    this.#lines(camera, "marked", this.lines.marked, 0.9);
    if (this.depth) gl.enable(gl.DEPTH_TEST);
    this.#use(this.points, camera);
    gl.uniform4fv(this.points.at.ground, this.ground || [1, 1, 1, 1]);
    gl.drawArrays(gl.POINTS, 0, this.count);
    this.#drawLabels();
    this.drawn?.();
    if (!this.moving) return;
    requestAnimationFrame((next) => this.#adapt(next - now));
    this.#restLater();
  }

  #lines(camera, kind, shown, strength) {
    if (!shown) return;
    const gl = this.gl;
    this.#use(this.strokes, camera);
    gl.uniform1f(this.strokes.at.strength, strength);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.buffers[kind]);
    gl.drawElements(gl.LINES, shown * 2, gl.UNSIGNED_INT, 0);
  }

  #use(program, camera) {
    const gl = this.gl;
    gl.useProgram(program.id);
    gl.uniformMatrix4fv(program.at.camera, false, camera);
    gl.uniform1f(program.at.zoom, this.camera.magnification * this.ratio);
    gl.uniform1f(program.at.least, this.least * this.ratio);
    gl.uniform1f(program.at.middle, this.camera.eye);
  }

  // Draw fewer lines after a slow frame, more after a fast one.
  #adapt(spent) {
    this.spent = spent;
    if (spent > FRAME_MS) this.budget = Math.max(LEAST_LINES, this.budget * 0.85);
    else if (spent < FRAME_MS * 0.75) this.budget = Math.min(Math.max(this.lines.inner + this.lines.outer, LEAST_LINES), this.budget * 1.04);
  }

  // --- places on the screen ---

  // The pixel of a point as [x, y, width of the point], or null behind the camera.
  place(number) {
    const m = this.matrix, p = this.at, k = number * 3;
    const w = m[3] * p[k] + m[7] * p[k + 1] + m[11] * p[k + 2] + m[15];
    if (w <= 0) return null;
    const x = (m[0] * p[k] + m[4] * p[k + 1] + m[8] * p[k + 2] + m[12]) / w;
    const y = (m[1] * p[k] + m[5] * p[k + 1] + m[9] * p[k + 2] + m[13]) / w;
    return [(x + 1) / 2 * this.whole[0] - this.beyond[0], (1 - y) / 2 * this.whole[1] - this.beyond[1], Math.max(this.size[number] * this.camera.magnification / w, this.least)];
  }

  // The point under a pixel, the most prominent of those within reach; -1: none.
  hit(x, y, reach = 8) {
    if (!this.matrix) return -1;
    let best = -1, nearest = Infinity;
    for (let number = 0; number < this.count; number += 1) {
      if (this.size[number] <= 0) continue;
      const place = this.place(number);
      if (!place) continue;
      const away = Math.hypot(place[0] - x, place[1] - y) - place[2] / 2;
      if (away < reach && away < nearest) { nearest = away; best = number; }
    }
    return best;
  }

  // --- labels ---

  // labels(): [number of a point or [x, y], text, {strong, centre}] in order of importance; drawn where there is room.
  #drawLabels() {
    const pen = this.text, ratio = this.ratio, [wide, high] = this.beyond;
    pen.setTransform(ratio, 0, 0, ratio, wide * ratio, high * ratio);
    pen.clearRect(-wide, -high, ...this.whole);
    const taken = new Boxes(...this.whole);
    const [ink, halo] = this.inks || ["#000", "#fff"];
    pen.textBaseline = "middle";
    pen.lineJoin = "round";
    pen.lineWidth = 3;
    pen.strokeStyle = halo;
    let room = Math.round(Math.min(60, Math.max(10, this.width * this.height / 16000)));
    for (const [what, words, { strong = false, centre = false, always = false, colour = "" } = {}] of this.labels()) {
      if (room <= 0) break;
      const place = typeof what === "number" ? this.place(what) : what;
      if (!place || place[0] < -wide || place[1] < -high || place[0] > this.width + wide || place[1] > this.height + high) continue;
      const text = short(words);
      pen.font = `${strong ? "600 13px" : "12px"} ui-sans-serif, system-ui, "Segoe UI", sans-serif`;
      const width = pen.measureText(text).width;
      const beside = (place[2] || 0) / 2 + 4;
      let x = centre ? place[0] - width / 2 : place[0] + beside;
      if (!centre && x < this.width && x + width > this.width) x = place[0] - beside - width;
      if (centre && place[0] >= 0 && place[0] <= this.width) x = Math.max(6, Math.min(x, this.width - width - 6));
      if (!taken.claim(x - 3 + wide, place[1] - 9 + high, width + 6, 18) && !always) continue;
      if (centre) {
        pen.globalAlpha = 0.8;
        pen.fillStyle = halo;
        pen.beginPath();
        pen.roundRect(x - 5, place[1] - 10, width + 10, 20, 6);
        pen.fill();
        pen.globalAlpha = 1;
      } else pen.strokeText(text, x, place[1]);
      pen.fillStyle = colour || ink;
      pen.fillText(text, x, place[1]);
      room -= 1;
    }
  }
}

// A scene, or without WebGL something that draws nothing, with a line that says so: the lists still work.
export function sceneIn(host, camera, options) {
  try {
    return new Scene(host, camera, options);
  } catch (problem) {
    fill(host, el("p.empty.quiet", null, "This browser cannot draw: it has no WebGL 2. The list has everything."));
    const nothing = () => {};
    return { canvas: host, size: [], lines: { inner: 0, outer: 0 }, hit: () => -1, place: () => null, close: nothing,
      draw() { this.drawn?.(); }, setLines: nothing, setPoints(_at, size) { this.size = size; this.draw(); } };
  }
}

const MOST_LETTERS = 42;
export function short(words) {
  const text = visible(words.replace(/\s+/g, " "));
  return text.length > MOST_LETTERS ? `${text.slice(0, MOST_LETTERS - 1)}…` : text;
}

// Rectangles that labels have taken, by cells of a coarse grid.
class Boxes {
  constructor(width, height) {
    this.columns = Math.ceil(width / 12) + 1;
    this.rows = Math.ceil(height / 9) + 1;
    this.cells = new Uint8Array(this.columns * this.rows);
  }

  claim(x, y, width, height) {
    const left = Math.max(0, Math.floor(x / 12)), right = Math.min(this.columns - 1, Math.floor((x + width) / 12));
    const top = Math.max(0, Math.floor(y / 9)), bottom = Math.min(this.rows - 1, Math.floor((y + height) / 9));
    for (let row = top; row <= bottom; row += 1) {
      for (let column = left; column <= right; column += 1) if (this.cells[row * this.columns + column]) return false;
    }
    for (let row = top; row <= bottom; row += 1) this.cells.fill(1, row * this.columns + left, row * this.columns + right + 1);
    return true;
  }
}

function program(gl, vertex, fragment) {
  const id = gl.createProgram();
  for (const [kind, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(id, shader);
  }
  for (const [place, name] of ["at", "size", "tint"].entries()) gl.bindAttribLocation(id, place, name);
  gl.linkProgram(id);
  if (!gl.getProgramParameter(id, gl.LINK_STATUS) && !gl.isContextLost()) throw new Error(gl.getProgramInfoLog(id));
  const at = Object.fromEntries(["camera", "zoom", "least", "middle", "strength", "ground"].map((name) => [name, gl.getUniformLocation(id, name)]));
  return { id, at };
}

// --- colours ---

// Twelve hues that stay apart in both themes. They repeat: what has the same one lies apart.
const LIGHT = ["#4453c9", "#d1495b", "#2a9d5c", "#d98324", "#8250c4", "#1593a5", "#b5791b", "#c2478f", "#5b8c2a", "#3a7bd5", "#a0522d", "#5f6b7a"];
const DARK = ["#8f9bff", "#ff8296", "#5fd196", "#ffb45e", "#be97ff", "#4fd0e0", "#e3c04f", "#ff8fce", "#a5d65c", "#78b4ff", "#e09a70", "#9aa5b1"];

export const colour = (place, dark) => (dark ? DARK : LIGHT)[place % LIGHT.length];

export function rgb(hex) {
  const value = parseInt(hex.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

// A colour between two, for a share from 0 to 1.
export function blend(from, to, share) {
  const [a, b] = [rgb(from), rgb(to)];
  return a.map((part, place) => Math.round(part + (b[place] - part) * share));
}

export function token(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
