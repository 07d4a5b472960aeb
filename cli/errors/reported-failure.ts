/** Something failed that the user has read about already; only the exit code is left to set. */
export class ReportedFailure extends Error {
  override readonly name = 'ReportedFailure';
  constructor(readonly exitCode: number) {
    super('Reported already.');
  }
}
