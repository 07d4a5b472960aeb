/**
 * fast-check for all tests, with a seed that is fixed for a commit. `PROPERTY_RUNS=10` runs each property ten times as
 * often, and `PROPERTY_SEED=7` draws other values.
 */
// By its path, because jest.config.js maps its name to this file.
const fastCheck = require('../../node_modules/fast-check/lib/cjs/fast-check.js');

const FACTOR = Number(process.env.PROPERTY_RUNS ?? 1);
const SEED = Number(process.env.PROPERTY_SEED ?? 20_261_127);
const RUNS = 100;

fastCheck.configureGlobal({ numRuns: RUNS * FACTOR, seed: SEED });

/** A property that says its number of runs is scaled too. */
const scaled = ({ numRuns = RUNS, ...rest } = {}) => ({ ...rest, numRuns: numRuns * FACTOR });
const assert = (property, options) => fastCheck.assert(property, scaled(options));

module.exports = { __esModule: true, ...fastCheck, assert, default: { ...fastCheck.default, assert } };
