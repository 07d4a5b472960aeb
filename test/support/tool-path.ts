import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';

const SET_UP = resolve(__dirname, '..', '..', 'tools', 'set-up.mjs');

const known = new Map<string, string | Promise<string>>();

/**
 * Path of a tool that the project's set-up finds or builds, by its name there. The suites make it before their tests,
 * and say where.
 */
export async function toolPath(name: string): Promise<string> {
  const path = known.get(name) ?? madeBefore(name) ?? askSetUp(name);
  known.set(name, path);
  return path;
}

/** What tools/suites.mjs says of a tool, or of the build. */
export function madeBefore(name: string): string | undefined {
  return process.env[`MEDIA_SERVICE_TOOL_${name.toUpperCase().replaceAll('-', '_')}`];
}

async function askSetUp(name: string): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [SET_UP, name]);
  return stdout.trim();
}
