import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { TemporalAddress } from '../../../temporal/client/temporal-network';
import { ConfigurationError } from '../../../api/errors';
import { hostAndPort } from '../../../settings/value-parsers';

const WHERE = 'of the credential "Temporal API"';

/**
 * Throws a `ConfigurationError` that names the form's field if the address or a given certificate can't be used.
 * Connects to nothing. `mtls`: requires a client certificate and its key.
 */
export function checkTemporalCredential(at: TemporalAddress, mtls: boolean): void {
  checkAddress(at.address);
  const { caPem, certPem, keyPem } = typeof at.tls === 'object' ? at.tls : {};
  if (mtls && certPem === undefined) throw empty('clientCertificate', 'Client Certificate');
  if (mtls && keyPem === undefined) throw empty('clientPrivateKey', 'Client Private Key');
  if (caPem !== undefined) checkCertificate('serverCaCertificate', 'Server CA Certificate', caPem);
  if (certPem !== undefined) checkCertificate('clientCertificate', 'Client Certificate', certPem);
  if (keyPem !== undefined) checkKey(keyPem);
  if (certPem !== undefined && keyPem !== undefined) checkPair(certPem, keyPem);
}

function checkAddress(address: string): void {
  if (address === '') throw empty('address', 'Address');
  if (canRead(() => hostAndPort(address))) return;
  throw new ConfigurationError(
    'address',
    `Address is not host:port (it is "${address}")`,
    `Write only host and port, without scheme or path, for example localhost:7233. It is the field "Address" ${WHERE}.`,
  );
}

function checkCertificate(field: string, label: string, pem: string): void {
  if (canRead(() => new X509Certificate(pem))) return;
  throw new ConfigurationError(
    field,
    `${label} is not a certificate in PEM form`,
    `Paste the file in full, from -----BEGIN CERTIFICATE----- to the end. It is the field "${label}" ${WHERE}.`,
  );
}

function checkKey(pem: string): void {
  if (canRead(() => createPrivateKey(pem))) return;
  throw new ConfigurationError(
    'clientPrivateKey',
    'Client Private Key is not a private key in PEM form, or is encrypted',
    `Paste the file of the unencrypted key in full, with its BEGIN and END lines. It is the field "Client Private Key" ${WHERE}.`,
  );
}

function checkPair(certPem: string, keyPem: string): void {
  if (new X509Certificate(certPem).checkPrivateKey(createPrivateKey(keyPem))) return;
  throw new ConfigurationError(
    'clientPrivateKey',
    'Client Private Key is not the key of the client certificate',
    `Paste the key that belongs to the certificate. It is the field "Client Private Key" ${WHERE}.`,
  );
}

function canRead(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}

function empty(field: string, label: string): ConfigurationError {
  return new ConfigurationError(
    field,
    `${label} is empty`,
    `Fill it in. It is the field "${label}" ${WHERE}.`,
  );
}
