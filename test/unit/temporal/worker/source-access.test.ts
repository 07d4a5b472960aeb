import type { S3Source, SourceDescriptor } from '../../../../api/upload/sources/source';
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

  it.each<[string, () => S3Source]>([
    ['that is missing', () => sent],
    ['that is not a proof', () => ({ ...sent, deleteProof: true })],
    ['of another account', () => sealedOf('another secret')],
    ['of another object', () => ({ ...sealedOf(account.secretKey), key: 'other.mp4' })],
  ])('%s is refused', (_what, source) => {
    expect(() => prove(source())).toThrow(/can't be opened/);
  });
});

function sealedOf(secretKey: string): S3Source {
  const sealed = sealedSource(sent, secretKey);
  if (sealed.kind !== 's3') throw new Error('no object');
  return sealed;
}
