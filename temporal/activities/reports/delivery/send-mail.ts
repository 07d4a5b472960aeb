import type * as Nodemailer from 'nodemailer';
import { ConfigurationError } from '../../../../api/errors';
import type { NamedSecrets } from '../../../../api/named-secrets';
import type { ReportMail } from '../../../../reports/mail/report-mail';
import type { MailSettings } from '../../../contract/failure-report';
import { smtpAddress } from './smtp-address';
import { errorOfSmtp } from './smtp-failure';

const CONNECT_MS = 15_000;
const ANSWER_MS = 60_000;

interface MailOut {
  readonly settings: MailSettings;
  readonly to: string;
  readonly mail: ReportMail;
  /** First part of the Message-ID: the same for the same mail. */
  readonly name: string;
}

/**
 * Sends one mail to one address. Resolves with its Message-ID after the server has accepted it. Rejects with
 * `Configuration` (secret, login), `RequestRefused` (sender, recipient, content) or a retryable error. Loads the mail
 * library with the first mail.
 */
export async function sendMail(
  secrets: NamedSecrets,
  { settings, to, mail, name }: MailOut,
): Promise<string> {
  const { smtpSecret, from } = settings;
  const address = smtpAddress(await secrets.read(smtpSecret), smtpSecret);
  const { createTransport } = await loadNodemailer();
  const transport = createTransport({
    ...address,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: ANSWER_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const messageId = `<${name}@${from.slice(from.lastIndexOf('@') + 1).replace(/[^\w.-]/g, '')}>`;
  try {
    await transport.sendMail({
      from,
      to,
      messageId,
      subject: mail.subject,
      text: mail.text,
      html: mail.html,
      attachments: mail.attachments.map(({ fileName, contentType, content }) => ({
        filename: fileName,
        contentType,
        content,
      })),
      // Prevents automatic replies, such as vacation notices.
      headers: { 'Auto-Submitted': 'auto-generated' },
    });
    return messageId;
  } catch (error) {
    throw errorOfSmtp(error, { server: `${address.host}:${address.port}`, smtpSecret, from, to });
  } finally {
    transport.close();
  }
}

async function loadNodemailer(): Promise<typeof Nodemailer> {
  try {
    return await import('nodemailer');
  } catch {
    throw new ConfigurationError(
      'nodemailer',
      'the library "nodemailer" is not installed where the worker runs',
      'Install it there: npm install nodemailer@10',
    );
  }
}
