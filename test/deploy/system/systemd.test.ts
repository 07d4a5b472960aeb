import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DEPLOY, check } from '../deploy-files';
import { tempFolder } from '../../support/after-test';
import { toolPath } from '../../support/tool-path';

const UNIT = 'media-service-worker.service';
/** The path of the command in the unit; no test machine has it. */
const COMMAND = '/opt/media-service/bin/media-service';
/** Exposure in tenths, as systemd counts: 100 would be a service without any sandbox. */
const MAX_EXPOSED = 20;

const textOf = (name: string): string => readFileSync(join(DEPLOY, 'systemd', name), 'utf8');
const unit = textOf(UNIT);
const [, door = ''] = textOf('http-door.conf').split('[Service]\n');

test.each([
  ['', unit],
  [
    ' with a permanent user, as docs/operations/workers.md describes it',
    unit.replace('DynamicUser=yes', 'DynamicUser=no\nUser=daemon\nSupplementaryGroups=adm'),
  ],
  [' with the HTTP door of the drop-in', unit.replace(/^ExecStart=.*\n/m, door)],
])('systemd accepts the unit%s, and rates it as hardly exposed', async (_how, text) => {
  const program = await toolPath('systemd-analyze');
  const path = join(await tempFolder('unit'), UNIT);
  await writeFile(path, text.replaceAll(COMMAND, process.execPath));
  expect(await check(program, ['verify', path])).toEqual({ code: 0, output: '' });
  const security = ['security', '--offline=true', `--threshold=${MAX_EXPOSED}`, path];
  expect((await check(program, security)).code).toBe(0);
});
