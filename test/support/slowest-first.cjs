const { existsSync } = require('node:fs');
const { join, resolve } = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');

const ROOT = resolve(__dirname, '..', '..');
/**
 * The files that take longest, in this order: what starts last runs alone at the end. On a clean clone Jest knows no
 * durations and begins with the largest files, and these are small.
 */
const SLOWEST = [
  'test/chaos/activity-table/controlled.test.ts',
  'test/chaos/activity-table/temporal-away.test.ts',
  'test/chaos/seeded/seeded-chaos.test.ts',
  'test/chaos/activity-table/worker-killed.test.ts',
  'test/chaos/worker-busy.test.ts',
  'test/chaos/activity-table/secret-rotated.test.ts',
  'test/integration/upload-worker-killed.test.ts',
  'test/integration/temporal-killed.test.ts',
  'test/integration/docs-commands.test.ts',
  'test/unit/api/every-fault.test.ts',
  'test/unit/api/broken-answers/broken-answers.test.ts',
  'test/unit/hostile-text.test.ts',
  'test/unit/api/md5/md5-lanes.test.ts',
].map((name) => join(ROOT, name));
const GONE = SLOWEST.filter((path) => !existsSync(path));
if (GONE.length > 0) throw new Error(`There is no ${GONE}.`);

class SlowestFirst extends Sequencer {
  sort(tests) {
    return [...super.sort(tests)].sort((one, other) => rankOf(one) - rankOf(other));
  }
}

function rankOf({ path }) {
  const rank = SLOWEST.indexOf(path);
  return rank === -1 ? SLOWEST.length : rank;
}

module.exports = SlowestFirst;
