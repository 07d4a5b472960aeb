import { expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DEPLOY, type Checked } from '../deploy-check';
import { createTempDir } from '../../support/temp-dir';
import { toolPath } from '../../support/tool-path';

const UNIT = 'media-service-worker.service';
/** Where the unit looks for the command; it is on no machine that tests. */
const COMMAND = '/opt/media-service/bin/media-service';
/** Of 10, which is a service without any sandbox; systemd counts in tenths. */
const MOST_EXPOSED = 20;

/** Asks systemd about the unit, changed, with a command that exists. */
async function analyze(args: readonly string[], change = (text: string) => text): Promise<Checked> {
  const program = await toolPath('systemd-analyze');
  const dir = await createTempDir('unit');
  try {
    const path = join(dir.path, UNIT);
    const text = await readFile(join(DEPLOY, 'systemd', UNIT), 'utf8');
    await writeFile(path, change(text.replace(COMMAND, process.execPath)));
    return await new Promise((done) => {
      execFile(program, [...args, path], (error, stdout, stderr) =>
        done({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
      );
    });
  } finally {
    await dir.remove();
  }
}

test('systemd has nothing to say against the unit', async () => {
  expect(await analyze(['verify'])).toEqual({ code: 0, stdout: '', stderr: '' });
});

test('systemd is as content with a user that stays, as docs/operations/accounts.md has it for operators of their own', async () => {
  const withUser = (text: string): string =>
    text.replace('DynamicUser=yes', 'DynamicUser=no\nUser=daemon\nSupplementaryGroups=adm');
  expect(await analyze(['verify'], withUser)).toEqual({ code: 0, stdout: '', stderr: '' });
  const security = ['security', '--offline=true', `--threshold=${MOST_EXPOSED}`];
  expect((await analyze(security, withUser)).code).toBe(0);
});

test('systemd finds the service hardly exposed', async () => {
  const { code } = await analyze(['security', '--offline=true', `--threshold=${MOST_EXPOSED}`]);
  expect(code).toBe(0);
});

test.each([
  {
    what: 'a misspelt setting',
    from: 'TimeoutStopSec',
    to: 'TimeoutStopSecs',
    finding: /Unknown key.*'TimeoutStopSecs'/,
  },
  {
    what: 'a signal that does not exist',
    from: 'KillSignal=SIGTERM',
    to: 'KillSignal=SIGSTOPP',
    finding: /Failed to parse signal name/,
  },
  {
    what: 'a command that is not there',
    from: process.execPath,
    to: '/nowhere/media-service',
    finding: /not executable/,
  },
])('systemd finds $what', async ({ from, to, finding }) => {
  const { stderr } = await analyze(['verify'], (text) => text.replace(from, to));
  expect(stderr).toMatch(finding);
});

test('systemd finds a service exposed that may write everywhere with all privileges', async () => {
  const { code } = await analyze(['security', '--offline=true', `--threshold=${MOST_EXPOSED}`], (text) =>
    text.replace(
      /^(ProtectSystem|DynamicUser|CapabilityBoundingSet|NoNewPrivileges|SystemCallFilter)=.*\n/gm,
      '',
    ),
  );
  expect(code).toBe(1);
});
