import { expect, test } from '@jest/globals';
import { CredentialDialog } from './support/credential-dialog';
import type { EditorTests } from './support/use-editor';

const CHECK =
  'Check the API key, the secret key and the external id, each pasted in full, and that all three belong to this address.';

export function describeCredentials(on: EditorTests): void {
  test(
    'saving a complete Media Service API credential reports that it is connected',
    on.screen(async ({ page, stage }) => {
      const dialog = await CredentialDialog.create(page, 'Media Service API');
      await dialog.fill(stage.fixture.credentials.mediaServiceApi);
      await dialog.save();
      await dialog.connection.getByText('Connection tested successfully').waitFor();
      await dialog.close();
    }),
  );

  test.each([
    [
      'a wrong secret key',
      { secretKey: 'wrong-secret-key' },
      `login failed (401): The signature does not match. ${CHECK}`,
    ],
    [
      'a base URL that is not an address',
      { baseUrl: 'media.example' },
      'Base URL must start with http:// or https://. Write it in full, for example https://media.example.com. It is the field "Base URL" of the credential "Media Service API".',
    ],
  ])(
    'saving a Media Service API credential with %s reports an error and how to fix it',
    on.screen(async ({ page, stage }, _what: string, wrong: Record<string, string>, reported: string) => {
      const dialog = await CredentialDialog.create(page, 'Media Service API');
      await dialog.fill({ ...stage.fixture.credentials.mediaServiceApi, ...wrong });
      await dialog.save();
      expect(await dialog.failure()).toBe(reported);
      await dialog.close();
    }),
  );

  test(
    'saving a Media Service Worker API credential reports that it is connected',
    on.screen(async ({ page, stage }) => {
      const dialog = await CredentialDialog.create(page, 'Media Service Worker API');
      await dialog.fill(stage.fixture.credentials.mediaServiceWorkerApi);
      await dialog.save();
      await dialog.connection.getByText('Connection tested successfully').waitFor();
      await dialog.close();
    }),
  );

  test.each([
    ['a wrong token', { token: 'wrong' }, /does not accept this token/],
    ["n8n's own address", 'n8n', /but something else|but a web page/],
  ])(
    'a Media Service Worker API credential with %s says what is wrong',
    on.screen(async ({ page, stage }, _what: string, wrong: object | string, reported: RegExp) => {
      const change = typeof wrong === 'string' ? { url: stage.n8n.url } : wrong;
      const dialog = await CredentialDialog.create(page, 'Media Service Worker API');
      await dialog.fill({ ...stage.fixture.credentials.mediaServiceWorkerApi, ...change });
      await dialog.save();
      expect(await dialog.failure()).toMatch(reported);
      await dialog.close();
    }),
  );
}
