/** A failure that the user has already read about. Only the exit code remains to be set. */
export class ReportedFailure extends Error {
  override readonly name = 'ReportedFailure';
  constructor(readonly exitCode: number) {
    super('Reported already.');
  }
}
