import { DateTime } from 'luxon';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Simulator } from '../../simulator/start-simulator';
import { startSimulator } from '../../simulator/start-simulator';
import { accountEnv, runCommand, type CommandEnd } from '../support/command';
import { useTempDir } from '../support/use-temp-dir';

let simulator: Simulator;
const folder = useTempDir('cli-report');
let env: Record<string, string>;

beforeAll(async () => {
  simulator = await startSimulator({ seed: { deliveries: 0 } });
  for (const status of ['FAILED', 'FAILED', 'SUCCESS'] as const)
    simulator.addDelivery({ status, sentAt: '2026-11-01T01:00:00.000Z', mediaId: '=m<b>' });
  const { baseUrl, uploadUrl, account } = simulator;
  env = accountEnv({ baseUrl, uploadUrl, ...account });
});
afterAll(() => simulator.close());

const report = (...words: string[]): Promise<CommandEnd> =>
  runCommand(['deliveries', 'report', ...words], { cwd: folder.path, env });
const DAY = ['--from', '2026-11-01', '--to', '2026-11-01', '--timezone', 'UTC'];

describe('media-service deliveries report', () => {
  it('shows a person what failed', async () => {
    const { exit, stdout, stderr } = await report(...DAY);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
    expect(stdout).toContain('2 of 3 webhook deliveries failed (66.7 %)\nSunday, 1 November 2026 (UTC)\n');
    expect(stdout).toContain('\n  =m<b>: 2 failed, 1 successful, 66.7 %\n');
  });

  it("counts yesterday in this machine's time zone by itself, as n8n does in that of its workflow", async () => {
    const { stdout } = await report('--json');
    const { timeZone: zone } = new Intl.DateTimeFormat().resolvedOptions();
    const midnight = DateTime.now().setZone(zone).startOf('day');
    const days = [midnight.minus({ days: 1 }), midnight].map((day) => day.toUTC().toISO());
    expect(JSON.parse(stdout)).toMatchObject({ zone, from: days[0], to: days[1] });
  });

  it('writes one HTML file that includes the chart, and says where', async () => {
    const { exit, stdout } = await report(...DAY, '--format', 'html', '-o', 'report.html');
    expect(exit).toBe(0);
    expect(stdout).toMatch(
      /^2 of 3 webhook deliveries failed \(66\.7 %\), 1 Nov\. Written to .*report\.html\.\n$/,
    );
    const html = await readFile(join(folder.path, 'report.html'), 'utf8');
    expect(html).toMatch(/<svg role="img"/);
  });

  it('takes no --to without --from', async () => {
    const stderr = expect.stringContaining('--to needs --from');
    expect(await report('--to', '2026-11-02')).toMatchObject({ exit: 2, stdout: '', stderr });
  });
});
