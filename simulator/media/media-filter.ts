import { Refusal } from '../http/answer';
import { refuseUnknownFields } from '../http/request-body';
import { type Json, type JsonRecord, isJsonRecord } from '../json';
import { MEDIA_TYPES, type MediaItem } from './media-item';

type Test = (item: MediaItem) => boolean;

const FIELDS = ['ids', 'searchTerm', 'type', 'tags', 'isLibrary', 'isActive'];

/**
 * Makes a test of one item from the media search filter (api.md).
 * @throws Refusal 400 naming the field.
 */
export function mediaFilter(filter: JsonRecord): Test {
  refuseUnknownFields(filter, FIELDS, 'The media search filter');
  const tests: Test[] = [
    ...idsTest(filter['ids']),
    ...termTest(filter['searchTerm']),
    ...typeTest(filter['type']),
    ...tagsTest(filter['tags']),
    ...flagTest('isLibrary', filter['isLibrary']),
    ...flagTest('isActive', filter['isActive']),
  ];
  return (item) => tests.every((test) => test(item));
}

/** "The array itself may be null. No element may be null." An empty array filters nothing. */
function idsTest(ids: Json | undefined): Test[] {
  if (ids === undefined || ids === null) return [];
  if (!Array.isArray(ids)) throw new Refusal(400, 'ids must be an array of media ids.');
  if (ids.some((id) => id === null)) throw new Refusal(400, 'ids must not contain null elements.');
  if (!ids.every((id) => typeof id === 'string')) throw new Refusal(400, 'ids must contain text only.');
  return ids.length === 0 ? [] : [({ id }) => ids.includes(id)];
}

function termTest(term: Json | undefined): Test[] {
  if (term === undefined) return [];
  if (typeof term !== 'string') throw new Refusal(400, 'searchTerm must be text.');
  return [({ title }) => matchesWords(term, title ?? '')];
}

/**
 * "Matched against the title with flexible word matching". Each word of the term must be the beginning of a word in
 * the title, in any order. Case and accents do not matter. A term without a word matches all titles.
 */
function matchesWords(term: string, title: string): boolean {
  const words = wordsOf(title);
  return wordsOf(term).every((wanted) => words.some((word) => word.startsWith(wanted)));
}

function wordsOf(text: string): string[] {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return plain.match(/[\p{L}\p{N}]+/gu) ?? [];
}

function typeTest(type: Json | undefined): Test[] {
  if (type === undefined) return [];
  if (!MEDIA_TYPES.some((known) => known === type)) {
    throw new Refusal(400, `type must be one of ${MEDIA_TYPES.join(', ')}.`);
  }
  return [(item) => item.type === type];
}

/** The item must have every given tag. Values are compared as text. */
function tagsTest(tags: Json | undefined): Test[] {
  if (tags === undefined) return [];
  if (!isJsonRecord(tags)) throw new Refusal(400, 'tags must be an object of key-value pairs.');
  return Object.entries(tags).map(([key, value]) => {
    const wanted = textOf(value);
    return (item) => Object.hasOwn(item.tags, key) && textOf(item.tags[key]) === wanted;
  });
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function flagTest(name: 'isLibrary' | 'isActive', flag: Json | undefined): Test[] {
  if (flag === undefined) return [];
  if (typeof flag !== 'boolean') throw new Refusal(400, `${name} must be true or false.`);
  return [(item) => item[name] === flag];
}
