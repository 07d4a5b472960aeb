import type { Locator, Page } from 'playwright-core';

/** What the output panel shows for a failed step. */
export interface ShownError {
  readonly message: string;
  /** What to do about it; empty if there is no advice. */
  readonly description: string;
}

/** The open view of a node: parameters in the middle, output on the right. */
export class NodeView {
  readonly root: Locator;
  readonly output: Locator;

  constructor(private readonly page: Page) {
    this.root = page.getByTestId('ndv');
    this.output = this.root.getByTestId('output-panel');
  }

  /** Opens a node of the workflow on the canvas. */
  static async open(page: Page, node: string): Promise<NodeView> {
    await page.locator(`[data-test-id="canvas-node"][data-node-name="${node}"]`).dblclick();
    const view = new NodeView(page);
    await view.parameters.waitFor();
    return view;
  }

  private get parameters(): Locator {
    return this.root.getByTestId('node-parameters');
  }

  private field(name: string): Locator {
    return this.root.getByTestId(`parameter-input-${name}`).filter({ visible: true }).last();
  }

  /** Writes a fixed value into a field of text, number or JSON. */
  async write(name: string, value: string): Promise<void> {
    const kept = this.kept(value);
    await this.field(name).locator('input, textarea, .cm-content').first().fill(value);
    await kept;
  }

  /** Turns the field into an expression and writes that. */
  async writeExpression(name: string, expression: string): Promise<void> {
    await this.field(name).hover();
    const options = this.root.getByTestId(`${name}-parameter-input-options-container`);
    await options.getByTestId('radio-button-expression').click();
    const kept = this.kept(expression);
    await this.field(name).locator('.cm-content').fill(expression);
    await kept;
  }

  /** The editor stores typed text with a delay and then saves it. A step that runs earlier uses the old value. */
  private async kept(text: string): Promise<void> {
    const value = JSON.stringify(text).slice(1, -1);
    await this.page.waitForRequest(
      (request) => request.method() === 'PATCH' && (request.postData() ?? '').includes(value),
    );
  }

  /** Adds a field to the collection whose button has this text. */
  async add(button: string, field: string): Promise<void> {
    await (await this.unfold(button)).getByText(field, { exact: true }).click();
  }

  private async unfold(button: string): Promise<Locator> {
    await this.parameters.getByPlaceholder(button, { exact: true }).click();
    const options = this.page.getByTestId('collection-parameter-option').filter({ visible: true });
    await options.first().waitFor();
    return options;
  }

  /** Presses "Execute step", or the corresponding button of a trigger. */
  async execute(): Promise<void> {
    await this.root.getByTestId('node-execute-button').click();
  }

  /** Waits for items in the output panel. */
  async items(): Promise<void> {
    await this.output.getByText(/^\d+ items?$/).waitFor();
  }

  /** Waits for the step to fail. */
  async error(): Promise<ShownError> {
    const message = await this.output.getByTestId('node-error-message').innerText();
    const description = this.output.getByTestId('node-error-description');
    return { message, description: (await description.isVisible()) ? await description.innerText() : '' };
  }

  /** Presses the stop button of a running step. */
  async stop(): Promise<void> {
    await this.root
      .getByTestId('stop-execution-button')
      .or(this.root.getByTestId('ndv-stop-execution-button'))
      .first()
      .click();
  }

  async close(): Promise<void> {
    await this.root.getByTestId('ndv-close-button').click();
    await this.root.waitFor({ state: 'hidden' });
  }
}
