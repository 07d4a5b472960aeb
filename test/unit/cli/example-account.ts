/** An account for tests that send nothing. */
export const ACCOUNT = {
  baseUrl: 'https://api.media.example',
  uploadUrl: 'https://upload.media.example',
  externalId: 'acme',
  apiKey: 'key-1',
  secretKey: 'secret-1',
};

/** The settings that name it. */
export const ACCOUNT_ENV = {
  MEDIA_SERVICE_BASE_URL: ACCOUNT.baseUrl,
  MEDIA_SERVICE_UPLOAD_URL: ACCOUNT.uploadUrl,
  MEDIA_SERVICE_EXTERNAL_ID: ACCOUNT.externalId,
  MEDIA_SERVICE_API_KEY: ACCOUNT.apiKey,
  MEDIA_SERVICE_SECRET_KEY: ACCOUNT.secretKey,
};
