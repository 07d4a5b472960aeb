import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import type FormData from 'form-data';
import { until } from '../../../support/until';

/**
 * Fills in a form of n8n and waits for its last page, as the form's own script does in a browser. It opens the address,
 * sends multipart/form-data piece by piece, polls the execution, loads the page and ends the execution. Returns the
 * page.
 */
export async function fillInForm(address: string, form: FormData): Promise<string> {
  // n8n listens there a moment after the workflow is published.
  await until(
    `n8n knows the form ${address}`,
    async () => (await visit(address)).status,
    (status) => status !== 404,
  );
  const response = await send(form, new URL(address));
  const { formWaitingUrl } = JSON.parse(await text(response)) as { formWaitingUrl: string };
  const page = new URL(formWaitingUrl);
  const status = new URL(`${page.pathname}/n8n-execution-status${page.search}`, page);
  await until(
    'the execution waits for the last page',
    async () => (await visit(status)).text(),
    (said) => said === 'form-waiting',
  );
  const last = await (await visit(page)).text();
  await visit(page, 'POST');
  return last;
}

/** A new connection each time: after being busy for some seconds, n8n closes a kept connection just as it is used. */
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
