/** What operators see of a process, whatever its role. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import type { FastifyInstance } from 'fastify'
import pg from 'pg'
import { pino } from 'pino'
import { parse } from 'yaml'
import { openApp } from './app.ts'
import { readyOf, serverOf } from './server.ts'
import type { App } from './app.ts'
import { manualClock } from './core/clock.ts'
import { newId } from './core/ids.ts'
import { until } from './core/testing.ts'
import { growRows } from './desk/overview/growing-rows.testing.ts'
import { NOW } from './desk/overview/growing-terms.testing.ts'
import { firstStart } from './first-start.ts'
import { doorFrom } from './http/index.ts'
import { lastEventSequences } from './ledger/index.ts'
import { openMonitoring } from './monitoring.ts'
import type { Monitoring } from './monitoring.ts'
import { openPlannedReads } from './store/planned-reads.testing.ts'
import { sql } from './store/sql.ts'
import { taskFigures } from './store/task-figures.ts'
import { testDatabase } from './store/testing.ts'
import type { TestDatabase } from './store/testing.ts'

const SECOND = 1_000
const VENUE = newId()

describe('monitoring', () => {
  let database: TestDatabase
  let owner: pg.Client
  let app: App
  let monitoring: Monitoring
  let server: FastifyInstance
  before(async () => {
    database = await testDatabase()
    owner = new pg.Client({ connectionString: database.url })
    await owner.connect()
    app = await openApp({
      url: database.url,
      role: 'kontor',
      clock: manualClock(NOW),
      log: pino({ level: 'silent' }),
      maximumConnections: 1,
    })
    await firstStart(app, { email: 'admin@kontor.test', password: 'correct horse battery staple' })
    await insertTrouble(owner, app)
    monitoring = await openMonitoring(app, {
      url: database.url,
      role: 'kontor',
      ready: readyOf(app),
      place: { ...doorFrom({}), port: 0, fixed: false },
    })
    server = await serverOf(app)
  })
  after(async () => {
    await server.close()
    await monitoring.close()
    await app.close()
    await owner.end()
    await database.drop()
  })

  const scrape = async () => (await fetch(`http://127.0.0.1:${monitoring.port}/metrics`)).text()
  /** By the whole name with its labels. */
  const valuesIn = (text: string, names: readonly string[]) =>
    Object.fromEntries(
      names.map((name) => {
        const line = text.split('\n').find((sample) => sample.startsWith(`${name} `))
        return [name, line === undefined ? undefined : Number(line.slice(name.length))]
      }),
    )

  it('shows what is overdue, what fails, what is unknown, and which venue is down', async () => {
    const venue = `venue="${VENUE}",kind="EXCHANGE"`
    const expected = {
      'kontor_task_age_seconds{kind="poll_venue"}': 90,
      'kontor_tasks_due{kind="poll_venue"}': 2,
      'kontor_tasks_failing{kind="poll_venue"}': 1,
      'kontor_task_age_seconds{kind="later"}': 0,
      'kontor_unknown_outcomes{record="withdrawal"}': 1,
      'kontor_unknown_outcomes{record="execution"}': 1,
      'kontor_needs{kind="venues_stale"}': 1,
      'kontor_need_age_seconds{kind="venues_stale"}': 3600,
      [`kontor_venue_state{${venue},state="UNREACHABLE"}`]: 1,
      [`kontor_venue_state{${venue},state="CONNECTED"}`]: 0,
      [`kontor_venue_seen_age_seconds{${venue}}`]: 3600,
      kontor_ready: 1,
      kontor_mails_failed: 1,
      kontor_mails_pending: 1,
      kontor_mail_age_seconds: 120,
      'kontor_scrape_failed{figures="needs"}': 0,
    }
    assert.deepEqual(valuesIn(await scrape(), Object.keys(expected)), expected)
  })

  it('shows who waits for a connection and for the lane', async () => {
    const [workspace = assert.fail()] = (await lastEventSequences(app.db)).keys()
    const { promise: over, resolve: release } = Promise.withResolvers<void>()
    await owner.query('begin')
    await owner.query('select from lanes for update')
    const holder = app.db.tx(() => over)
    const waiter = app.db.query(sql`select 1`)
    const event = { type: 'venue.connected', resource_id: VENUE, data: {} } as const
    const change = app.lane.commit({ workspace, class: 'fact', by: 'test', events: [event] })
    const names = ['requests', 'lane'].map((name) => `kontor_waiting{for="${name}"}`)
    const counts = async () => Object.values(valuesIn(await scrape(), names))
    try {
      await until('both wait', async () => (await counts()).every((count) => Number(count) > 0))
      const [longest] = Object.values(
        valuesIn(await scrape(), ['kontor_waiting_longest_seconds{for="lane"}']),
      )
      assert.ok((longest ?? 0) > 0)
    } finally {
      release()
      await owner.query('rollback')
      await Promise.all([holder, waiter, change])
    }
    await until('nobody waits', async () => (await counts()).every((count) => count === 0))
  })

  it('has nothing on the public port, nor have documents, unless it is asked for', async () => {
    const paths = ['/metrics', '/api/openapi.json', '/api/docs/', '/livez', '/readyz']
    const statuses = paths.map(async (url) => (await server.inject({ url })).statusCode)
    assert.deepEqual(await Promise.all(statuses), [404, 404, 404, 200, 200])
  })

  it('has every metric that the alert rules and the dashboard name', async () => {
    const known = new Set(['up', ...metricsIn(await scrape())])
    const named = [...rules(), ...panels()].flatMap(({ name, expr }) =>
      metricsOf(expr).map((metric) => ({ name, metric })),
    )
    assert.ok(named.length > 30)
    assert.deepEqual(
      named.filter(({ metric }) => !known.has(metric)),
      [],
    )
  })

  it('has rules that say how bad it is and which paragraph says what to do', () => {
    const anchors = new Set(
      [...documentText('operations.md').matchAll(/^#+ (.+)$/gm)].map(
        ([, heading = '']) =>
          `docs/operations.md#${heading
            .toLowerCase()
            .replaceAll(/[^a-z0-9 -]/g, '')
            .replaceAll(' ', '-')}`,
      ),
    )
    const wrong = rules().filter(
      ({ wait, severity, summary, runbook }) =>
        !/^[1-9][0-9]*[smh]$/.test(wait) ||
        !['critical', 'warning'].includes(severity) ||
        summary === '' ||
        !anchors.has(runbook),
    )
    assert.ok(rules().length > 10)
    assert.deepEqual(wrong, [])
  })
})

const documentText = (name: string): string =>
  readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8')

type RuleFile = {
  groups: {
    rules: {
      alert: string
      expr: string
      for: string
      labels: { severity: string }
      annotations: { summary: string; runbook: string }
    }[]
  }[]
}

const rules = () =>
  (parse(documentText('monitoring/alerts.yml')) as RuleFile).groups
    .flatMap((group) => group.rules)
    .map(({ alert, expr, for: wait, labels: { severity }, annotations }) => ({
      name: alert,
      expr,
      wait,
      severity,
      ...annotations,
    }))

const panels = () =>
  (
    JSON.parse(documentText('monitoring/dashboard.json')) as {
      panels: { title: string; targets: { expr: string }[] }[]
    }
  ).panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ name: title, expr })))

/** What is left of an expression without strings, labels, ranges, functions and numbers. */
function metricsOf(expr: string): string[] {
  const bare = expr
    .replaceAll(/"[^"]*"/g, '')
    .replaceAll(/\{[^}]*\}|\[[^\]]*\]/g, ' ')
    .replaceAll(/\b(?:by|without)\s*\([^)]*\)/g, ' ')
    .replaceAll(/\b\w+\s*\(/g, ' ')
  return [...new Set(bare.match(/\b[a-z][a-z0-9_:]*/g) ?? [])]
}

/** The names that Prometheus stores. */
function metricsIn(text: string): string[] {
  return [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = '', type]) =>
    type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  )
}

it('what is due is found by indexes alone', async () => {
  const reads = await openPlannedReads()
  const clock = manualClock(NOW)
  try {
    await reads.owner.query(
      `
        insert into tasks (workspace, kind, subject_id, due_at, last_error)
        select gen_random_uuid(), 'kind ' || n % 5, gen_random_uuid(),
          case when n % 100 = 0 then 0 else $1::bigint + n end,
          case when n % 100 = 0 then 'failed' end
        from generate_series(1, 10000) n`,
      [NOW],
    )
    await reads.owner.query('vacuum analyze tasks')
    const taken = await reads.rowsRead('tasks', (reader) => taskFigures(reader, clock).read())
    assert.ok(taken < 1_000, `${taken} rows were read`)
  } finally {
    await reads.close()
  }
})

/** One of each of what the figures are about. */
async function insertTrouble(owner: pg.Client, { db }: App): Promise<void> {
  const [workspace = assert.fail()] = (await lastEventSequences(db)).keys()
  // Rows are made wholesale, without those that they point to.
  await owner.query('set session_replication_role = replica')
  await growRows(owner, workspace, { from: 1, to: 1 })
  await owner.query(
    `
      insert into venues (
        workspace, id, key, label, kind, settlement, state, config, connected_at, last_seen_at,
        system_created_at, system_updated_at
      )
      values ($1, $2, 'v', 'Venue', 'EXCHANGE', 'PREFUNDED', 'UNREACHABLE', '{}', 0, $3, 0, 0)`,
    [workspace, VENUE, NOW - 3_600 * SECOND],
  )
  await owner.query(
    `
      insert into tasks (workspace, kind, subject_id, due_at, last_error)
      values
        ($1, 'poll_venue', gen_random_uuid(), $2, 'the venue does not answer'),
        ($1, 'poll_venue', gen_random_uuid(), $2 + 1, null),
        ($1, 'later', gen_random_uuid(), $3, null)`,
    [workspace, NOW - 90 * SECOND, NOW + SECOND],
  )
  await owner.query(
    `
      insert into mails (
        workspace, id, state, event_sequence, event_type, resource_id, customer_id, recipient,
        subject, body, system_created_at, system_updated_at
      )
      select $1, gen_random_uuid(), state, n, 'deposit.assigned', $2, $2, 'a@b.example', '', '',
        $3::bigint, updated_at
      from (
        values (1, 'FAILED', $4::bigint), (2, 'FAILED', 0), (3, 'PENDING', $4), (4, 'SENT', $4)
      ) as mail (n, state, updated_at)`,
    [workspace, VENUE, NOW - 120 * SECOND, NOW - SECOND],
  )
}
