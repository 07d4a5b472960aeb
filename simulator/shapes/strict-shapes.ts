import type { Shape } from './shapes';

/** Strict readings of the interface, each with a lenient one that a service could also have. */
export const STRICTNESS: readonly (readonly Shape[])[] = [
  [
    { name: 'signature-as-sent', description: 'the signature is that of the very bytes of the login body' },
    {
      name: 'signature-compact',
      description: 'the signature is that of the login body without its whitespace, however it was sent',
    },
  ],
  [
    { name: 'signature-lower', description: 'a signature in upper-case hexadecimal is refused (401)' },
    { name: 'signature-any-case', description: 'a signature may be in upper or lower case' },
  ],
  [
    { name: 'bearer-exact', description: 'the scheme is written "Bearer"; "bearer" is refused (401)' },
    { name: 'bearer-any-case', description: 'the scheme may be written in any case' },
  ],
  [
    {
      name: 'file-type-upper',
      description: 'fileType is written as in the table, such as MP4; mp4 is refused',
    },
    { name: 'file-type-any-case', description: 'fileType may be written in any case' },
  ],
  [
    { name: 'part-type-required', description: 'a part without Content-Type is refused (400)' },
    { name: 'part-type-optional', description: 'a part may come without Content-Type' },
  ],
  [
    { name: 'continue-asked', description: 'no request is answered by 100 Continue first' },
    {
      name: 'continue-unasked',
      description: 'every request is answered by 100 Continue first, though nobody asks for it',
    },
  ],
  [
    { name: 'parts-from-5-mib', description: 'a part that is not the last has at least 5,242,880 bytes' },
    {
      name: 'parts-from-5-mb',
      description: 'a part that is not the last has at least 5,000,000 bytes (built-in storage)',
    },
  ],
  [
    { name: 'complete-declared', description: 'complete takes as many parts as start declared' },
    {
      name: 'complete-sent',
      description: 'complete takes the parts that were sent, even fewer than start declared',
    },
  ],
  [
    { name: 'media-own', description: "search shows media of the token's sub-account" },
    { name: 'media-all', description: 'search shows media of every sub-account' },
  ],
  [
    {
      name: 'webhooks-all',
      description: 'without subAccountId, every sub-account is searched, as the interface says',
    },
    {
      name: 'webhooks-own',
      description: "without subAccountId, the token's sub-account is searched",
    },
  ],
];

/** Names and forms that the interface does not define. */
export const UNSHOWN: readonly (readonly Shape[])[] = [
  [
    { name: 'media-fields-camel', description: 'media have id, title, fileType, createdAt …' },
    { name: 'media-fields-snake', description: 'media have media_id, title, file_type, created_at …' },
    { name: 'media-fields-other', description: 'media have mediaId, name, extension, createdDate …' },
  ],
  [
    { name: 'times-iso', description: 'deliveries carry times such as 2026-11-01T07:00:00.000Z' },
    { name: 'times-offset', description: 'deliveries carry times such as 2026-11-01T08:00:00+01:00' },
    { name: 'times-no-zone', description: 'deliveries carry times in UTC without a zone' },
    { name: 'times-epoch-ms', description: 'deliveries carry times as milliseconds since 1970' },
    { name: 'times-epoch-s', description: 'deliveries carry times as seconds since 1970' },
  ],
  [
    { name: 'delivery-ids-text', description: 'deliveries carry their ids as text' },
    { name: 'delivery-ids-64-bit', description: 'deliveries carry ids of 64 bits as JSON numbers' },
  ],
  [
    { name: 'login-flat', description: '{accessToken, refreshToken}, as the interface says' },
    { name: 'login-wrapped', description: '{data: {accessToken, refreshToken}}' },
    {
      name: 'login-oauth',
      description: "{access_token, refresh_token, token_type, expires_in}, not the interface's names",
    },
  ],
];
