/**
 * `node tools/pictures/report.mjs`: makes docs/pictures/report-light.png and report-dark.png, a report as a mail
 * client shows it.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureBuilt } from '../build.mjs';
import { distOfCommand, root } from '../folders.mjs';
import { capture } from '../run.mjs';
import { ensure } from '../set-up.mjs';

/** Makes both pictures. */
async function takeReportPictures() {
  await ensureBuilt();
  const chromium = await ensure('chromium');
  const stage = await mkdtemp(join(tmpdir(), 'report-picture-'));
  try {
    const page = join(stage, 'report.html');
    await writeFile(page, await sampleReport());
    for (const [name, scheme] of [
      ['light', 1],
      ['dark', 0],
    ]) {
      const { code, stderr } = await capture(chromium, [
        '--headless',
        '--no-sandbox',
        '--hide-scrollbars',
        '--force-device-scale-factor=2',
        `--user-data-dir=${join(stage, 'browser')}`,
        `--blink-settings=preferredColorScheme=${scheme}`,
        '--window-size=640,900',
        `--screenshot=${join(root, 'docs', 'pictures', `report-${name}.png`)}`,
        pathToFileURL(page).href,
      ]);
      if (code !== 0) throw new Error(`Chromium ended with ${code}: ${stderr.slice(-300)}`);
    }
  } finally {
    await rm(stage, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** The last seven days of the simulator's own deliveries. */
async function sampleReport() {
  const require = createRequire(import.meta.url);
  const of = (path) => require(join(distOfCommand, path));
  const simulator = await of('simulator/start-simulator.js').startSimulator();
  const { baseUrl, uploadUrl, account } = simulator;
  const client = of('client/index.js').createClient({ baseUrl, uploadUrl, ...account });
  try {
    const query = { from: '-7d', to: 'now', zone: 'Europe/Berlin' };
    const options = { query, groups: ['media', 'subAccount'], top: 5 };
    const report = await of('reports/collect-report.js').collectReport(client.service, options);
    return of('reports/html/report-html.js').renderHtml(report);
  } finally {
    await client.close();
    await simulator.close();
  }
}

await takeReportPictures();
