import { patched, sleep } from '@temporalio/workflow';

/** The next release, which adds a sleep and guards it with a patch. */
export async function patchExample(): Promise<string> {
  if (patched('sleeps-first')) await sleep(2);
  await sleep(1);
  return 'done';
}
