import assert from 'node:assert/strict'
import { it } from 'node:test'
import { UsageError } from './core/usage.ts'
import { settingsFrom } from './environment.ts'

const DATABASE_URL = 'postgres://kontor@localhost/kontor'

const faultsOf = (env: Record<string, string>): string[] => {
  try {
    settingsFrom({ DATABASE_URL, ...env })
    return []
  } catch (error) {
    assert.ok(error instanceof UsageError)
    return error.message.split('\n')
  }
}

it('an environment that says nothing else has what is usual', () => {
  const settings = settingsFrom({ DATABASE_URL })
  assert.deepEqual(
    [settings.role, settings.port, settings.door?.host, settings.work, settings.app.lease],
    ['all', 4000, '127.0.0.1', {}, { contends: true }],
  )
  assert.equal(settingsFrom({ DATABASE_URL, KONTOR_ROLE: 'worker' }).door, undefined)
  assert.equal(
    settingsFrom({ DATABASE_URL, KONTOR_ROLE: 'api', KONTOR_LEASE_MS: '10' }).app.lease.term_ms,
    3_000,
  )
})

it('every variable that is wrong is named, at once, with what it must be', () => {
  assert.deepEqual(
    faultsOf({
      LOG_LEVEL: 'loud',
      PORT: '70000',
      KONTOR_QUOTES_KEPT_HOURS: 'a day',
      KONTOR_DISK_FREE_MB: '1.5',
      KONTOR_CONSOLE_HOURS: '0',
      KONTOR_TRUSTED_PROXIES: '10.0.0.0/8,everybody',
      KONTOR_METRICS_HOST: '0.0.0.0',
      KONTOR_METRICS_PLAIN_HTTP: 'yes',
      KONTOR_ENVIRONMENT: 'production',
      KONTOR_STREAMS: 'many',
      KONTOR_WEBHOOK_NETWORKS: '0.0.0.0/0',
      KONTOR_HEADS_MAIL: 'auditor@bank.example',
    }).map((fault) => /^[A-Z_]+/.exec(fault)?.[0]),
    [
      'LOG_LEVEL',
      'KONTOR_QUOTES_KEPT_HOURS',
      'PORT',
      'KONTOR_TRUSTED_PROXIES',
      'KONTOR_METRICS_PLAIN_HTTP',
      'KONTOR_STREAMS',
      'KONTOR_ENVIRONMENT',
      'KONTOR_CONSOLE_HOURS',
      'KONTOR_DISK_FREE_MB',
      'KONTOR_WEBHOOK_NETWORKS',
      'KONTOR_HEADS_MAIL',
    ],
  )
})

it('a role that there is not, and no database', () => {
  assert.deepEqual(faultsOf({ KONTOR_ROLE: 'workers' }), [
    'KONTOR_ROLE must be one of all, api, worker, not workers',
  ])
  assert.match(faultsOf({ DATABASE_URL: '' })[0] ?? '', /^DATABASE_URL is not set: /)
})

it('of a mail server that is none the address is not repeated: it may hold a password', () => {
  for (const url of ['mail.example:secret', 'http://u:secret@mail.example']) {
    const [fault = ''] = faultsOf({ KONTOR_SMTP_URL: url })
    assert.match(fault, /^KONTOR_SMTP_URL must be an address such as smtp:\/\/user:password@/)
    assert.ok(!fault.includes('secret'))
  }
})

it('says what the venues are: simulated, real ones for tests, or real money', () => {
  const environmentOf = (env: Record<string, string>) =>
    settingsFrom({ DATABASE_URL, ...env }).documents.environment
  const SANDBOX_URL = 'http://127.0.0.1:5100'
  assert.equal(environmentOf({}), 'live')
  assert.equal(environmentOf({ KONTOR_ENVIRONMENT: 'test' }), 'test')
  assert.equal(environmentOf({ SANDBOX_URL }), 'sandbox')
  assert.deepEqual(faultsOf({ SANDBOX_URL, KONTOR_ENVIRONMENT: 'live' }), [
    'KONTOR_ENVIRONMENT is live, but the sandbox runs: set SANDBOX=off',
  ])
})
