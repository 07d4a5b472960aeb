import { chromium, selectors } from 'playwright-core';
import type { Page, Response, WebSocket } from 'playwright-core';
import { toolPath } from '../../../support/tool-path';
import { OWNER } from '../../support/n8n-rest';
import type { RunningN8n } from '../../support/start-n8n';

/**
 * Time limit for one element to appear. It is long because the first page of an editor loads 10 MB of scripts on a busy
 * machine.
 */
const RETRY_FOR_MS = 180_000;
const SCREEN = { width: 1280, height: 800 } as const;
/** The editor's own programs, pictures and texts, which are the same for everybody. */
const STATIC_FILE = /^\/(assets|static|icons)\//;

/** A browser with one page, logged in to n8n as the owner. */
export interface EditorBrowser {
  readonly page: Page;
  /** Everything that n8n has sent to the browser so far except static files: bodies of answers, and pushed messages. */
  received(): Promise<string>;
  /** The page's console output, and its uncaught errors. */
  console(): string;
  close(): Promise<void>;
}

export async function openEditorBrowser(n8n: RunningN8n): Promise<EditorBrowser> {
  selectors.setTestIdAttribute('data-test-id');
  const browser = await chromium.launch({
    executablePath: await toolPath('chromium'),
    // Chromium has no sandbox for root.
    args: ['--disable-gpu', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
  });
  const context = await browser.newContext({
    baseURL: n8n.url,
    viewport: SCREEN,
    colorScheme: 'light',
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
    reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(RETRY_FOR_MS);
  const login = { emailOrLdapLoginId: OWNER.email, password: OWNER.password };
  await context.request.post('/rest/login', { data: login });
  const page = await context.newPage();
  const received = receivedBy(page);
  const lines: string[] = [];
  page.on('console', (message) => lines.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => lines.push(`uncaught: ${error.stack ?? error.message}`));
  return { page, received, console: () => lines.join('\n'), close: () => browser.close() };
}

function receivedBy(page: Page): () => Promise<string> {
  const bodies: Promise<string>[] = [];
  page.on('response', (response) => {
    if (!STATIC_FILE.test(new URL(response.url()).pathname)) bodies.push(textOf(response));
  });
  page.on('websocket', (socket: WebSocket) => {
    socket.on('framereceived', ({ payload }) => bodies.push(Promise.resolve(payload.toString())));
  });
  return async () => (await Promise.all(bodies)).join('\n');
}

/** Redirects, and answers to requests that the page aborted, have no body. */
function textOf(response: Response): Promise<string> {
  return response.text().catch(() => '');
}
