/** Environment of every n8n in the tests: stay on loopback, be quick, and otherwise keep n8n's defaults. */
export const N8N_ENVIRONMENT: Readonly<Record<string, string>> = {
  N8N_LISTEN_ADDRESS: '127.0.0.1',
  N8N_HOST: '127.0.0.1',
  N8N_RUNNERS_BROKER_LISTEN_ADDRESS: '127.0.0.1',
  N8N_SECURE_COOKIE: 'false',
  // Nothing may leave the machine.
  N8N_DIAGNOSTICS_ENABLED: 'false',
  N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
  N8N_VERSION_NOTIFICATIONS_WHATS_NEW_ENABLED: 'false',
  N8N_TEMPLATES_ENABLED: 'false',
  N8N_DYNAMIC_BANNERS_ENABLED: 'false',
  N8N_LICENSE_AUTO_RENEW_ENABLED: 'false',
  N8N_VERIFIED_PACKAGES_ENABLED: 'false',
  // These features contact n8n's own servers, or could. None concerns nodes.
  N8N_DISABLED_MODULES: 'mcp-registry,instance-ai,agents,chat-hub',
  N8N_UNVERIFIED_PACKAGES_ENABLED: 'true',
  N8N_PERSONALIZATION_ENABLED: 'false',
  N8N_PYTHON_ENABLED: 'false',
  // The key is fixed, since the database may come from another n8n's folder and the command line also reads
  // credentials.
  N8N_ENCRYPTION_KEY: 'encryption-key-of-the-tests',
  GENERIC_TIMEZONE: 'Europe/Berlin',
};
