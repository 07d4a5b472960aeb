/**
 * Runs `record-histories.ts` and `record-report-histories.ts`, which are not tests, with the servers of the integration
 * tests.
 */
const { projects, testTimeout } = require('../../jest.config');

const integration = projects.find(({ displayName }) => displayName === 'integration');
module.exports = {
  ...integration,
  testTimeout,
  testMatch: ['<rootDir>/test/histories/record-*histories.ts'],
};
