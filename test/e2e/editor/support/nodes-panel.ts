import type { Locator, Page } from 'playwright-core';

/** The panel from which users add nodes to the canvas. */
export class NodesPanel {
  private constructor(private readonly page: Page) {}

  static async open(page: Page): Promise<NodesPanel> {
    await page.getByTestId('node-creator-plus-button').click();
    return new NodesPanel(page);
  }

  private get items(): Locator {
    return this.page.getByTestId('node-creator-item-name');
  }

  /** Types into the search field. Resolves with the names of all listed nodes once the expected one is listed. */
  async search(text: string, expected: string): Promise<string[]> {
    await this.page.getByTestId('node-creator-search-bar').fill(text);
    await this.items.getByText(expected, { exact: true }).first().waitFor();
    return this.items.allInnerTexts();
  }

  /** Opens a listed node, and resolves with its actions. */
  async actionsOf(node: string): Promise<string[]> {
    await this.items.getByText(node, { exact: true }).first().click();
    await this.page.getByText('Node details').waitFor();
    return (await this.items.allInnerTexts()).filter((name) => name !== node);
  }

  /** Adds the node to the canvas with the resource and operation of the action; its view opens. */
  async add(action: string): Promise<void> {
    await this.items.getByText(action, { exact: true }).click();
  }
}
