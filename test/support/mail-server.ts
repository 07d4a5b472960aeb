import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import PostalMime from 'postal-mime';
import type { Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';

/** A real SMTP server on loopback that keeps its mails. */
export interface MailServer {
  /** `127.0.0.1:port`. */
  readonly address: string;
  /** The mails as a mail program parses them, oldest first. */
  readonly mails: readonly Email[];
  /** Addresses that are refused, with the reply code. */
  readonly refuses: Map<string, number>;
  /** Called for every complete mail before it is acknowledged. */
  onMail: () => Promise<void>;
  close(): Promise<void>;
}

/** Default: no login is required. */
export async function startMailServer(login?: {
  readonly user: string;
  readonly pass: string;
}): Promise<MailServer> {
  const mails: Email[] = [];
  const refuses = new Map<string, number>();
  const server = new SMTPServer({
    authOptional: login === undefined,
    allowInsecureAuth: true,
    hideSTARTTLS: true,
    onAuth({ username, password }, _session, done) {
      if (username === login?.user && password === login?.pass) done(null, { user: username });
      else done(Object.assign(new Error('Invalid login'), { responseCode: 535 }));
    },
    onRcptTo({ address }, _session, done) {
      const code = refuses.get(address);
      const refusal = Object.assign(new Error('No such user here'), { responseCode: code });
      done(code === undefined ? null : refusal);
    },
    onData(stream, _session, done) {
      buffer(stream)
        .then((raw) => PostalMime.parse(raw, { attachmentEncoding: 'utf8' }))
        .then(async (mail) => {
          mails.push(mail);
          await held.onMail();
          done();
        }, done);
    },
  });
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  const held: MailServer = {
    address: `127.0.0.1:${port}`,
    mails,
    refuses,
    onMail: async () => undefined,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return held;
}
