import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTempDir } from './temp-dir';

export interface Certificate {
  readonly key: Buffer;
  readonly cert: Buffer;
}

const REQUEST = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2'.split(' ');
const FILES = ['-keyout', 'key.pem', '-out', 'cert.pem'];

/** Sends these requests to openssl, in a folder of its own, and returns what `take` takes from its files. */
async function made<T>(
  requests: readonly (readonly string[])[],
  take: (file: (name: string) => Buffer) => T,
): Promise<T> {
  const { path: cwd, remove } = await createTempDir('certificate');
  for (const words of requests) execFileSync('openssl', [...REQUEST, ...words], { cwd, stdio: 'ignore' });
  const taken = take((name) => readFileSync(join(cwd, name)));
  await remove();
  return taken;
}

/** A self-signed certificate for 127.0.0.1 and localhost. */
export function makeCertificate(): Promise<Certificate> {
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost'];
  return made([[...FILES, ...names]], (file) => ({ key: file('key.pem'), cert: file('cert.pem') }));
}

/** A certificate for these names, and the authority that issued it, which nobody trusts yet. */
export function makeIssued(
  authority: string,
  names: readonly string[],
): Promise<Certificate & { readonly ca: Buffer }> {
  const own = ['-keyout', 'ca.key', '-out', 'ca.pem', '-subj', `/CN=${authority}`];
  const issued = [
    ...[...FILES, '-CA', 'ca.pem', '-CAkey', 'ca.key', '-subj', '/CN=server'],
    ...['-addext', `subjectAltName=${names.map((name) => `DNS:${name}`).join(',')}`],
    ...['-addext', 'basicConstraints=critical,CA:FALSE'],
  ];
  return made([own, issued], (file) => ({
    ...{ key: file('key.pem'), cert: file('cert.pem'), ca: file('ca.pem') },
  }));
}
