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

  test(
    'saving a Media Service API credential with a wrong secret key reports an error and how to fix it',
    on.screen(async ({ page, stage }) => {
      const dialog = await CredentialDialog.create(page, 'Media Service API');
      await dialog.fill({ ...stage.fixture.credentials.mediaServiceApi, secretKey: 'wrong-secret-key' });
      await dialog.save();
      expect(await dialog.failure()).toBe(`login failed (401): The signature does not match. ${CHECK}`);
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

  test(
    "a Media Service Worker API credential with n8n's own address says what is wrong",
    on.screen(async ({ page, stage }) => {
      const dialog = await CredentialDialog.create(page, 'Media Service Worker API');
      await dialog.fill({ ...stage.fixture.credentials.mediaServiceWorkerApi, url: stage.n8n.url });
      await dialog.save();
      expect(await dialog.failure()).toMatch(/but something else|but a web page/);
      await dialog.close();
    }),
  );
}
