import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';

const SET_UP = resolve(__dirname, '..', '..', 'tools', 'set-up.mjs');

/** The names that tools/set-up.mjs uses. */
export type ToolName =
  | 'temporal-cli'
  | 'versitygw'
  | 'oldest-node'
  | 'n8n'
  | 'chromium'
  | 'redis'
  | 'postgres'
  | 'kustomize'
  | 'deploy-programs'
  | 'promtool'
  | 'actionlint'
  | 'systemd-analyze'
  | 'rclone'
  | 'seaweedfs';

const known = new Map<string, string | Promise<string>>();

/** Path of a tool that the project's set-up finds or builds. The suites make it before their tests, and say where. */
export async function toolPath(name: ToolName): Promise<string> {
  const path = known.get(name) ?? madeBefore(name) ?? askSetUp(name);
  known.set(name, path);
  return path;
}

/** What tools/suites.mjs says of a tool, or of the build. */
export function madeBefore(name: ToolName | 'build'): string | undefined {
  return process.env[`MEDIA_SERVICE_TOOL_${name.toUpperCase().replaceAll('-', '_')}`];
}

async function askSetUp(name: string): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [SET_UP, name]);
  return stdout.trim();
}
