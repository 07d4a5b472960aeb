import { expect, test } from '@jest/globals';
import { EXTENSIONS, MEDIA_TYPES } from '../../../../simulator/media/media-item';
import { seedDeliveries } from '../../../../simulator/seed/seed-deliveries';
import { seedMedia } from '../../../../simulator/seed/seed-media';

const now = Date.parse('2026-11-21T10:00:00.000Z');
const subAccounts = ['a', 'b', 'c'];

test('the seed is the same in every run, and only its times move with the clock', () => {
  const media = seedMedia(250, { now, subAccounts });
  expect(seedMedia(250, { now, subAccounts })).toEqual(media);
  expect(seedMedia(250, { now: now + 5, subAccounts }).map(({ id }) => id)).toEqual(
    media.map(({ id }) => id),
  );
  const deliveries = seedDeliveries(2500, { now, media, subAccounts });
  expect(seedDeliveries(2500, { now, media, subAccounts })).toEqual(deliveries);
});

test('media have all types and extensions, unique IDs, and one of each other sub-account', () => {
  const media = seedMedia(250, { now, subAccounts });
  const [own, ...others] = subAccounts;
  const owners = media.map(({ subAccountId }) => subAccountId);
  expect(owners).toEqual([...Array<unknown>(250).fill(own), ...others]);
  expect(new Set(media.map(({ id }) => id)).size).toBe(media.length);
  expect(new Set(media.map(({ type }) => type))).toEqual(new Set(MEDIA_TYPES));
  expect(new Set(media.map(({ fileType }) => fileType))).toEqual(new Set(EXTENSIONS.keys()));
});

test('deliveries cover the last 30 days in order, in several sub-accounts, with texts that CSV must quote', () => {
  const media = seedMedia(250, { now, subAccounts });
  const deliveries = seedDeliveries(2500, { now, media, subAccounts });
  const times = deliveries.map(({ sentAt }) => sentAt);
  expect(times).toEqual([...times].sort());
  expect(times[0]).toBe('2026-10-22T10:00:00.000Z');
  expect(Date.parse(times.at(-1) ?? '')).toBeLessThanOrEqual(now);
  expect(new Set(deliveries.map(({ id }) => id)).size).toBe(2500);
  expect(new Set(deliveries.map(({ subAccountId }) => subAccountId))).toEqual(new Set(subAccounts));
  expect(deliveries.some(({ message }) => /["\n]/.test(message))).toBe(true);
});
