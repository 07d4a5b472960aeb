const { ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');

/**
 * Test files run in the context of the process, one after another. What a file changes of global objects and of the
 * environment's variables is undone after it.
 */
class ProcessEnvironment {
  global = globalThis;
  #properties = describe(globalThis);
  #exit = process.exit;
  #variables = { ...process.env };

  constructor({ projectConfig: config }) {
    // jest-circus adds its handlers of each file to this list.
    delete globalThis[Symbol.for('EVENT_HANDLERS')];
    this.moduleMocker = new ModuleMocker(globalThis);
    this.fakeTimers = new ModernFakeTimers({ config, global: globalThis });
    this.fakeTimersModern = this.fakeTimers;
  }

  getVmContext() {
    return globalThis;
  }

  exportConditions() {
    return ['node', 'node-addons', 'module-sync'];
  }

  setup() {}

  teardown() {
    this.fakeTimers.dispose();
    process.exit = this.#exit;
    for (const name of Object.keys(process.env)) if (!(name in this.#variables)) delete process.env[name];
    Object.assign(process.env, this.#variables);
    const now = describe(globalThis);
    for (const [key, { configurable }] of now) {
      if (configurable && !this.#properties.has(key)) delete globalThis[key];
    }
    for (const [key, property] of this.#properties) {
      if (property.configurable) Object.defineProperty(globalThis, key, property);
    }
  }
}

function describe(object) {
  return new Map(Reflect.ownKeys(object).map((key) => [key, Object.getOwnPropertyDescriptor(object, key)]));
}

module.exports = ProcessEnvironment;
