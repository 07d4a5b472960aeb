import { describe, expect, it } from '@jest/globals';
import type { PathSource, SourceDescriptor } from '../../../../api/upload/sources/source';
import { sourceAccess } from '../../../../temporal/worker/activity-deps';
import { sealedSource } from '../../../../temporal/upload/client/upload-input';
import { account, accountId, exampleDeps } from './example-deps';

const handedOver = { kind: 'path', path: '/shared/media-service-film.mp4', deleteAfter: true } as const;

function prove(source: SourceDescriptor): void {
  if (source.kind !== 'path') throw new Error('no path');
  sourceAccess(exampleDeps(), accountId, source).proveHandOver?.(source);
}

describe('the proof of a hand-over', () => {
  it("is made by whoever starts the upload with the account's secrets, and is valid for that file", () => {
    expect(() => prove(sealedSource(handedOver, account.secretKey))).not.toThrow();
    expect(JSON.stringify(sealedSource(handedOver, account.secretKey))).not.toContain(account.secretKey);
  });

  it('is not made for a file that must be kept', () => {
    const { path } = handedOver;
    expect(sealedSource({ kind: 'path', path }, account.secretKey)).toEqual({ kind: 'path', path });
  });

  it.each<[string, () => PathSource]>([
    ['that is missing', () => handedOver],
    ['that is not a proof', () => ({ ...handedOver, handOverProof: true })],
    ['of another account', () => sealedOf('another secret')],
    ['of another file', () => ({ ...sealedOf(account.secretKey), path: '/shared/other.mp4' })],
  ])('%s is refused', (_what, source) => {
    expect(() => prove(source())).toThrow(/can't be opened/);
  });
});

function sealedOf(secretKey: string): PathSource {
  const sealed = sealedSource(handedOver, secretKey);
  if (sealed.kind !== 'path') throw new Error('no path');
  return sealed;
}
