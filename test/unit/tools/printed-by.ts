import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ROOT } from '../../support/pack';

/** What a module of this code prints. Tests can't import the modules of tools/, because they are CommonJS themselves. */
export async function printedBy(code: string, env?: NodeJS.ProcessEnv): Promise<string> {
  const args = ['--input-type=module', '--eval', code];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT, ...(env && { env }) });
  return stdout.trim();
}
