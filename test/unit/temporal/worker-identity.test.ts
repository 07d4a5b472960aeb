import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { hostOfWorker, workerIdentity } from '../../../temporal/worker-identity';

describe('the name of a worker', () => {
  it('contains its machine, whatever that is called', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'binary' }), (host) => {
        expect(hostOfWorker(workerIdentity(host))).toBe(host);
      }),
    );
  });

  it('differs for each worker of a process', () => {
    expect(workerIdentity('mac')).not.toBe(workerIdentity('mac'));
  });

  it.each([
    ["the SDK's own", '4711@mac'],
    ["a name of the user's", 'bare'],
    ['none', ''],
    ['another end', '4711@mac/studio'],
    ['no process id', 'me@mac/0a1b2c'],
  ])('says nothing if it is %s', (_label, identity) => {
    expect(hostOfWorker(identity)).toBeUndefined();
  });
});
