/** What those who operate the service watch (docs/operations.md): the figures of every part. */
import { collectDefaultMetrics } from 'prom-client'
import { FEEDS_BESIDE_DESK } from './server.ts'
import type { App } from './app.ts'
import { figures } from './core/figures.ts'
import type { Figures } from './core/figures.ts'
import { needFigures } from './desk/index.ts'
import { mailFigures } from './events/index.ts'
import { certificateFigures, exposeFigures, openMetricsPort } from './http/index.ts'
import type { Certificate, MetricsPlace, Ready } from './http/index.ts'
import { openDb } from './store/db.ts'
import type { Db } from './store/db.ts'
import { archiveFigures } from './store/archive-figures.ts'
import { taskFigures } from './store/task-figures.ts'
import { venueFigures } from './venues/index.ts'
import { webhookFigures } from './webhooks/index.ts'

/** Where all connections of the service are taken, figures still have theirs. */
const CONNECTIONS = 2
const STATEMENT_MILLISECONDS = 1_000
const WAIT_MILLISECONDS = 2_000

type MonitoringOptions = {
  url: string
  role?: string
  ready: Ready
  /** Without it there is no port. */
  place?: MetricsPlace
  /** Of the TLS of any port. */
  certificate?: Certificate | undefined
}

/** `port`: where the metrics are. */
export type Monitoring = { port: number | undefined; close(): Promise<void> }

export async function openMonitoring(
  app: App,
  { url, role, ready, place, certificate }: MonitoringOptions,
): Promise<Monitoring> {
  const db = openDb({
    url,
    ...(role === undefined ? {} : { role }),
    maximumConnections: CONNECTIONS,
    statementMilliseconds: STATEMENT_MILLISECONDS,
    waitMilliseconds: WAIT_MILLISECONDS,
  })
  collectDefaultMetrics({ register: app.metrics })
  const own = [readiness(ready), certificateFigures(certificate)]
  exposeFigures(app.metrics, [...own, ...figuresOf(app, db)], app)
  const watched = { metrics: app.metrics, ready, log: app.log, certificate }
  const port = place === undefined ? undefined : await openMetricsPort(watched, place)
  return {
    port: port?.port,
    async close() {
      await port?.close()
      await db.close()
    },
  }
}

/** What /readyz says, for those who only scrape. */
const readiness = (ready: Ready): Figures =>
  figures({
    name: 'readiness',
    gauges: { kontor_ready: { help: '1 while the service can serve', labels: [] } },
    read: async () => ({
      kontor_ready: [{ labels: {}, value: (await ready()) === undefined ? 1 : 0 }],
    }),
  })

const figuresOf = ({ clock, venues }: App, db: Db): Figures[] => [
  taskFigures(db, clock),
  archiveFigures(db),
  needFigures({ db, clock }, FEEDS_BESIDE_DESK),
  ...venueFigures(db, clock, venues),
  mailFigures(db, clock),
  webhookFigures(db, clock),
]
