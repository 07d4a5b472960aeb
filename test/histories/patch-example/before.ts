import { sleep } from '@temporalio/workflow';

/** A workflow as a release had it, and also what remains when somebody removes its patch. */
export async function patchExample(): Promise<string> {
  await sleep(1);
  return 'done';
}
