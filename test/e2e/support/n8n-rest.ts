const BROWSER_ID = 'browser-of-the-tests';

/** n8n's REST interface as the editor uses it, logged in as the owner. */
export interface N8nRest {
  /** `data` of the answer. Throws an error with the status and the text of any answer other than 2xx. */
  request(method: string, path: string, body?: unknown): Promise<unknown>;
}

export const OWNER = {
  email: 'owner@example.com',
  password: 'Owner-password-1',
  firstName: 'Ada',
  lastName: 'Owner',
} as const;

export class N8nRestError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** Logs in as the owner, and creates the owner if there is none yet. */
export async function connectRest(url: string): Promise<N8nRest> {
  let cookie = '';
  const request = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    // A new connection each time: after being busy for some seconds, n8n closes a kept connection just as it is used.
    const headers = { connection: 'close', 'browser-id': BROWSER_ID, cookie };
    const sent = {
      body: JSON.stringify(body),
      headers: { ...headers, 'content-type': 'application/json' },
    };
    const response = await fetch(`${url}/rest${path}`, {
      method,
      ...(body === undefined ? { headers } : sent),
    });
    const fresh = response.headers.getSetCookie().find((one) => one.startsWith('n8n-auth='));
    if (fresh !== undefined) cookie = fresh.slice(0, fresh.indexOf(';'));
    const text = await response.text();
    if (!response.ok) throw new N8nRestError(response.status, `${method} ${path}: ${text}`);
    return text === '' ? undefined : dataOf(JSON.parse(text));
  };
  await logIn(request);
  return { request };
}

async function logIn(request: N8nRest['request']): Promise<void> {
  const { email, password } = OWNER;
  try {
    await request('POST', '/owner/setup', OWNER);
  } catch (error) {
    if (!(error instanceof N8nRestError) || error.status !== 400) throw error;
    await request('POST', '/login', { emailOrLdapLoginId: email, password });
  }
}

function dataOf(answer: unknown): unknown {
  return typeof answer === 'object' && answer !== null && 'data' in answer ? answer.data : answer;
}
