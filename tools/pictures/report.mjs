/**
 * `node tools/pictures/report.mjs`: makes docs/pictures/report-light.png and report-dark.png, a report as a mail
 * client shows it.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { argv } from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ensureBuilt } from '../build.mjs';
import { distOfCommand, root } from '../folders.mjs';
import { capture } from '../run.mjs';
import { ensureChromium } from '../set-up/system-tools.mjs';

const WIDTH = 640;
const HEIGHT = 900;
const ZONE = 'Europe/Berlin';
const MEDIA = ['launch-teaser', 'keynote-2026', 'onboarding-03', 'tour-berlin', 'podcast-112', 'logo-sting'];
const FAILED_BY_DAY = [2, 1, 4, 18, 6, 3, 2];
const SENT_BY_DAY = [112, 108, 131, 127, 140, 58, 49];

/** Makes both pictures in `folder`. The figures are made up, but always the same. */
export async function takeReportPictures(folder = join(root, 'docs', 'pictures')) {
  await ensureBuilt();
  const chromium = await ensureChromium();
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
        `--window-size=${WIDTH},${HEIGHT}`,
        `--screenshot=${join(folder, `report-${name}.png`)}`,
        pathToFileURL(page).href,
      ]);
      if (code !== 0) throw new Error(`Chromium ended with ${code}: ${stderr.slice(-300)}`);
    }
  } finally {
    await rm(stage, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function sampleReport() {
  const require = createRequire(import.meta.url);
  const { startSimulator } = require(join(distOfCommand, 'simulator/start-simulator.js'));
  const { createClient } = require(join(distOfCommand, 'client/index.js'));
  const { collectReport } = require(join(distOfCommand, 'reports/collect-report.js'));
  const { renderHtml } = require(join(distOfCommand, 'reports/html/report-html.js'));
  const simulator = await startSimulator({ seed: { media: 0, deliveries: 0 } });
  const { baseUrl, uploadUrl, account } = simulator;
  const client = createClient({ baseUrl, uploadUrl, ...account });
  try {
    addDeliveries(simulator);
    const query = { from: '2026-11-09', to: '2026-11-16', zone: ZONE };
    const report = await collectReport(client.service, { query, groups: ['media', 'subAccount'], top: 5 });
    return renderHtml(report);
  } finally {
    await client.close();
    await simulator.close();
  }
}

/** Two weeks: the week in the picture, and the week before with fewer failures. */
function addDeliveries(simulator) {
  const begin = Date.parse('2026-11-01T23:00:00Z');
  for (let day = 0; day < 14; day += 1) {
    const shown = day >= 7;
    const sent = SENT_BY_DAY[day % 7] - (shown ? 0 : 9);
    const failed = shown ? FAILED_BY_DAY[day % 7] : 2;
    for (let turn = 0; turn < sent; turn += 1) {
      // Squares are spread unevenly, as real failures are.
      const media = MEDIA[(turn * turn + day) % MEDIA.length];
      simulator.addDelivery({
        sentAt: new Date(begin + day * 86_400_000 + turn * 500_000).toISOString(),
        status: turn < failed ? 'FAILED' : 'SUCCESS',
        mediaId: media,
        subAccountId: turn % 3 === 0 ? 'south-studio' : 'north-studio',
      });
    }
  }
}

if (fileURLToPath(import.meta.url) === argv[1]) await takeReportPictures();
