import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import PostalMime from 'postal-mime';
import type { Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { createCredential } from '../../support/n8n-executions';
import type { N8nRest } from '../../support/n8n-rest';
import type { StoredCredentials } from '../../support/n8n-stage';
import { createQueue } from './queue';

export interface MailServer {
  /** Returns the oldest mail that was not taken yet, parsed as a mail program does, or waits for one. */
  next(): Promise<Email>;
  /** Stores the credential that n8n's Send Email node requires for this server. */
  credential(rest: N8nRest): Promise<StoredCredentials>;
  close(): Promise<void>;
}

/** A real SMTP server on loopback, without TLS and login. */
export async function startMailServer(): Promise<MailServer> {
  const mails = createQueue<Email>();
  const server = new SMTPServer({
    authOptional: true,
    hideSTARTTLS: true,
    onData(stream, _session, done) {
      buffer(stream)
        .then((raw) => PostalMime.parse(raw, { attachmentEncoding: 'utf8' }))
        .then((mail) => {
          mails.put(mail);
          done();
        }, done);
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  return {
    next: () => mails.take(),
    async credential(rest) {
      const data = { user: '', password: '', host: '127.0.0.1', port, secure: false, disableStartTls: true };
      return { smtp: await createCredential(rest, { name: 'mail server', type: 'smtp', data }) };
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
