import type { IDataObject } from 'n8n-workflow';
import type { Locator, Page } from 'playwright-core';

/** The dialog in which a user creates or edits a credential. */
export class CredentialDialog {
  private constructor(private readonly page: Page) {}

  /**
   * Opens the dialog for a new credential, and finds its type by display name. Does not reload the credentials page.
   */
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

  /** Shows the result of the test. */
  get connection(): Locator {
    return this.page.getByTestId('node-credentials-config-container');
  }

  /** Writes the texts into their fields by parameter name. */
  async fill(data: IDataObject): Promise<void> {
    for (const [name, value] of Object.entries(data)) {
      if (typeof value !== 'string') continue;
      await this.page.getByTestId(`parameter-input-${name}`).locator('input, textarea').first().fill(value);
    }
  }

  /** Saves the credential, which n8n then tests. */
  async save(): Promise<void> {
    await this.page.getByTestId('credential-save-button').click();
  }

  async close(): Promise<void> {
    const dialog = this.page.getByTestId('editCredential-modal');
    await dialog.getByRole('button', { name: 'Close' }).click();
    await dialog.waitFor({ state: 'hidden' });
  }
}
