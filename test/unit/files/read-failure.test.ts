import fc from 'fast-check';
import { isRetryable } from '../../../api/retry';
import { mayPass } from '../../../files/system-error';
import { sourceUnreadable } from '../../../files/read-failure';

function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: it failed, read`), { code, syscall: 'read', errno: -1 });
}

describe("a source that the system can't read", () => {
  it.each([
    ['ENOENT', 'does not exist'],
    ['ENOTDIR', 'a part of its path is not a folder'],
    ['EISDIR', 'is a folder'],
    ['ELOOP', 'is a loop of symbolic links'],
    ['ENAMETOOLONG', 'has too long a name'],
  ])('is missing for good with %s, since waiting changes nothing', (code, says) => {
    const failure = sourceUnreadable('/films/a.mp4', systemError(code));
    expect(failure.code).toBe('SourceMissing');
    expect(failure.message).toContain(says);
    expect(isRetryable(failure)).toBe(false);
  });

  it.each(['EACCES', 'EPERM'])('is there, but not allowed, with %s: its rights must change', (code) => {
    const failure = sourceUnreadable('/films/a.mp4', systemError(code));
    expect(failure.code).toBe('SourceNotAllowed');
    expect(failure.message).toContain('may not be read by this process');
    expect(failure.facts.hint).toContain('the right to read it');
    expect(isRetryable(failure)).toBe(false);
  });

  it.each([
    ['EIO', 'disk or network share'],
    ['EMFILE', 'ulimit -n'],
    ['ENFILE', 'ulimit -n'],
    ['ETIMEDOUT', 'continues'],
  ])('is unavailable for now with %s, with what would bring it back, and is retried', (code, helps) => {
    const failure = sourceUnreadable('/films/a.mp4', systemError(code));
    expect(failure.code).toBe('SourceUnavailable');
    expect(failure.message).toMatch(/^the source \/films\/a\.mp4 can't be (read|opened) for now/);
    expect(failure.facts).toMatchObject({ outcome: 'unsent', hint: expect.stringContaining(helps) });
    expect(isRetryable(failure)).toBe(true);
  });

  it('is unavailable with every unknown code', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^EX[A-Z]{2,8}$/), (code) => {
        expect(mayPass(systemError(code))).toBe(true);
      }),
    );
  });

  it('is missing if there is no system error, since nothing shows that it is temporary', () => {
    expect(sourceUnreadable('/films/a.mp4', new Error('odd')).code).toBe('SourceMissing');
  });
});
