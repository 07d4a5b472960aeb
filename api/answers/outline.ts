import { redact } from './redact';

const MAX_DEPTH = 4;
const MAX_KEYS = 20;
const MAX_KEY_LENGTH = 40;
const MAX_LENGTH = 2_000;

/**
 * Describes the shape of a value without its content: `{content: array(20) of {id: string}, totalElements: number}`. It
 * shows keys and types, never values: four levels deep, twenty keys per object, only the first element of an array. The
 * text has at most 2,000 characters.
 */
export function outlineOf(value: unknown): string {
  const text = outline(value, MAX_DEPTH);
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH - 1)}…` : text;
}

function outline(value: unknown, depth: number): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) {
    return value.length === 0 ? 'array(0)' : `array(${value.length}) of ${outline(value[0], depth - 1)}`;
  }
  if (typeof value !== 'object') return typeof value;
  const entries = Object.entries(value);
  if (depth <= 0) return entries.length === 0 ? '{}' : '{…}';
  const shown = entries
    .slice(0, MAX_KEYS)
    .map(([key, child]) => `${redact(key).slice(0, MAX_KEY_LENGTH)}: ${outline(child, depth - 1)}`);
  if (entries.length > MAX_KEYS) shown.push(`… ${entries.length - MAX_KEYS} more`);
  return `{${shown.join(', ')}}`;
}
