import { CredentialDialog } from './support/credential-dialog';
import type { EditorTests } from './support/use-editor';

const NAMES = {
  mediaServiceApi: 'Media Service API',
  mediaServiceWorkerApi: 'Media Service Worker API',
} as const;

export function describeCredentials(on: EditorTests): void {
  test.each(['mediaServiceApi', 'mediaServiceWorkerApi'] as const)(
    'saving a complete credential %s reports that it is connected',
    on.screen(async ({ page, stage }, type: keyof typeof NAMES) => {
      const dialog = await CredentialDialog.create(page, NAMES[type]);
      await dialog.fill(stage.fixture.credentials[type]);
      await dialog.save();
      await dialog.connection.getByText('Connection tested successfully').waitFor();
      await dialog.close();
    }),
  );
}
