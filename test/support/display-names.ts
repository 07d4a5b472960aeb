import { MediaServiceApi } from '../../credentials/MediaServiceApi.credentials';
import { MediaServiceWorkerApi } from '../../credentials/MediaServiceWorkerApi.credentials';
import { MediaService } from '../../nodes/MediaService/MediaService.node';
import { MediaServiceTrigger } from '../../nodes/MediaServiceTrigger/MediaServiceTrigger.node';

/** The labels of all fields that n8n shows for our nodes and credentials, and the names of the credentials. */
export function displayNames(): ReadonlySet<string> {
  const credentials = [new MediaServiceApi(), new MediaServiceWorkerApi()];
  const forms = [new MediaService().description, new MediaServiceTrigger().description, ...credentials];
  return new Set([
    ...credentials.map(({ displayName }) => displayName),
    ...forms.flatMap(({ properties }) => namesIn(properties)),
  ]);
}

function namesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = 'displayName' in value && typeof value.displayName === 'string' ? [value.displayName] : [];
  return [...own, ...Object.values(value).flatMap(namesIn)];
}
