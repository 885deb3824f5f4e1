/** Runs one thing after the other, whatever became of those before. */
export class InOrder {
  private latest: Promise<unknown> = Promise.resolve();

  run(work: () => Promise<void>): Promise<void> {
    const next = this.latest.then(work, work);
    this.latest = next;
    return next;
  }
}
