import { createHash } from 'node:crypto';
import { canonicalJson } from '../canonical-json';
import { textAt, valueAt } from '../field-at';
import type { JsonObject } from '../json';
import { readMoment } from '../read-moment';

/** What a program needs to know of a delivery, although api.md shows none of its fields. */
export type DeliveryRole = 'id' | 'time' | 'status' | 'media' | 'subAccount';

/**
 * Names of fields by role, in place of the candidates: a field's own name, or a path with dots such as `payload.media.id`. Case, `_`
 * and `-` in names do not matter.
 */
export type DeliveryFields = Readonly<Partial<Record<DeliveryRole, string>>>;

/**
 * Where each role is looked for, the likeliest first. An id of the event or the webhook is no candidate for `id`: several deliveries
 * may share it, and all but one of them would be taken for the same.
 */
export const DELIVERY_FIELD_CANDIDATES: Readonly<Record<DeliveryRole, readonly string[]>> = {
  id: ['id', 'deliveryId', 'webhookDeliveryId', 'uuid', '_id'],
  time: [
    'sentAt',
    'sendAt',
    'sentTime',
    'sendTime',
    'sentDate',
    'sentOn',
    'deliveredAt',
    'deliveryTime',
    'deliveryDate',
    'timestamp',
    'createdAt',
    'createdDate',
    'createdOn',
    'dateTime',
    'date',
    'time',
  ],
  status: ['status', 'deliveryStatus', 'webhookStatus', 'state', 'result'],
  media: ['mediaId', 'media.id', 'media.mediaId', 'assetId', 'payload.mediaId', 'data.mediaId'],
  subAccount: [
    'subAccountId',
    'subAccount.id',
    'subAccount',
    'subAccountExternalId',
    'externalId',
    'multitenantExternalId',
    'tenantId',
    'accountId',
  ],
};

/** Reads deliveries by role; what cannot be read is undefined. */
export interface DeliveryReader {
  /** The role's value as text: texts trimmed, numbers in digits. */
  text(record: JsonObject, role: DeliveryRole): string | undefined;
  /** Whether the record has a field of the role, be it null or empty. */
  has(record: JsonObject, role: DeliveryRole): boolean;
  /** When the delivery was sent, epoch ms. A date without a zone is taken as UTC. */
  sentAt(record: JsonObject): number | undefined;
  /** Equal for the same delivery: its id, else the SHA-256 (hex) of its canonical JSON. */
  identity(record: JsonObject): string;
}

/** Equal records that carry no id are one delivery to it. Roles that `fields` leaves out keep their candidates. */
export function createDeliveryReader(fields: DeliveryFields = {}): DeliveryReader {
  const pathsOf = (role: DeliveryRole): readonly string[] => {
    const named = fields[role]?.trim() ?? '';
    return named === '' ? DELIVERY_FIELD_CANDIDATES[role] : [named];
  };
  const text = (record: JsonObject, role: DeliveryRole): string | undefined => textAt(record, pathsOf(role));
  return {
    text,
    has: (record, role) => pathsOf(role).some((path) => hasField(record, path)),
    sentAt: (record) => firstOf(pathsOf('time'), (path) => readMoment(valueAt(record, path))),
    identity: (record) => text(record, 'id') ?? hashOf(record),
  };
}

/** Where an object on the way is null, the field is as empty as that. */
function hasField(record: JsonObject, path: string): boolean {
  const dot = path.lastIndexOf('.');
  if (valueAt(record, path) !== undefined) return true;
  return dot !== -1 && valueAt(record, path.slice(0, dot)) === null;
}

function firstOf<T>(paths: readonly string[], read: (path: string) => T | undefined): T | undefined {
  for (const path of paths) {
    const found = read(path);
    if (found !== undefined) return found;
  }
  return undefined;
}

function hashOf(record: JsonObject): string {
  return createHash('sha256').update(canonicalJson(record)).digest('hex');
}
