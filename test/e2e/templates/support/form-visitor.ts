import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import type FormData from 'form-data';

const POLL_MS = 100;

/**
 * Fills in a form of n8n and waits for its last page, as the form's own script does in a browser: opens the address, sends
 * multipart/form-data piece by piece, asks how the execution fares, loads the page, and ends the execution. Returns the page.
 */
export async function fillInForm(address: string, form: FormData): Promise<string> {
  // n8n listens there a moment after the workflow was published.
  while ((await visit(address)).status === 404) await pause(POLL_MS);
  const response = await send(form, new URL(address));
  const { formWaitingUrl } = JSON.parse(await text(response)) as { formWaitingUrl: string };
  const page = new URL(formWaitingUrl);
  const status = new URL(`${page.pathname}/n8n-execution-status${page.search}`, page);
  while ((await (await visit(status)).text()) !== 'form-waiting') await pause(POLL_MS);
  const last = await (await visit(page)).text();
  await visit(page, 'POST');
  return last;
}

/** Over a connection of its own: n8n, when it was busy for some seconds, closes a kept one just as it is written to. */
function visit(address: string | URL, method = 'GET'): Promise<Response> {
  return fetch(address, { method, headers: { connection: 'close' } });
}

function send(form: FormData, { hostname, port, pathname }: URL): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    form.submit({ host: hostname, port, path: pathname }, (error, response) => {
      if (error === null) resolve(response);
      else reject(error);
    });
  });
}
