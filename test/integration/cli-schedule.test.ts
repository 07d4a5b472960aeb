import { join } from 'node:path';
import { commandEnv, linesOf, runCommand, type CommandEnd } from '../support/command';
import { farHour, useReportFixture } from '../support/report-fixture';

const at = useReportFixture();

function schedule(...words: string[]): Promise<CommandEnd> {
  return scheduleOn(at.on.fixture.config.host, ...words);
}

function scheduleOn(host: string, ...words: string[]): Promise<CommandEnd> {
  const { fixture } = at.on;
  const env = {
    ...commandEnv(fixture),
    MEDIA_SERVICE_HOST: host,
    MEDIA_SERVICE_OUTPUT_ROOTS: fixture.folder,
    MEDIA_SERVICE_SECRETS: join(fixture.folder, 'secrets.json'),
  };
  return runCommand(['schedules', ...words], { cwd: fixture.folder, env });
}

function create(id: string, ...words: string[]): Promise<CommandEnd> {
  return schedule('create', '--id', id, ...words);
}

describe('media-service schedules', () => {
  it('creates a schedule that writes a report when it runs, and shows and deletes it', async () => {
    const { on } = at;
    on.setNow('2026-11-21T06:00:30Z');
    on.deliver('2026-11-20T10:00:00Z', { mediaId: 'film-1' });
    const hour = farHour();
    const folder = `file:${join(on.fixture.folder, 'reports')}`;
    const words = ['--at', hour, '--timezone', 'Europe/Berlin', '--target', folder];
    const created = await create('morning', ...words);
    expect([created.exit, created.stderr]).toEqual([
      0,
      expect.stringContaining('media-service schedules run morning'),
    ]);
    expect(created.stdout).toMatch(
      new RegExp(
        `^morning: every day at ${hour} \\(Europe/Berlin\\), next \\d{4}-\\d\\d-\\d\\d ${hour} \\(Europe/Berlin\\)\n$`,
      ),
    );

    const run = await schedule('run', 'morning', '--wait');
    const period = 'Friday, 20 November 2026 (Europe/Berlin)';
    expect(run).toMatchObject({
      exit: 0,
      stdout: expect.stringContaining(`${period}: 1 of 1 deliveries failed`),
    });
    const file = `webhook-report-morning-${on.fixture.accountId}-2026-11-20.html`;
    expect(await on.files('reports')).toContain(file);
    expect((await schedule('run', 'morning', '--wait')).stdout).toContain('nothing is due');

    expect(linesOf(await schedule('show', 'morning', '--json'))).toMatchObject([
      { id: 'morning', paused: false, runs: 2, settings: { targets: [`${folder}@test-host`] } },
    ]);
    await on.listed('morning', { run: true });
    expect((await schedule('list')).stdout).toMatch(
      /^ID +TIMES +ZONE +LAST +NEXT +TARGETS\n(.*\n)*morning +every day.* completed \d{4}-/,
    );
    const other = await create('morning', '--at', '08:30', '--timezone', 'Europe/Berlin', '--target', folder);
    expect(other).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('A schedule "morning" exists.'),
    });
    const deleted = { exit: 0, stdout: 'morning: deleted\n', stderr: '' };
    expect(await schedule('delete', 'morning')).toEqual(deleted);
    expect(await schedule('show', 'morning')).toMatchObject({
      exit: 5,
      stderr: expect.stringContaining('There is no schedule "morning"'),
    });
  });

  it('shows in show and list that the last run failed, and why, for each target', async () => {
    const { on } = at;
    on.setNow('2026-11-21T06:00:30Z');
    const mail = ['--target', 'mail:ops@example.org', '--mail-from', 'reports@example.org'];
    await create('failing', ...mail, '--smtp-secret', 'nowhere', '--target', 'file:failing');
    const ended = await schedule('run', 'failing', '--wait');
    const reason = 'mail:ops@example.org: there is no secret named "nowhere" in';
    const folder = `file:${join(on.fixture.folder, 'failing')}@test-host: delivered`;
    expect(ended).toMatchObject({ exit: 3, stderr: expect.stringContaining(reason) });
    expect(ended.stderr).toContain(folder);
    const { stdout } = await schedule('show', 'failing');
    expect(stdout).toMatch(/\n {2}FAILED \d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)? \(UTC\) report\//);
    expect(stdout).toContain(reason);
    expect(stdout).toContain(folder);
    expect(stdout).toContain('What to do: Add it');
    await on.listed('failing', { run: true });
    const list = await schedule('list');
    expect(list.stdout).toMatch(/failing .* FAILED \d{4}-/);
    expect(list.stderr).toContain('The last run of failing failed');
    const error = { code: 'Configuration', message: expect.stringContaining(reason) };
    const asJson = linesOf(await schedule('show', 'failing', '--json'));
    expect(asJson).toMatchObject([{ lastRun: { status: 'failed', error } }]);
  });

  it('warns at creation that no worker would write to its folder', async () => {
    const words = ['create', '--id', 'idle', '--target', 'file:idle'];
    expect(await scheduleOn('no-such-host', ...words)).toMatchObject({
      exit: 0,
      stdout: expect.stringContaining('idle: every day at 07:00'),
      stderr: expect.stringMatching(
        /Warning: No worker serves the task queue .*no-such-host yet\. Reports are sent when a worker does. Run/,
      ),
    });
    await schedule('delete', 'idle');
  });
});
