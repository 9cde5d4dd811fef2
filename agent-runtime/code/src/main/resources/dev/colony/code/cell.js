// Executes one cell. Whatever the cell does to its globals it does to itself: the host believes
// nothing of what it is told here, and what this function needs later it has taken before.
(function (invoke, setup) {
  'use strict';
  const { parse, stringify } = JSON;
  const { defineProperty, getOwnPropertyNames, getOwnPropertyDescriptor, freeze, create, keys } =
    Object;
  const isArray = Array.isArray;
  const evaluate = globalThis.eval;
  const text = globalThis.String;
  const unkeepable = [Map, Set, WeakMap, WeakSet, Promise, RegExp];
  const world = globalThis;
  const UNTOUCHED = freeze({});
  const COMPLETED = freeze({});
  let full = false;
  let capturing = false;
  let thunks;

  class ActionError extends Error {
    constructor(message, action, status) {
      super(message);
      this.name = 'ActionError';
      this.action = action;
      this.status = status;
    }
  }

  const written = (value) => {
    if (typeof value === 'string') return value;
    if (typeof value === 'function') return '[function ' + value.name + ']';
    if (value instanceof Error) return value.name + ': ' + value.message;
    if (typeof value === 'bigint' || typeof value === 'symbol') return text(value);
    const json = stringify(value);
    return json === undefined ? text(value) : json;
  };

  const print = (...values) => {
    let line = '';
    for (let i = 0; i < values.length && !full; i++) {
      line += (i === 0 ? '' : ' ') + written(values[i]).slice(0, setup.outputChars + 1);
    }
    if (!full) {
      full = invoke('', 'print', line.slice(0, setup.outputChars + 1)) === 'full';
    }
  };

  const show = (value, from = 0, to = from + 2000) => {
    const all = written(value);
    print(all.slice(from, to), '[' + from + ' to ' + to + ' of ' + all.length + ' characters]');
  };

  const complete = (result) => {
    const json = stringify(result === undefined ? null : result);
    const refused = invoke('', 'complete', json === undefined ? 'null' : json);
    if (refused !== 'ok') throw new TypeError(refused);
    throw COMPLETED;
  };

  const call = (name, key, values) => {
    const given = values.length === 0 ? {} : values[0];
    if (values.length > 1 || given === null || typeof given !== 'object' || isArray(given)) {
      throw new TypeError(name + ' takes one object with its parameters by name');
    }
    const answer = parse(invoke(key, 'call', stringify(given)));
    if (answer.error !== undefined) throw new ActionError(answer.error, name, answer.status);
    return answer.value;
  };

  const fixed = (name, value) =>
    defineProperty(world, name, { value, writable: false, configurable: false, enumerable: false });

  let seed = setup.seed | 0;
  Math.random = () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };

  for (const name of ['java_invoke', 'Javy', 'plugin']) delete world[name];
  world.console = freeze({ log: print, info: print, warn: print, error: print, debug: print });
  fixed('print', print);
  fixed('show', show);
  fixed('complete', complete);
  fixed('ActionError', ActionError);
  for (const group of keys(setup.groups)) {
    const functions = {};
    for (const name of keys(setup.groups[group])) {
      const key = setup.groups[group][name];
      const shown = group + '.' + name;
      functions[name] = (...values) => call(shown, key, values);
    }
    fixed(group, freeze(functions));
  }

  const initial = create(null);
  const builtin = getOwnPropertyNames(world);
  for (let i = 0; i < builtin.length; i++) initial[builtin[i]] = world[builtin[i]];

  const hold = (name, value) =>
    defineProperty(world, name, { value, writable: true, configurable: true, enumerable: true });
  for (const name of setup.variables) {
    if (name in initial) continue;
    defineProperty(world, name, {
      configurable: true,
      enumerable: true,
      get() {
        if (capturing) return UNTOUCHED;
        const value = parse(invoke(name, 'variable', ''));
        hold(name, value);
        return value;
      },
      set(value) {
        hold(name, value);
      },
    });
  }

  const kept = create(null);
  const keep = (name, value) => {
    if (kept[name] || value === UNTOUCHED || (name in initial && initial[name] === value)) return;
    kept[name] = true;
    if (value === undefined) {
      invoke(name, 'drop', '');
      return;
    }
    const type = typeof value;
    if (type === 'function' || type === 'symbol' || type === 'bigint') {
      invoke(name, 'unkept', 'it is a ' + type);
      return;
    }
    for (let i = 0; i < unkeepable.length; i++) {
      if (value instanceof unkeepable[i]) {
        invoke(name, 'unkept', 'it is a ' + unkeepable[i].name);
        return;
      }
    }
    let json;
    try {
      json = stringify(value);
    } catch (e) {
      json = undefined;
    }
    if (json === undefined) {
      invoke(name, 'unkept', 'it has no JSON form');
    } else {
      invoke(name, 'keep', json);
    }
  };

  const capture = () => {
    capturing = true;
    const names = setup.identifiers;
    for (let i = 0; thunks !== undefined && i < names.length; i++) {
      let value;
      try {
        value = thunks[names[i]]();
      } catch (e) {
        continue;
      }
      keep(names[i], value);
    }
    const now = getOwnPropertyNames(world);
    for (let i = 0; i < now.length; i++) {
      const found = getOwnPropertyDescriptor(world, now[i]);
      if (!(now[i] in initial) && found !== undefined && 'value' in found) {
        keep(now[i], found.value);
      }
    }
  };

  const report = (thrown) => {
    if (thrown === COMPLETED) return;
    let name = 'Error';
    let message = '';
    let line = 0;
    try {
      if (thrown !== null && typeof thrown === 'object') {
        name = text(thrown.name);
        message = text(thrown.message);
        const at = /<input>:(\d+)/.exec(text(thrown.stack));
        line = at === null ? 0 : +at[1];
      } else {
        name = 'Thrown';
        message = written(thrown);
      }
    } catch (e) {
      message = 'what was thrown cannot be read';
    }
    invoke('', 'error', stringify({ name: name.slice(0, 100), message: message.slice(0, 2000), line }));
  };

  let references = '';
  for (let i = 0; i < setup.identifiers.length; i++) {
    references += setup.identifiers[i] + ':()=>' + setup.identifiers[i] + ',';
  }
  let cell;
  try {
    // The references to its variables stand on the cell's first line, so that lines keep their numbers.
    cell = evaluate(
      '(async function cell($colony_scope){$colony_scope({' + references + '});' + setup.source + '\n})'
    );
  } catch (e) {
    report(e);
    invoke('', 'end', '');
    return;
  }
  (async () => {
    try {
      const returned = await cell((all) => {
        thunks = all;
      });
      if (returned !== undefined) print(returned);
    } catch (e) {
      report(e);
    }
    capture();
    invoke('', 'end', '');
  })();
})
