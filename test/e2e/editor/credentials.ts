import { test } from '@jest/globals';
import { CredentialDialog } from './support/credential-dialog';
import type { EditorTests } from './support/use-editor';

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
    'saving a Media Service Worker API credential reports that it is connected',
    on.screen(async ({ page, stage }) => {
      const dialog = await CredentialDialog.create(page, 'Media Service Worker API');
      await dialog.fill(stage.fixture.credentials.mediaServiceWorkerApi);
      await dialog.save();
      await dialog.connection.getByText('Connection tested successfully').waitFor();
      await dialog.close();
    }),
  );
}
