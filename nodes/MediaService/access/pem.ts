/**
 * Restores the line breaks of PEM text, because password fields keep only one line. Text without a PEM block stays
 * unchanged.
 */
export function pemOf(text: string): string {
  const blocks = [...text.matchAll(/-----BEGIN ([A-Z0-9 ]+)-----([^-]*)-----END \1-----/g)];
  if (blocks.length === 0) return text;
  return blocks.map(([, label = '', body = '']) => blockOf(label, body)).join('');
}

function blockOf(label: string, body: string): string {
  const base64 = body.replaceAll('\\n', '').replace(/\s+/g, '');
  const lines = base64.match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}
