import { describe, expect, test } from '@jest/globals';
import type { JsonRecord } from '../../../../simulator/json';
import { record, withSimulator } from '../bare-client';

const media = (change: JsonRecord): JsonRecord => ({ media: { fileType: 'MP4', ...change } });

describe('upload start', () => {
  test.each<[string, JsonRecord, string]>([
    ['no parts', { amountOfParts: 0 }, 'amountOfParts'],
    ['121 parts', { amountOfParts: 121 }, 'amountOfParts'],
    ['half a part', { amountOfParts: 1.5 }, 'amountOfParts'],
    ['amountOfParts as text', { amountOfParts: '1' }, 'amountOfParts'],
    ['no media', { media: null }, 'media is required'],
    ['an unsupported extension', media({ fileType: 'EXE' }), 'media.fileType'],
    ['3GP, which is not in the table', media({ fileType: '3GP' }), 'media.fileType'],
    ['a dot before the extension', media({ fileType: '.mp4' }), 'media.fileType'],
    ['a creator of 256 characters', media({ creator: 'x'.repeat(256) }), 'media.creator'],
    ['a title that is not text', media({ title: 7 }), 'media.title'],
    ['a duration with a fraction', media({ duration: 1.5 }), 'media.duration'],
    ['a negative duration', media({ duration: -1 }), 'media.duration'],
    ['an unknown resolution', media({ resolution: '4K' }), 'media.resolution'],
    ['tags as an array', media({ tags: ['a'] }), 'media.tags'],
    ['a tag that is an object', media({ tags: { a: {} } }), 'media.tags'],
    ['insights that are not booleans', media({ insights: { isLibrary: 'yes' } }), 'media.insights'],
    ['unknown insights', media({ insights: { isPublic: true } }), 'isPublic'],
    ['an unknown media field', media({ name: 'a' }), 'name'],
    ['an unknown field', { parts: 1 }, 'parts'],
    ['metadata that is not an object', { metadata: [] }, 'metadata'],
    ['the reserved key failureReason', { metadata: { failureReason: 'x' } }, 'failureReason'],
    ['the reserved key failureTimestamp', { metadata: { failureTimestamp: 'x' } }, 'failureTimestamp'],
    ['metadata over 16 MB', { metadata: { a: 'x'.repeat(16 * 1024 * 1024) } }, '16 MB'],
    ['metadata inside media', media({ metadata: {} }), 'metadata'],
  ])('answers 400 to %s', (_, change, message) =>
    withSimulator({}, async (simulator, client) => {
      const reply = await client.start(change);
      expect(reply.status).toBe(400);
      expect(record(reply)['message']).toContain(message);
      expect(simulator.seen().starts).toBe(0);
    }),
  );

  test('accepts everything that is allowed', () =>
    withSimulator({}, async (_, client) => {
      const full = {
        fileType: '3GPP',
        creator: '🚪'.repeat(255),
        title: '',
        duration: 0,
        resolution: 'HIGH',
        tags: { '': 'a', n: 1, f: false },
        insights: { isLibrary: true, includeInReport: false },
      };
      const { status } = await client.start({ amountOfParts: 120, media: full, metadata: { deep: [{}] } });
      expect(status).toBe(201);
    }));

  test('answers 401 without a token and creates nothing', () =>
    withSimulator({}, async (simulator, client) => {
      const url = `${simulator.uploadUrl}/upload/start`;
      expect((await client.call('POST', url, {}, { authorization: '' })).status).toBe(401);
      expect(simulator.seen().sessions).toEqual([]);
    }));

  test('exists only at the upload address, and other operations only at the base address', () =>
    withSimulator({}, async (simulator, client) => {
      expect((await client.call('POST', `${simulator.baseUrl}/upload/start`, {})).status).toBe(404);
      expect((await client.call('POST', `${simulator.uploadUrl}/api/media/search`, {})).status).toBe(404);
      expect((await client.call('GET', `${simulator.uploadUrl}/upload/start/`, undefined)).status).toBe(404);
      expect((await client.call('DELETE', `${simulator.uploadUrl}/upload/abc`)).status).toBe(404);
    }));
});
