import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTempDir } from './temp-dir';

export interface Certificate {
  readonly key: Buffer;
  readonly cert: Buffer;
}

/** A self-signed certificate for 127.0.0.1 and localhost. */
export async function makeCertificate(): Promise<Certificate> {
  const folder = await createTempDir('certificate');
  const [key, cert] = [join(folder.path, 'key.pem'), join(folder.path, 'cert.pem')];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost'];
  const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  execFileSync('openssl', [...made, '-keyout', key, '-out', cert, ...names], { stdio: 'ignore' });
  const pair = { key: readFileSync(key), cert: readFileSync(cert) };
  await folder.remove();
  return pair;
}
