import type * as given from '@jest/globals';

/** What Jest gives to each test file, with the types of its own package: no file imports them. */
declare global {
  const afterAll: typeof given.afterAll;
  const afterEach: typeof given.afterEach;
  const beforeAll: typeof given.beforeAll;
  const beforeEach: typeof given.beforeEach;
  const describe: typeof given.describe;
  const expect: typeof given.expect;
  const it: typeof given.it;
  const jest: typeof given.jest;
  const test: typeof given.test;
}
