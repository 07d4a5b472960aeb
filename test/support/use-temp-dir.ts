import { createTempDir } from './temp-dir';

/** A folder for the tests of a file (or of each test, its own), which is removed after them. */
export function useTempDir(purpose: string, lasts: 'file' | 'test' = 'file') {
  let dir: Awaited<ReturnType<typeof createTempDir>> | undefined;
  const [before, after] = lasts === 'file' ? [beforeAll, afterAll] : [beforeEach, afterEach];
  before(async () => {
    dir = await createTempDir(purpose);
  });
  after(() => dir?.remove());
  return {
    /** Only while tests and their set-up run. */
    get path() {
      if (dir === undefined) throw new Error('No test has begun.');
      return dir.path;
    },
  };
}
