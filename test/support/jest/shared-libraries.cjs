/**
 * A runtime for Jest in which Node itself loads libraries, once for each of Jest's processes. Jest would load them again
 * for each test file, which took most of the time of all suites. Our own modules are new in each file.
 */
const { createRequire } = require('node:module');
const { sep } = require('node:path');
const { compileFunction, constants } = require('node:vm');
const { default: Runtime } = require('jest-runtime');

const LIBRARIES = `${sep}node_modules${sep}`;

class SharedLibraries extends Runtime {
  constructor(...given) {
    super(...given);
    const { executor } = this.cjsLoader;
    // In the context of the process, so that an Error of a library is an Error in a test.
    executor.compile = (source, filename) =>
      compileFunction(source, executor.injectedModuleParameters, {
        filename,
        importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
      });
  }

  requireModule(from, name, options, isActual) {
    const isOurs = options?.isInternalModule === true || name === undefined || /^[./]/.test(name);
    if (isOurs || this._resolution.isCoreModule(name))
      return super.requireModule(from, name, options, isActual);
    const path = this._resolution.resolveCjs(from, name);
    if (!path.includes(LIBRARIES)) return super.requireModule(from, name, options, isActual);
    return createRequire(from)(name);
  }
}

exports.__esModule = true;
exports.default = SharedLibraries;
