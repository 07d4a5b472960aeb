import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DEPLOY, check, type Checked } from '../deploy-files';
import { tempFolder } from '../../support/after-test';
import { toolPath } from '../../support/tool-path';

const UNIT = 'media-service-worker.service';
/** The path of the command in the unit; no test machine has it. */
const COMMAND = '/opt/media-service/bin/media-service';
/** Exposure in tenths, as systemd counts: 100 would be a service without any sandbox. */
const MAX_EXPOSED = 20;

/** Runs systemd-analyze on the changed unit, with a command that exists. */
async function analyze(args: readonly string[], change = (text: string) => text): Promise<Checked> {
  const program = await toolPath('systemd-analyze');
  const dir = await tempFolder('unit');
  const path = join(dir, UNIT);
  const text = await readFile(join(DEPLOY, 'systemd', UNIT), 'utf8');
  await writeFile(path, change(text.replace(COMMAND, process.execPath)));
  return check(program, [...args, path]);
}

test('systemd accepts the unit', async () => {
  expect(await analyze(['verify'])).toEqual({ code: 0, output: '' });
});

test('systemd accepts the unit with a permanent user, as docs/operations/workers.md describes it', async () => {
  const withUser = (text: string): string =>
    text.replace('DynamicUser=yes', 'DynamicUser=no\nUser=daemon\nSupplementaryGroups=adm');
  expect(await analyze(['verify'], withUser)).toEqual({ code: 0, output: '' });
  const security = ['security', '--offline=true', `--threshold=${MAX_EXPOSED}`];
  expect((await analyze(security, withUser)).code).toBe(0);
});

test('systemd rates the service as hardly exposed', async () => {
  const { code } = await analyze(['security', '--offline=true', `--threshold=${MAX_EXPOSED}`]);
  expect(code).toBe(0);
});

test('systemd accepts the unit with the HTTP door of the drop-in', async () => {
  const door = await readFile(join(DEPLOY, 'systemd', 'http-door.conf'), 'utf8');
  const lines = door.split('[Service]\n')[1]?.replace(COMMAND, process.execPath) ?? '';
  const withDoor = (text: string): string => text.replace(/^ExecStart=.*\n/m, lines);
  expect(await analyze(['verify'], withDoor)).toEqual({ code: 0, output: '' });
});
