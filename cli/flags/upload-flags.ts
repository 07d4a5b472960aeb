import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { ValidationError } from '../../api/errors';
import { given, isJsonObject, parseExact } from '../../api/json';
import type { JsonObject } from '../../api/json';
import { unreadableReason } from '../../files/read-failure';
import { DEFAULT_SERVICE_OPTIONS } from '../../api/service/create-service';
import type { UploadRequest } from '../../api/upload/request/upload-request';
import type { Settings } from '../../settings/settings';
import { VARIABLES } from '../../settings/variables';
import { sendingOptionsOf, withSendingFlags, withSourceFlags } from './option-flags';
import type { FlagValues } from './option-flags';
import { collect, keyValue } from './option-values';

/** The flags of `upload`, as commander returns them. */
export interface UploadFlags extends FlagValues {
  readonly sharedPath?: boolean;
  readonly title?: string;
  readonly tag?: ReadonlyArray<readonly [string, string]>;
  readonly metadata?: string;
  readonly library?: boolean;
  readonly fileType?: string;
  readonly id?: string;
  readonly again?: boolean;
  readonly wait?: boolean;
}

export function withUploadFlags(command: Command): Command {
  return withSourceFlags(
    withSendingFlags(command).option('--shared-path', 'every worker mounts the files at the same paths'),
  )
    .option('--wait', 'wait for the end, with a progress bar on a terminal')
    .option('--title <title>', 'display title (one file only)')
    .option('--tag <key=value>', 'tag; repeatable', collect(keyValue))
    .option('--metadata <json>', 'metadata as a JSON object, or @file.json')
    .option('--library', 'add the media to the permanent media library')
    .option('--file-type <type>', 'for example MP4 (default: from the file name)')
    .option('--id <id>', 'its ingest key, one file only (default: from account and file)')
    .option('--again', 'upload again, even if the file was uploaded before');
}

interface SharedContext {
  readonly cwd: string;
  readonly settings: Pick<Settings, 'options' | 'tuning'>;
}

/** Returns the fields of a request that every file of the command shares, from flags and settings. */
export function sharedFieldsOf(
  flags: UploadFlags,
  { cwd, settings: { options, tuning } }: SharedContext,
): Pick<UploadRequest, 'media' | 'metadata' | 'options'> {
  const metadata =
    flags.metadata === undefined ? {} : { metadata: jsonOf('--metadata', flags.metadata, cwd) };
  return {
    media: {
      ...given({ fileType: flags.fileType, title: flags.title }),
      ...(flags.tag === undefined ? {} : { tags: tagsOf(flags.tag, options.ingestTag) }),
      ...(flags.library === undefined ? {} : { insights: { isLibrary: flags.library } }),
    },
    ...metadata,
    options: {
      ...sendingOptionsOf(flags),
      ...given({ maxParts: options.maxParts, heartbeatMs: tuning?.heartbeatMs }),
    },
  };
}

function tagsOf(
  pairs: ReadonlyArray<readonly [string, string]>,
  ingestTag: string | false = DEFAULT_SERVICE_OPTIONS.ingestTag,
): Record<string, string> {
  const tags = new Map<string, string>();
  for (const [key, value] of pairs) {
    if (tags.has(key)) {
      throw new ValidationError('--tag', `The tag "${key}" is given twice.`, 'Give each tag once.');
    }
    if (key === ingestTag) {
      throw new ValidationError(
        '--tag',
        `The tag "${key}" carries the ingest key, which identifies an upload.`,
        `Choose another tag, or set ingestTag in ${VARIABLES.options.name} to use another tag for the ingest key.`,
      );
    }
    tags.set(key, value);
  }
  return Object.fromEntries(tags);
}

function jsonOf(flag: string, text: string, cwd: string): JsonObject {
  const example = `Write it as ${flag} '{"name":"value"}' or ${flag} @file.json.`;
  let json = text;
  if (text.startsWith('@')) {
    const path = resolve(cwd, text.slice(1));
    try {
      json = readFileSync(path, 'utf8');
    } catch (error) {
      throw new ValidationError(flag, `The file ${path} ${unreadableReason(error)}.`, example);
    }
  }
  let value: unknown;
  try {
    value = parseExact(json);
  } catch {
    throw new ValidationError(flag, `${flag} isn't valid JSON.`, example);
  }
  if (!isJsonObject(value)) throw new ValidationError(flag, `${flag} must be a JSON object.`, example);
  return value;
}
