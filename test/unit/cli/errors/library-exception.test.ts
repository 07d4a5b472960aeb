import { libraryException } from '../../../../cli/errors/render-error';

function thrownAt(...frames: string[]): Error {
  const error = new Error('assert(!this.paused)\nhttps://h/a?X-Amz-Signature=abc');
  error.stack = ['Error: x', ...frames.map((frame) => `    at ${frame}`)].join('\n');
  return error;
}

const CORE = 'Socket.emit (node:events:508:28)';
const OWN = 'send (/opt/app/dist/api/transport/undici-transport.js:1:1)';

test.each<[string, unknown, string | undefined]>([
  ['a library', thrownAt(CORE, 'Parser.execute (/opt/app/node_modules/undici/lib/a.js:1:1)', OWN), 'undici'],
  ['a scoped library', thrownAt('/opt/app/node_modules/@smithy/core/dist/i.js:1:1'), '@smithy/core'],
  [
    'a library below our own package',
    thrownAt('a (/usr/lib/node_modules/media-service/node_modules/undici/lib/a.js:1:1)'),
    'undici',
  ],
  ['our own code', thrownAt(CORE, OWN, 'x (/opt/app/node_modules/undici/lib/a.js:1:1)'), undefined],
  [
    'our own code in its package',
    thrownAt('x (/opt/node_modules/media-service/dist/cli/main.js:1:1)'),
    undefined,
  ],
  ['Node alone', thrownAt(CORE), undefined],
  ['a text', 'thrown', undefined],
])('an exception of %s is recognised', (_what, error, library) => {
  const line = libraryException(error)?.message;
  if (library === undefined) expect(line).toBeUndefined();
  else expect(line).toMatch(new RegExp(`^the library ${library} failed outside of any call: assert.*$`));
  expect(line ?? '').not.toContain('abc');
});
