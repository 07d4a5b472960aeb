import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { createClient } from '../../client';
import { collectReport } from '../../reports/collect-report';
import { renderHtml } from '../../reports/html/report-html';
import { startSimulator } from '../../simulator/start-simulator';
import { afterTest } from '../support/after-test';
import { ROOT } from '../support/pack';
import { toolPath } from '../support/tool-path';

/** The last seven days of the simulator's own deliveries. */
async function sampleReport(): Promise<string> {
  const simulator = await startSimulator();
  afterTest(() => simulator.close());
  const { baseUrl, uploadUrl, account } = simulator;
  const client = createClient({ baseUrl, uploadUrl, ...account });
  afterTest(() => client.close());
  const query = { from: '-7d', to: 'now', zone: 'Europe/Berlin' };
  return renderHtml(await collectReport(client.service, { query, groups: ['media', 'subAccount'], top: 5 }));
}

test('pictures of a report as a mail client shows it', async () => {
  const html = await sampleReport();
  const browser = await chromium.launch({
    executablePath: await toolPath('chromium'),
    args: ['--no-sandbox'],
  });
  afterTest(() => browser.close());
  for (const colorScheme of ['light', 'dark'] as const) {
    const viewport = { width: 640, height: 900 };
    const page = await browser.newPage({ viewport, deviceScaleFactor: 2, colorScheme });
    await page.setContent(html);
    await page.screenshot({ path: join(ROOT, 'docs', 'pictures', `report-${colorScheme}.png`) });
  }
});
