/**
 * Projects: `unit` needs nothing but Node; `integration` real servers; `n8n` loads n8n-core and needs Node 24; `package`
 * installs what `npm pack` makes. `npm test` runs the first three, each on its Node.
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
  testEnvironment: 'node',
  testMatch: [`<rootDir>/test/${displayName}/**/*.test.ts`],
  modulePathIgnorePatterns: ['<rootDir>/dist'],
  transform,
  ...more,
});

module.exports = {
  projects: [
    project('unit'),
    project('integration', {
      globalSetup: '<rootDir>/test/support/start-servers.ts',
      globalTeardown: '<rootDir>/test/support/stop-servers.ts',
    }),
    project('n8n', { setupFiles: ['<rootDir>/test/n8n/support/quiet.ts'] }),
    project('package'),
  ],
};
