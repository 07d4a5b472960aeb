// n8n reports every failed node to its log as well; the tests look at the run itself.
process.env['N8N_LOG_LEVEL'] = 'silent';
