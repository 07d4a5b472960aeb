import { createTempDir } from './temp-dir';

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

/** Closes after the test, even if it fails; what was opened last comes first. */
export function afterTest(close: () => unknown): void {
  open.push(close);
}

/** The path of an empty folder that is removed after the test. */
export async function tempFolder(purpose: string): Promise<string> {
  const folder = await createTempDir(purpose);
  afterTest(() => folder.remove());
  return folder.path;
}
