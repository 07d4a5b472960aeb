import { MediaServiceError } from '../api/errors';
import { adviceOf, whatToDo } from '../api/advice';
import { credentialLabel } from './credential-account';
import { N8N_WORDS } from './n8n-words';

/** A login that failed because of its address, as an error that names the form's field with that address. */
export function nameBaseUrl(error: unknown, field: string): unknown {
  if (!(error instanceof MediaServiceError) || !isAboutAddress(error)) return error;
  const todo = whatToDo(N8N_WORDS, { ...adviceOf(error.facts), code: error.code });
  const where = `It is the field "${credentialLabel(field) ?? field}" of the credential "Media Service API".`;
  const { remedy: _remedy, ...facts } = error.facts;
  const hint = todo === undefined ? where : `${todo} ${where}`;
  return new MediaServiceError(error.code, error.message, { ...facts, hint }, { cause: error });
}

/** There was no answer, or not one of the service. */
function isAboutAddress({ code, facts: { status = 0 } }: MediaServiceError): boolean {
  return (
    code === 'Transport' || code === 'UnreadableAnswer' || status === 404 || (status >= 300 && status < 400)
  );
}
