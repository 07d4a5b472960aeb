/**
 * Projects: `unit` needs nothing but Node; `integration` real servers; `n8n` loads n8n-core and needs Node 24; `package`
 * installs what `npm pack` makes, and runs the demo and small benchmarks. `npm test` runs the first three, each on its Node. `e2e`, `editor` (with a browser) and
 * `queue` (with Redis and PostgreSQL) start whole n8ns: `npm run e2e`. `batch` runs batches on real servers: `npm run test:batch`; `chaos` kills workers and
 * servers under large ones: `npm run chaos`. `pictures` draws docs/pictures: `npm run pictures`.
 */
const transform = {
  '^.+\\.(t|j|mj)s$': [
    '@swc/jest',
    { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' }, module: { type: 'commonjs' } },
  ],
};
const project = (displayName, more = {}) => ({
  displayName,
  rootDir: __dirname,
  testEnvironment: '<rootDir>/test/support/jest/process-environment.cjs',
  runtime: '<rootDir>/test/support/jest/shared-libraries.cjs',
  testMatch: [`<rootDir>/test/${displayName}/**/*.test.ts`],
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/packages'],
  transform,
  moduleNameMapper: {
    // What our sources load late, by import(), which wants the extension.
    '^(\\.{1,2}/(?:.*/)?(?:connect-worker|run-gateway|run-worker|s3-storage|start-simulator|tokens|tracing))\\.js$':
      '$1',
    // Seed and number of runs of all properties.
    '^fast-check$': '<rootDir>/test/support/fast-check.cjs',
  },
  ...more,
});

const WITH_SERVERS = {
  globalSetup: '<rootDir>/test/support/start-servers.ts',
  globalTeardown: '<rootDir>/test/support/stop-servers.ts',
};

const WITH_PACKAGE = {
  globalSetup: '<rootDir>/test/e2e/support/prepare-package.ts',
  globalTeardown: '<rootDir>/test/support/stop-servers.ts',
};

/** Tests that install and start whole programs, or are of gigabytes, of many steps in a browser, of many uploads. */
const WITH_TIME = { setupFilesAfterEnv: ['<rootDir>/test/support/long-tests.ts'] };

module.exports = {
  // Guards against a hang and no more: a test awaits what it needs, and is as slow as the machine.
  testTimeout: 5 * 60_000,
  // A process that held n8n or Temporal's core ends late on a busy machine.
  workerGracefulExitTimeout: 10_000,
  testSequencer: '<rootDir>/test/support/slowest-first.cjs',
  projects: [
    project('unit'),
    project('integration', WITH_SERVERS),
    project('batch', WITH_SERVERS),
    // Whole batches while workers and servers are killed, and large ones.
    project('chaos', { ...WITH_SERVERS, ...WITH_TIME }),
    project('n8n', {
      ...WITH_SERVERS,
      setupFiles: ['<rootDir>/test/n8n/support/quiet-and-hasty.ts'],
    }),
    project('package', WITH_TIME),
    // Files for operators, held against what their programs make of them; systemd and Prometheus are not everywhere.
    project('deploy', {
      ...WITH_TIME,
      testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/deploy/system/'],
    }),
    project('system', { testMatch: ['<rootDir>/test/deploy/system/**/*.test.ts'] }),
    project('e2e', {
      ...WITH_PACKAGE,
      ...WITH_TIME,
      testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/e2e/editor/', '<rootDir>/test/e2e/queue/'],
    }),
    project('editor', {
      ...WITH_PACKAGE,
      ...WITH_TIME,
      testMatch: ['<rootDir>/test/e2e/editor/**/*.test.ts'],
    }),
    // Whole uploads to S3 servers that nothing else here uses: `npm run nightly`.
    project('storages', WITH_TIME),
    project('pictures', { ...WITH_PACKAGE, ...WITH_TIME }),
    project('queue', {
      ...WITH_PACKAGE,
      ...WITH_TIME,
      testMatch: ['<rootDir>/test/e2e/queue/**/*.test.ts'],
    }),
  ],
};
