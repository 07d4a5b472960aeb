import { given } from '../../../api/json';
import { isOurs, meaningOfSource } from '../../../api/upload/sources/source-rules';
import type { FileLocation } from '../../../files/file-location';
import type { BatchOptions, ManifestInput } from '../../contract/batch';
import { rowsWithoutQueries } from '../../batch/sealed-rows';
import { digestsOf, readDigests } from '../value-digest';

/** The inputs of a batch that decide whether two starts mean the same. */
export interface BatchMeaning {
  readonly manifest: ManifestInput;
  /** Digest of the manifest's text, if the starter has read it. */
  readonly manifestDigest?: string | undefined;
  readonly folder: FileLocation;
  readonly options: BatchOptions;
}

export type BatchDifference = 'manifest' | 'folder' | 'options';

/**
 * Digests of the parts of a batch's meaning, as text for its memo. URLs count without their query, because each
 * pre-signed URL has another one. Equal meanings give equal texts, whatever the order of fields.
 */
export function batchDigest({ manifest, manifestDigest, folder, options }: BatchMeaning): string {
  const text = 'rows' in manifest ? rowsWithoutQueries(manifest.rows) : manifestDigest;
  return digestsOf(Object.entries(given({ location: locationOf(manifest), text, folder, options })));
}

/**
 * The parts in which the digests of two starts differ. Manifests with the same text are the same, even at another
 * location. If one of the two starters did not read its manifest, the location decides.
 */
export function batchDifferences(mine: string, theirs: string | undefined): BatchDifference[] {
  const [own, other] = [readDigests(mine), readDigests(theirs)];
  const same = (name: string): boolean => own.get(name) === other.get(name);
  const sameManifest = own.has('text') && other.has('text') ? same('text') : same('location');
  return [
    ...(sameManifest ? [] : (['manifest'] as const)),
    ...(['folder', 'options'] as const).filter((name) => !same(name)),
  ];
}

/** Handed-over manifests with the same name and size may still be different ones, so they count by their paths. */
function locationOf(manifest: ManifestInput): unknown {
  if ('rows' in manifest) return 'rows';
  const { source, format } = manifest;
  return [isOurs(source) ? source : meaningOfSource(source), format];
}
