import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { asText } from '../../n8n/support/as-text';
import { afterTest } from '../../support/after-test';
import { startMailServer } from '../../support/mail-server';
import type { MailServer } from '../../support/mail-server';
import { until } from '../../support/until';
import { N8N_ENVIRONMENT } from '../support/n8n-environment';
import { activateWorkflow, createCredential, runWorkflow } from '../support/n8n-executions';
import type { Stage, StoredCredentials } from '../support/n8n-stage';
import { startPostReceiver } from '../../support/post-receiver';
import type { PostReceiver } from '../../support/post-receiver';
import { importTemplate } from './support/import-template';

const DAY_MS = 86_400_000;

export function describeDeliveryTemplates(on: Stage): void {
  let mail: MailServer;
  let smtp: StoredCredentials;
  beforeAll(async () => {
    mail = await startMailServer();
    const [host, port] = mail.address.split(':');
    const data = { user: '', password: '', host, port: Number(port), secure: false, disableStartTls: true };
    smtp = { smtp: await createCredential(on.n8n.rest, { name: 'mail server', type: 'smtp', data }) };
  });
  afterAll(() => mail.close());
  let taken = 0;
  /** The oldest mail that was not taken yet. */
  const nextMail = async (): Promise<MailServer['mails'][number] | undefined> => {
    const come = await until('the next mail comes', () => mail.mails[taken]);
    taken += 1;
    return come;
  };

  /** Noon of yesterday in the time zone of the tests' n8n, where a day begins earlier than in UTC. */
  const yesterdayNoon = (): string => {
    const today = new Intl.DateTimeFormat('sv-SE', { timeZone: N8N_ENVIRONMENT['GENERIC_TIMEZONE'] });
    return new Date(Date.parse(`${today.format()}T12:00:00Z`) - DAY_MS).toISOString();
  };

  describe('morning-failure-report', () => {
    const run = async () => {
      const id = await importTemplate(on, 'morning-failure-report.json', { credentials: smtp });
      return runWorkflow(on.n8n.rest, id, 'Every morning at 7');
    };

    test('mails what failed yesterday, with the figures as CSV', async () => {
      const { simulator } = on;
      for (const status of ['FAILED', 'FAILED', 'SUCCESS', 'SUCCESS', 'SUCCESS'] as const) {
        simulator.addDelivery({ status, sentAt: yesterdayNoon(), mediaId: 'media-of-yesterday' });
      }
      const execution = await run();
      expect(execution.error).toBeUndefined();
      const received = await nextMail();
      expect(received?.to?.map(({ address }) => address)).toEqual(['you@example.com']);
      expect(received?.subject).toMatch(/2 .*failed/i);
      expect(received?.html).toContain('media-of-yesterday');
      expect(received?.html).toContain('<svg');
      expect(received?.text).toContain('media-of-yesterday');
      expect(received?.attachments.map(({ filename, mimeType }) => [filename, mimeType])).toEqual([
        [expect.stringMatching(/\.csv$/), 'text/csv'],
      ]);
    });

    test('mails the reason if there is no report', async () => {
      on.simulator.fault('webhooks-403:99');
      const execution = await run();
      expect(execution.status).toBe('success');
      const received = await nextMail();
      expect(received?.subject).toBe('No report of webhook deliveries today');
      expect(received?.text).toContain(
        asText(execution.output("Count yesterday's deliveries", 1)[0]?.json['error']),
      );
    });
  });

  describe('failed-delivery-alert', () => {
    /** Lets these deliveries fail and publishes the alert, whose trigger then polls. Returns the chat. */
    const alert = async (mediaIds: readonly string[], status = 200): Promise<PostReceiver> => {
      const { n8n, fixture } = on;
      const chat = await startPostReceiver();
      afterTest(() => chat.close());
      chat.status = status;
      for (const mediaId of mediaIds) fixture.simulator.addDelivery({ mediaId, message: 'Not Found' });
      const id = await importTemplate(on, 'failed-delivery-alert.json', {
        credentials: smtp,
        parameters: {
          'When deliveries fail': { options: { startFrom: '-5m' } },
          'Post to the chat': { url: `${chat.url}/alert` },
        },
      });
      await activateWorkflow(n8n.rest, id);
      return chat;
    };

    test('sends one message for all failures, grouped by media', async () => {
      const chat = await alert(['media-a', 'media-b', 'media-a']);
      expect(await chat.next()).toEqual({
        path: '/alert',
        body: {
          text: '3 webhook deliveries failed\n• 2 × media media-a: Not Found\n• 1 × media media-b: Not Found',
        },
      });
    });

    test('sends the same text by mail if the chat refuses it', async () => {
      await alert(['media-c'], 503);
      const received = await nextMail();
      expect(received?.subject).toBe('Webhook deliveries failed');
      expect(received?.text).toContain('• 1 × media media-c: Not Found');
    });
  });

  test("failed-deliveries-to-csv writes one file with only the failed deliveries of yesterday in the workflow's time zone", async () => {
    const { n8n, fixture } = on;
    const sentAt = yesterdayNoon();
    fixture.simulator.addDelivery({ id: 'failed-yesterday', status: 'FAILED', sentAt });
    fixture.simulator.addDelivery({ id: 'fine-yesterday', status: 'SUCCESS', sentAt });
    fixture.simulator.addDelivery({ id: 'failed-today', status: 'FAILED' });
    const path = join(fixture.folder, 'failed.csv');
    const id = await importTemplate(on, 'failed-deliveries-to-csv.json', {
      parameters: { 'Write the file': { fileName: path } },
    });
    const execution = await runWorkflow(n8n.rest, id, 'Every morning at 7');
    expect(execution.error).toBeUndefined();
    const name = `failed-deliveries-${sentAt.slice(0, 10)}.csv`;
    expect(execution.output('Export failed deliveries')[0]?.binary?.['data']?.fileName).toBe(name);
    const rows = parse<Record<string, string>>(await readFile(path), { columns: true });
    expect(rows.map(({ id: delivery }) => delivery)).toContain('failed-yesterday');
    expect(rows.filter(({ status, sentAt: at = '' }) => status !== 'FAILED' || at !== sentAt)).toEqual([]);
  });
}
