import { MediaService } from '../../nodes/MediaService/MediaService.node';
import type { INodeParameters } from 'n8n-workflow';
import { everyField } from './support/every-field';
import { toolOf } from './support/run-tool';
import { useService } from './support/service-setting';

const on = useService();

const search = (filters: INodeParameters = {}, more: INodeParameters = {}) =>
  toolOf(
    {
      ...more,
      resource: 'media',
      operation: 'search',
      limit: "={{ $fromAI('limit', 'How many at most', 'number') }}",
      searchTerm: "={{ $fromAI('search_term', 'Words of the title', 'string') }}",
      filters,
    },
    on.credentials.mediaServiceApi,
  );

describe('the node as a tool of an AI agent', () => {
  test('describes what it does, and which arguments it takes', async () => {
    const tool = await search();
    expect(tool.name).toBe('Find_media');
    expect(tool.description).toMatch(/search media/i);
    expect(Object.keys(tool.schema.shape).sort()).toEqual(['limit', 'search_term']);
    expect(tool.schema.shape['search_term']?.description).toBe('Words of the title');
  });

  test("turns a model's arguments into parameters, and returns the media", async () => {
    const answer = await (await search()).invoke({ search_term: 'rooftop', limit: 2 });
    const media = JSON.parse(answer) as { title: string }[];
    expect(media).toHaveLength(2);
    expect(media.every(({ title }) => /rooftop/i.test(title))).toBe(true);
  });

  test('never sends arguments of the wrong type to the service', async () => {
    const before = on.simulator.seen().requests['search'];
    await expect((await search()).invoke({ search_term: 'a', limit: 'many' })).rejects.toThrow(/schema/);
    expect(on.simulator.seen().requests['search']).toBe(before);
  });

  test('says in an error what happened and what to do, for the model', async () => {
    const filters = { type: "={{ $fromAI('type', 'Type of media', 'string') }}" };
    const wrong = (await search(filters)).invoke({ search_term: 'a', limit: 1, type: 'FILM' });
    await expect(wrong).rejects.toThrow(
      '"Type" must be one of VIDEO, IMAGE, AUDIO, DOCUMENT. Check what its expression returns.',
    );
  });

  test('gives the model the short form of media, even if Simplify is off', async () => {
    const short = await (await search()).invoke({ search_term: 'rooftop', limit: 1 });
    const long = await search({}, { simplify: false });
    expect(await long.invoke({ search_term: 'rooftop', limit: 1 })).toBe(short);
  });
});

test('every field that a model may fill says what to put there', () => {
  const silent = everyField(new MediaService().description.properties)
    .filter(({ type }) => ['string', 'number', 'json'].includes(type))
    .filter(({ description, hint }) => (description ?? hint ?? '') === '')
    .map(({ displayName }) => displayName);
  expect(silent).toEqual([]);
});
