import { expect, test } from '@jest/globals';
import { freePort } from '../../support/free-port';
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
    'saving a Temporal API credential reports that it is connected',
    on.screen(async ({ page, stage }) => {
      const dialog = await CredentialDialog.create(page, 'Temporal API');
      await dialog.fill(stage.fixture.credentials.mediaServiceTemporalApi);
      await dialog.save();
      await dialog.connection.getByText('Connection tested successfully').waitFor();
      await dialog.close();
    }),
  );

  test(
    'a Temporal API credential without a server at its address names the address',
    on.screen(async ({ page, stage }) => {
      const address = `127.0.0.1:${await freePort()}`;
      const dialog = await CredentialDialog.create(page, 'Temporal API');
      await dialog.fill({ ...stage.fixture.credentials.mediaServiceTemporalApi, address });
      await dialog.save();
      expect(await dialog.failure()).toBe(
        `No Temporal server answers at ${address}: connection refused, nothing listens there. Check address, TLS and API key.`,
      );
      await dialog.close();
    }),
  );
}
