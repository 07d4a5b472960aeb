import type { SourceDescriptor } from '../../../../api/upload/sources/source';
import { sourceAccess } from '../../../../temporal/worker/activity-deps';
import { sealedSource } from '../../../../temporal/upload/client/upload-input';
import { account, accountId, exampleDeps } from './example-deps';

const sent = { kind: 's3', bucket: 'sent', key: 'a.kept/film.mp4', deleteAfter: true } as const;

function prove(source: SourceDescriptor): void {
  if (source.kind !== 's3') throw new Error('no object');
  sourceAccess(exampleDeps(), accountId).proveOwn?.(source);
}

describe('the proof that an object may be deleted', () => {
  it("is made by whoever starts the upload with the account's secrets, and is valid for that object", () => {
    expect(() => prove(sealedSource(sent, account.secretKey))).not.toThrow();
    expect(JSON.stringify(sealedSource(sent, account.secretKey))).not.toContain(account.secretKey);
  });

  it('is not made for an object that must be kept', () => {
    const { deleteAfter: _no, ...stays } = sent;
    expect(sealedSource(stays, account.secretKey)).toEqual(stays);
  });

  it.each([
    ['that is missing', sent],
    ['that is not a proof', { ...sent, deleteProof: true } as const],
    ['of another account', sealedSource(sent, 'another secret')],
    ['of another object', { ...sealedSource(sent, account.secretKey), key: 'other.mp4' } as SourceDescriptor],
  ])('%s is refused', (_what, source) => {
    expect(() => prove(source)).toThrow(/can't be opened/);
  });
});
