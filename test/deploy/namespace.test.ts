import { execFile } from 'node:child_process';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterTest, tempFolder } from '../support/after-test';
import { startTemporalServer } from '../support/temporal-server';
import { toolPath } from '../support/tool-path';
import { DEPLOY } from './deploy-files';

const SCRIPT = join(DEPLOY, 'compose', 'temporal', 'make-namespace.sh');

test('the namespace script of the stack creates the namespace with its retention, and leaves an existing one alone', async () => {
  const [server, dir] = await Promise.all([startTemporalServer(), tempFolder('namespace')]);
  afterTest(() => server.stop());
  const program = join(dir, 'temporal');
  await symlink(await toolPath('temporal-cli'), program);
  const env = {
    HOME: dir,
    PATH: `${dir}:${process.env['PATH'] ?? ''}`,
    TEMPORAL_ADDRESS: server.address,
  };
  const make = (retention: string): Promise<{ stdout: string }> =>
    promisify(execFile)('/bin/sh', [SCRIPT], {
      env: { ...env, TEMPORAL_NAMESPACE: 'made', RETENTION: retention },
    });
  await make('30d');
  const { stdout } = await make('2d');
  expect(stdout).toMatch(/NamespaceInfo\.Name +made\n/);
  expect(stdout).toMatch(/WorkflowExecutionRetentionTtl +(720h|30d)/);
});
