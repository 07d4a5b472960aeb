import fc from 'fast-check';
import { hostOfMixedRoots, hostOfWorker, workerIdentity } from '../../../temporal/worker-identity';

const onMac = (...roots: readonly string[]): string => workerIdentity('mac', roots);

describe('the name of a worker', () => {
  it('contains its machine, whatever that is called', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'binary' }), (host) => {
        expect(hostOfWorker(workerIdentity(host))).toBe(host);
      }),
    );
  });

  it.each<[string, readonly string[], string | undefined]>([
    ['the same folders', [onMac('/a', '/b'), onMac('/b', '/a')], undefined],
    ['other folders', [onMac('/a', '/b'), onMac('/a')], 'mac'],
    ['no folder', [onMac('/a'), onMac()], 'mac'],
    ['other folders of another machine', [onMac('/a'), workerIdentity('pc', ['/b'])], undefined],
    ['folders that nobody knows', [onMac('/a'), workerIdentity('mac'), 'bare'], undefined],
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
