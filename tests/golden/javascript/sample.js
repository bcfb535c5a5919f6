#!/usr/bin/env node
'use strict';

import Router, { json as parseJson, static as files } from 'express';
import * as path from "node:path";
import './polyfill.js';
const fs = require('fs'), { readFile, writeFile: write } = require("fs/promises");
export * from './errors.js';
export { default as Queue } from './queue.js';

const MAX_SIZE = 1 << 20;
export const VERSION = '1.0';
let counter = 0;

/**
 * Keeps files in memory.
 * @param {string} root where they come from
 */
export default class Store extends EventEmitter {
  static DEFAULT = new Store('.');
  #files = new Map();
  onChange = (name) => this.emit('change', name);

  constructor(root) {
    super();
    this.root = path.resolve(root);
  }

  get size() { return this.#files.size; }

  // Reads one file, or all of them.
  async *read(name, { encoding = 'utf8', ...rest } = {}) {
    if (!name) {
      for (const each of this.#files.keys()) yield* this.read(each);
    } else {
      yield await readFile(path.join(this.root, name), encoding);
    }
  }

  #evict() { this.#files?.clear(); }
}

function* ids() { while (true) yield counter++; }

const sum = (a, b) => a + b, identity = function named(x) { return x; };

export const handlers = {
  list(req, res) { res.send([...store.files()]); },
  create: async (req, res) => { await write(req.body); },
  'delete-all': function () { return sum(1, 2); },
};

Store.prototype.legacy = function (a, b) { return a ? b : sum.apply(null, [a, b]); };
exports.helper = () => ids;
module.exports.other = function () {};

const app = Router();
app.get('/files/:name', parseJson(), handlers.list);
app.use(files('public'));
app.post("/files", async (req, res) => {
  const saved = await handlers.create(req, res);
  res.json(saved);
});

describe('Store', () => {
  beforeEach(() => reset());
  it('reads what it wrote', async () => {
    expect(new Store.Memory().read('a')).toBe(1);
  });
  test.each([1, 2])("adds %d", (n) => sum(n, n));
});

const View = ({ items }) => <List.Item onClick={ids} key="a  b"> text <b/> </List.Item>;
export { sum, identity as same };
