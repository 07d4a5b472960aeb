import { createHash } from 'node:crypto';
import { isLoopback } from '../../../api/account';
import { ValidationError, wrongField } from '../../../api/errors';
import { locationText, parseLocation } from '../../../files/file-location';
import type { ReportTarget } from '../types';
import { seal, webhookUrlPurpose } from '../../seal';
import type { SealKeys } from '../../seal';

export interface TargetReading {
  /** The folder of relative paths. */
  readonly cwd: string;
  /** The machine that has the paths. Unset: every worker mounts them. */
  readonly host?: string | undefined;
  readonly sealKeys: SealKeys;
  /** Whether plain http is allowed to hosts other than this machine. */
  readonly allowPlainHttp?: boolean | undefined;
}

const KINDS = 'Write mail:ops@example.org, https://host/path, s3://bucket/folder or file:/folder.';
const DIGEST_LENGTH = 12;

/**
 * Reads targets: `mail:a@b,c@d`, `https://…`, `s3://bucket/folder` and `file:/folder`. Each mail address is a separate
 * target, so that no address gets a report twice if the server refuses another one. URLs of webhooks are sealed.
 * Throws a `ValidationError` for no target, for other kinds, and for repeated targets.
 */
export function parseTargets(texts: readonly string[], reading: TargetReading): ReportTarget[] {
  const targets = texts.flatMap((text) => targetsOf(text.trim(), reading));
  if (targets.length === 0) throw wrongField('target', 'is missing: the report has no target', KINDS);
  const keys = new Set<string>();
  const twice = targets.find(({ key }) => keys.size === keys.add(key).size);
  if (twice === undefined) return targets;
  throw new ValidationError('target', `${twice.key} is given twice`, 'Name each target once.');
}

function targetsOf(text: string, reading: TargetReading): ReportTarget[] {
  if (/^mail(to)?:/i.test(text)) return mailTargets(text.slice(text.indexOf(':') + 1));
  if (/^https?:/i.test(text)) return [webhookTarget(text, reading)];
  if (/^(s3|file):/i.test(text)) return [folderTarget(text, reading)];
  throw new ValidationError('target', `"${text.slice(0, 60)}" is not a target`, KINDS);
}

function mailTargets(list: string): ReportTarget[] {
  return list.split(',').map((each) => {
    const address = checkMailAddress(each, 'target');
    return { kind: 'mail', key: `mail:${address}`, address };
  });
}

/** Checks a mail address without a name. Throws a `ValidationError`. */
export function checkMailAddress(text: string, field: string): string {
  const address = text.trim();
  if (/^[^\s@<>,;:"()[\]\\]+@[^\s@<>,;:"()[\]\\]+$/.test(address)) return address;
  throw new ValidationError(
    field,
    `"${address.slice(0, 80)}" is not a mail address`,
    'Write it as ops@example.org, without a name.',
  );
}

function webhookTarget(text: string, { sealKeys, allowPlainHttp }: TargetReading): ReportTarget {
  if (!URL.canParse(text))
    throw new ValidationError('target', "the address of a webhook can't be read", KINDS);
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') {
    throw new ValidationError(
      'target',
      `the address of ${url.host} holds a password`,
      'Remove the password, because the webhook secret signs posts.',
    );
  }
  if (url.protocol === 'http:' && allowPlainHttp !== true && !isLoopback(url.hostname)) {
    throw new ValidationError('target', `posts to ${url.host} would use plain http`, 'Use https.');
  }
  const digest = createHash('sha256').update(url.href).digest('hex').slice(0, DIGEST_LENGTH);
  // The key is not a URL: redaction of URLs would remove the digest as a secret.
  const key = `webhook:${url.host}#${digest}`;
  return { kind: 'webhook', key, url: seal(sealKeys, url.href, webhookUrlPurpose(key)) };
}

function folderTarget(text: string, { cwd, host }: TargetReading): ReportTarget {
  const folder = parseLocation(text, { cwd, host, field: 'target' });
  const on = folder.kind === 'path' && folder.host !== undefined ? `@${folder.host}` : '';
  const scheme = folder.kind === 'path' ? 'file:' : '';
  return { kind: 'folder', key: `${scheme}${locationText(folder)}${on}`, folder };
}
