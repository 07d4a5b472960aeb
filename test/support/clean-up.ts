/** Closes everything in reverse order, even if opening the rest failed, so that no server outlives its test. */
export class CleanUp {
  private readonly undoings: (() => Promise<void>)[] = [];

  add(undo: () => Promise<void>): void {
    this.undoings.push(undo);
  }

  /** Undoes everything if `open` rejects. */
  async orUndo<T>(open: () => Promise<T>): Promise<T> {
    try {
      return await open();
    } catch (error) {
      await this.run();
      throw error;
    }
  }

  /** Runs every undo function, whatever fails. Rejects with the first failure. */
  async run(): Promise<void> {
    const failures: unknown[] = [];
    for (const undo of this.undoings.splice(0).reverse()) {
      await undo().catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }
}
