import { errorOfAnswer } from '../../../../api/answers/answer-error';

const messageOf = (text: string, headers: Record<string, string> = {}): string | undefined =>
  errorOfAnswer('media search', { status: 400, headers, text }).facts.serviceMessage;

test.each([
  ['message', '{"message":"size is above 1000"}', 'size is above 1000'],
  ['error and message: the message', '{"error":"Bad Request","message":"page below 0"}', 'page below 0'],
  ['error alone', '{"error":"Bad Request"}', 'Bad Request'],
  ['a nested error', '{"error":{"code":7,"message":"no"}}', 'no'],
  ['a list of errors', '{"errors":[{"detail":"ids holds null"}]}', 'ids holds null'],
  ['a JSON text', '"plainly no"', 'plainly no'],
  ['plain text', 'plainly no', 'plainly no'],
  ['HTML', '<html><head><title>502 Bad Gateway</title></head><body>secret</body></html>', '502 Bad Gateway'],
  ['control characters, for a blank', 'no\u001b[31m\r\n\tway', 'no [31m way'],
])("the service's message is found in %s", (_name, text, message) => {
  expect(messageOf(text)).toBe(message);
});

test.each([
  ['JSON without a message', '{"payload":{"title":"private"}}'],
  ['cut-off JSON', '{"title":"priv'],
  ['XML', '<Error><Secret>x</Secret></Error>'],
  ['nothing', ''],
])('%s contains no message', (_name, text) => {
  expect(messageOf(text)).toBeUndefined();
});

test.each([
  ['media search', 407, 'A proxy asks for credentials.'],
  ['upload session status', 404, 'Check the address, and the id if there is one'],
  ['upload session status', 400, "Use the upload ID from the upload's output"],
  ['upload start', 422, 'Check the media fields'],
])('%s that is refused with %i says what to do', (operation, status, hint) => {
  expect(errorOfAnswer(operation, { status, headers: {}, text: '' }).facts.hint).toContain(hint);
});
