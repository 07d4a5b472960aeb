import { TLSSocket, type DetailedPeerCertificate } from 'node:tls';
import { isCertificateCode } from './undici-failure';

/**
 * Lets the error of a refused certificate carry its issuer, see `issuedBy`. A connection that ended shows no certificate
 * any more. Anything but a TLS socket stays as it is.
 */
export function keepIssuer(socket: unknown): void {
  if (!(socket instanceof TLSSocket)) return;
  const destroy = socket.destroy.bind(socket);
  // An answer that is given up destroys its socket with null, whatever the types say.
  socket.destroy = (error?: NodeJS.ErrnoException | null) => {
    if (error !== undefined && error !== null && isCertificateCode(error.code))
      Object.assign(error, { issuer: issuerOf(socket.getPeerCertificate(true)) });
    return destroy(error ?? undefined);
  };
}

type ShownCertificate = Omit<DetailedPeerCertificate, 'issuerCertificate'> & {
  readonly issuerCertificate?: DetailedPeerCertificate;
};

/** The issuer at the end of the chain that the server shows: the one to be trusted. */
export function issuerOf({ issuer, issuerCertificate: above, fingerprint256 }: ShownCertificate): string {
  // A server may leave out the certificates above its own; the last one is its own issuer.
  if (above !== undefined && above.fingerprint256 !== fingerprint256) return issuerOf(above);
  return [issuer.CN, issuer.O].filter(Boolean).join(', ');
}
