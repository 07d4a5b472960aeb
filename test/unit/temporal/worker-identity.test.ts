import fc from 'fast-check';
import { hostOfMixedRoots, hostOfWorker, workerIdentity } from '../../../temporal/worker-identity';

describe('the name of a worker', () => {
  it('contains its machine, whatever that is called', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'binary' }), (host) => {
        expect(hostOfWorker(workerIdentity(host))).toBe(host);
      }),
    );
  });

  it.each<[string, readonly string[], string | undefined]>([
    [
      'the same folders',
      [workerIdentity('mac', ['/a', '/b']), workerIdentity('mac', ['/b', '/a'])],
      undefined,
    ],
    ['other folders', [workerIdentity('mac', ['/a', '/b']), workerIdentity('mac', ['/a'])], 'mac'],
    ['no folder', [workerIdentity('mac', ['/a']), workerIdentity('mac', [])], 'mac'],
    [
      'other folders of another machine',
      [workerIdentity('mac', ['/a']), workerIdentity('pc', ['/b'])],
      undefined,
    ],
    ['folders that nobody knows', [workerIdentity('mac', ['/a']), workerIdentity('mac'), 'bare'], undefined],
  ])('shows that the workers of a machine read %s', (_what, identities, host) => {
    expect(hostOfMixedRoots(identities)).toBe(host);
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
