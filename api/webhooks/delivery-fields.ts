import { createHash } from 'node:crypto';
import { canonicalJson, textAt, valueAt } from '../json';
import type { JsonObject } from '../json';
import { readMoment } from '../when';

/** What a program needs to know about a delivery, although api.md shows none of its fields. */
export type DeliveryRole = 'id' | 'time' | 'status' | 'media' | 'subAccount';

/**
 * Names of fields by role, replacing the candidates: a field's own name, or a path with dots such as
 * `payload.media.id`. Case, `_` and `-` in names do not matter.
 */
export type DeliveryFields = Readonly<Partial<Record<DeliveryRole, string>>>;

/**
 * The fields that may hold each role, the likeliest first. An id of the event or the webhook is not a candidate for `id`:
 * several deliveries may share it, and would count as one.
 */
export const DELIVERY_FIELD_CANDIDATES: Readonly<Record<DeliveryRole, readonly string[]>> = {
  id: ['id', 'deliveryId', 'webhookDeliveryId', 'uuid', '_id'],
  time: ['sentAt', 'sentTime', 'deliveredAt', 'timestamp', 'createdAt', 'createdDate', 'date'],
  status: ['status', 'deliveryStatus', 'webhookStatus', 'state', 'result'],
  media: ['mediaId', 'media.id', 'media.mediaId', 'assetId', 'payload.mediaId', 'data.mediaId'],
  subAccount: ['subAccountId', 'subAccount.id', 'subAccount', 'externalId', 'tenantId', 'accountId'],
};

/**
 * Creates a reader. Equal records without an id count as one delivery. Roles that are missing in `fields` keep their
 * candidates.
 */
export function createDeliveryReader(fields: DeliveryFields = {}) {
  const pathsOf = (role: DeliveryRole): readonly string[] => {
    const named = fields[role]?.trim() ?? '';
    return named === '' ? DELIVERY_FIELD_CANDIDATES[role] : [named];
  };
  const text = (record: JsonObject, role: DeliveryRole): string | undefined => textAt(record, pathsOf(role));
  return {
    /** Returns the role's value as text: trimmed, numbers in digits. A value that can't be read is undefined. */
    text,
    /** Returns whether the record has a field for the role, even if it is null or empty. */
    has: (record: JsonObject, role: DeliveryRole): boolean =>
      pathsOf(role).some((path) => hasField(record, path)),
    /** Returns when the delivery was sent, epoch ms. A date without a zone is in UTC. */
    sentAt: (record: JsonObject): number | undefined =>
      pathsOf('time')
        .map((path) => readMoment(valueAt(record, path)))
        .find((moment) => moment !== undefined),
    /** Equal for the same delivery: its id, else the SHA-256 (hex) of its canonical JSON. */
    identity: (record: JsonObject): string => text(record, 'id') ?? hashOf(record),
  };
}

/** If an object on the path is null, the field counts as empty. */
function hasField(record: JsonObject, path: string): boolean {
  const dot = path.lastIndexOf('.');
  if (valueAt(record, path) !== undefined) return true;
  return dot !== -1 && valueAt(record, path.slice(0, dot)) === null;
}

function hashOf(record: JsonObject): string {
  return createHash('sha256').update(canonicalJson(record)).digest('hex');
}
