/**
 * Every variable of the environment that an operator may set; docs/operations.md says what each
 * means. Others that begin with KONTOR_ are for tests, or a slip of the pen.
 */
import { LIMIT_VARIABLES } from './http/index.ts'

export const VARIABLES: readonly string[] = [
  'PORT',
  'HOST',
  'DATA_DIR',
  'DATABASE_URL',
  'SANDBOX',
  'LOG_LEVEL',
  'KONTOR_ADMIN_EMAIL',
  'KONTOR_ADMIN_PASSWORD',
  'KONTOR_BANK_FOLDERS',
  'KONTOR_CONFIG',
  'KONTOR_CONSOLE_HOURS',
  'KONTOR_CONSOLE_IDLE_MINUTES',
  'KONTOR_CONSOLE_URL',
  'KONTOR_DATABASE_FOLDER',
  'KONTOR_DISK_FREE_MB',
  'KONTOR_ENVIRONMENT',
  'KONTOR_HEADS',
  'KONTOR_HEADS_KEY',
  'KONTOR_HEADS_MAIL',
  'KONTOR_HISTORY',
  'KONTOR_HOSTS',
  'KONTOR_KEY_FILE',
  'KONTOR_MAIL_FROM',
  'KONTOR_METRICS_HOST',
  'KONTOR_METRICS_PLAIN_HTTP',
  'KONTOR_METRICS_PORT',
  'KONTOR_OWNER_DATABASE_URL',
  'KONTOR_PLAIN_HTTP',
  'KONTOR_PUBLIC_DOCUMENTS',
  'KONTOR_PUBLIC_METRICS',
  'KONTOR_QUOTES_KEPT_HOURS',
  'KONTOR_ROLE',
  'KONTOR_SIGN_IN_NETWORKS',
  'KONTOR_SIGN_IN_PLAIN',
  'KONTOR_SMTP_PLAIN',
  'KONTOR_SMTP_URL',
  'KONTOR_TLS_CERTIFICATE',
  'KONTOR_TLS_KEY',
  'KONTOR_TRUSTED_PROXIES',
  'KONTOR_VENUE_NETWORKS',
  'KONTOR_VENUE_PLAIN',
  'KONTOR_WAL_ARCHIVE',
  'KONTOR_WEBHOOK_NETWORKS',
  'KONTOR_WEBHOOK_PLAIN',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_SERVICE_NAME',
  'OTEL_TRACES_SAMPLER_ARG',
  ...LIMIT_VARIABLES,
]

/** Set by programs of ours for programs of ours. */
const INTERNAL =
  /^KONTOR_(TEST_.*|FAILPOINT.*|CLOCK|LEASE_MS|PARENT|WATCH_PARENT|AHEAD_MS|SEED|URL)$/

/** Names in the environment that look like ours, and that nothing reads. */
export const unknownVariables = (env: Readonly<Record<string, unknown>>): string[] =>
  Object.keys(env)
    .filter((name) => name.startsWith('KONTOR_'))
    .filter((name) => !VARIABLES.includes(name) && !INTERNAL.test(name))
    .toSorted()
