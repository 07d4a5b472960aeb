import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTempDir } from './temp-dir';

export interface Certificate {
  readonly key: Buffer;
  readonly cert: Buffer;
}

function request(...words: readonly string[]): void {
  const made = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-days',
    '2',
  ];
  execFileSync('openssl', [...made, ...words], { stdio: 'ignore' });
}

/** A self-signed certificate for 127.0.0.1 and localhost. */
export async function makeCertificate(): Promise<Certificate> {
  const folder = await createTempDir('certificate');
  const [key, cert] = [join(folder.path, 'key.pem'), join(folder.path, 'cert.pem')];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost'];
  request('-keyout', key, '-out', cert, ...names);
  const pair = { key: readFileSync(key), cert: readFileSync(cert) };
  await folder.remove();
  return pair;
}

/** A certificate for these names, and the authority that issued it, which nobody trusts yet. */
export async function makeIssued(
  authority: string,
  names: readonly string[],
): Promise<Certificate & { readonly ca: Buffer }> {
  const folder = await createTempDir('authority');
  const at = (name: string): string => join(folder.path, name);
  request('-keyout', at('ca.key'), '-out', at('ca.pem'), '-subj', `/CN=${authority}`);
  request(
    ...['-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-keyout', at('key.pem'), '-out', at('cert.pem')],
    ...['-subj', '/CN=server', '-addext', `subjectAltName=${names.map((name) => `DNS:${name}`).join(',')}`],
    ...['-addext', 'basicConstraints=critical,CA:FALSE'],
  );
  const [key, cert, ca] = ['key.pem', 'cert.pem', 'ca.pem'].map((name) => readFileSync(at(name)));
  await folder.remove();
  if (key === undefined || cert === undefined || ca === undefined) throw new Error('openssl wrote no files.');
  return { key, cert, ca };
}
