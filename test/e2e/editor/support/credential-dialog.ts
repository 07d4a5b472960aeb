import type { IDataObject } from 'n8n-workflow';
import type { Locator, Page } from 'playwright-core';

const CHOICES = ['environment', 'authentication'];

/** The dialog in which a user makes or edits a credential. */
export class CredentialDialog {
  private constructor(private readonly page: Page) {}

  /** Opens it for a new credential, found among all types by its display name. Once on the page of credentials, loads nothing anew. */
  static async create(page: Page, type: string): Promise<CredentialDialog> {
    const add = page.getByTestId('add-resource-credential');
    const covered = page.getByTestId('editCredential-modal');
    if (!(await add.isVisible()) || (await covered.isVisible())) {
      await page.goto('/home/credentials', { waitUntil: 'commit' });
    }
    await add.click();
    const picker = page.getByTestId('new-credential-type-select');
    await picker.locator('input').fill(type);
    await page.getByTestId('new-credential-type-select-option').filter({ hasText: type }).click();
    await page.getByTestId('new-credential-type-button').click();
    return new CredentialDialog(page);
  }

  /** Where the outcome of the test is told. */
  get connection(): Locator {
    return this.page.getByTestId('node-credentials-config-container');
  }

  /** Writes the texts into their fields, by parameter name; what is chosen from a list stays at its default. */
  async fill(data: IDataObject): Promise<void> {
    for (const [name, value] of Object.entries(data)) {
      if (typeof value !== 'string' || CHOICES.includes(name)) continue;
      await this.page.getByTestId(`parameter-input-${name}`).locator('input, textarea').first().fill(value);
    }
  }

  /** Saves, upon which n8n tests the credential. */
  async save(): Promise<void> {
    await this.page.getByTestId('credential-save-button').click();
  }

  async close(): Promise<void> {
    const dialog = this.page.getByTestId('editCredential-modal');
    await dialog.getByRole('button', { name: 'Close' }).click();
    await dialog.waitFor({ state: 'hidden' });
  }

  /** Waits for a failed test, and unfolds and returns what it says. */
  async failure(): Promise<string> {
    const banner = this.connection.locator('.el-tag--danger').filter({ visible: true });
    await banner.getByText('Couldn’t connect with these settings').waitFor();
    await banner.getByText('More details').click();
    await banner.getByText('More details').waitFor({ state: 'hidden' });
    return (await banner.innerText()).split('\n').at(-1) ?? '';
  }
}
