import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { filesOf } from '../inputs-hash.mjs';
import { HISTORIES } from './history-sums.mjs';

const PATCH = /\b(?:patched|deprecatePatch)\(\s*(['"`])(?<id>.+?)\1/g;
const ANY_PATCH = /\b(?:patched|deprecatePatch)\(/g;

/**
 * Compares the patches in workflow code with the saved histories. A patch without a history is untested. If a
 * history's patch is missing, this code can't replay that history.
 */
export async function patchFindings(project) {
  const [inCode, inHistories] = await Promise.all([patchesInCode(project), patchesInHistories(project)]);
  return [
    ...inCode.unreadable.map((path) => `${path}: name each patch by a text in the call itself.`),
    ...[...inCode.ids]
      .filter(([id]) => !inHistories.has(id))
      .map(([id, path]) => `${path}: no saved history reached the patch "${id}": record one that does.`),
    ...[...inHistories]
      .filter(([id]) => !inCode.ids.has(id))
      .map(([id, path]) => `${path}: its patch "${id}" is gone from temporal, so it can't be replayed.`),
  ];
}

/** Number of patches in the workflows. */
export async function patchCount(project) {
  return (await patchesInCode(project)).ids.size;
}

async function patchesInCode(project) {
  const ids = new Map();
  const unreadable = [];
  for (const path of await filesOf(join(project, 'temporal'))) {
    const text = await readFile(path, 'utf8');
    const name = path.slice(project.length + 1);
    const found = [...text.matchAll(PATCH)];
    for (const { groups } of found) ids.set(groups.id, name);
    if (found.length !== [...text.matchAll(ANY_PATCH)].length) unreadable.push(name);
  }
  return { ids, unreadable };
}

/** In the history, Temporal marks that a workflow ran the new side of a patch. */
async function patchesInHistories(project) {
  const ids = new Map();
  for (const path of await filesOf(join(project, HISTORIES))) {
    if (!path.endsWith('.json')) continue;
    const { events } = JSON.parse(await readFile(path, 'utf8'));
    for (const { markerRecordedEventAttributes: marker } of events) {
      if (marker?.markerName !== 'core_patch') continue;
      const [{ data }] = marker.details['patch-data'].payloads;
      ids.set(JSON.parse(Buffer.from(data, 'base64').toString('utf8')).id, path.slice(project.length + 1));
    }
  }
  return ids;
}
