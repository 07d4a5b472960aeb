import { refuseUnless } from '../http/answer';
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
  refuseUnless(Array.isArray(ids), 'ids must be an array of media ids.');
  refuseUnless(!ids.includes(null), 'ids must not contain null elements.');
  const areTexts = ids.every((id) => typeof id === 'string');
  refuseUnless(areTexts, 'ids must contain text only.');
  return ids.length === 0 ? [] : [({ id }) => ids.includes(id)];
}

function termTest(term: Json | undefined): Test[] {
  if (term === undefined) return [];
  refuseUnless(typeof term === 'string', 'searchTerm must be text.');
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
  const isKnown = MEDIA_TYPES.some((known) => known === type);
  refuseUnless(isKnown, `type must be one of ${MEDIA_TYPES.join(', ')}.`);
  return [(item) => item.type === type];
}

/** The item must have every given tag. Values are compared as text. */
function tagsTest(tags: Json | undefined): Test[] {
  if (tags === undefined) return [];
  refuseUnless(isJsonRecord(tags), 'tags must be an object of key-value pairs.');
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
  refuseUnless(typeof flag === 'boolean', `${name} must be true or false.`);
  return [(item) => item[name] === flag];
}
