import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { readWorkerIdentity, workerIdentity } from '../../../temporal/worker-identity';

const folders = (...roots: string[]): string | undefined =>
  readWorkerIdentity(workerIdentity({ host: 'mac', roots }))?.folders;

describe('the name of a worker', () => {
  it('contains its machine, whatever that is called', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'binary' }), (host) => {
        expect(readWorkerIdentity(workerIdentity({ host }))?.host).toBe(host);
      }),
    );
  });

  it('differs for each worker of a process', () => {
    expect(workerIdentity({ host: 'mac' })).not.toBe(workerIdentity({ host: 'mac' }));
  });

  it('shows whether two workers have the same folders, in any order, and none of the folders', () => {
    expect(folders('/a', '/b')).toBe(folders('/b', '/a'));
    expect(folders('/a', '/b')).not.toBe(folders('/a'));
    expect(folders('/a')).toMatch(/^[0-9a-f]{4}$/);
    expect(workerIdentity({ host: 'mac', outputRoots: ['/media/private'] })).not.toContain('private');
  });

  it.each([
    ["the SDK's own", '4711@mac'],
    ["a name of the user's", 'bare'],
    ['none', ''],
    ['another end', '4711@mac/studio'],
    ['no process id', 'me@mac/0a1b2c-3d4e'],
  ])('says nothing if it is %s', (_label, identity) => {
    expect(readWorkerIdentity(identity)).toBeUndefined();
  });
});
