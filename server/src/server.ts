/** Names every endpoint of the service, and builds the server that answers at them. */
import type { FastifyInstance } from 'fastify'
import { accessEndpoints } from './access/index.ts'
import {
  declarationsEndpoints,
  settingsDeskFeed,
  settingsEndpoints,
} from './configuration/index.ts'
import { VERSION } from './core/version.ts'
import { approvalsEndpoints, underPolicy } from './approvals/index.ts'
import { complianceDeskFeed, complianceEndpoints } from './compliance/index.ts'
import { bookTransfersEndpoints, customersEndpoints } from './customers/index.ts'
import { buildServer } from './http/index.ts'
import type { Certificate, Door, Endpoint, Environment, Limits, Ready } from './http/index.ts'
import { deskEndpoints, picturesEndpoints, withNewsFilter } from './desk/index.ts'
import { eventsEndpoints } from './events/index.ts'
import { headsEndpoints } from './heads/index.ts'
import { ledgerEndpoints } from './ledger/index.ts'
import { dailyPricesEndpoints, marketDataEndpoints } from './market-data/index.ts'
import { withPapers } from './papers/index.ts'
import { screeningEndpoints } from './screening/index.ts'
import { settlementsEndpoints, settlementsDeskFeed } from './settlements/index.ts'
import { unknownRoutes } from './route-ids.ts'
import { hasQuotes, tradingEndpoints } from './trading/index.ts'
import { treasuryEndpoints } from './treasury/index.ts'
import { viewsEndpoints } from './views/index.ts'
import { webhooksDeskFeed, webhooksEndpoints } from './webhooks/index.ts'
import { venuesEndpoints } from './venues/index.ts'
import { webhooksPart } from './app.ts'
import type { App } from './app.ts'

/** Every endpoint of the service. */
export function endpointsOf(app: App): Endpoint[] {
  const endpoints = [
    ...accessEndpoints(app, unknownRoutes),
    ...ledgerEndpoints(app),
    ...customersEndpoints(app, hasQuotes(app.clock)),
    ...bookTransfersEndpoints(app),
    ...venuesEndpoints(app),
    ...marketDataEndpoints(app),
    ...dailyPricesEndpoints(app),
    ...treasuryEndpoints(app),
    ...tradingEndpoints(app),
    ...settlementsEndpoints(app),
    ...settingsEndpoints(app),
    ...declarationsEndpoints(webhooksPart(app)),
    ...deskEndpoints(app, FEEDS_BESIDE_DESK),
    ...picturesEndpoints(app),
    ...eventsEndpoints(app),
    ...approvalsEndpoints(app),
    ...headsEndpoints(),
    ...screeningEndpoints(app),
    ...complianceEndpoints(app),
    ...viewsEndpoints(app),
    ...webhooksEndpoints(webhooksPart(app)),
  ]
  const { request_key } = app.access.tokens
  return underPolicy({ ...app, request_key }, withPapers(app, withNewsFilter(endpoints)))
}

/** Of modules on the floor of the desk. */
export const FEEDS_BESIDE_DESK = [
  settlementsDeskFeed,
  complianceDeskFeed,
  webhooksDeskFeed,
  settingsDeskFeed,
]

type ServerOptions = {
  /** What the console says of the venues. */
  environment?: Environment
  /** The metrics at `/metrics`, for anybody, beside their own port. */
  public_metrics?: boolean
  /** The documentation, and the API's reference and document, for anybody. */
  public_documents?: boolean
  /** Where the built documentation lies. */
  documentation?: string
  /** Where the built console lies. */
  console?: string
  limits?: Limits
  door?: Door
  certificate?: Certificate | undefined
}

export function serverOf(
  app: App,
  { environment = 'live', console: folder, ...options }: ServerOptions = {},
): Promise<FastifyInstance> {
  return buildServer({
    ...options,
    db: app.db,
    clock: app.clock,
    log: app.log,
    metrics: app.metrics,
    endpoints: endpointsOf(app),
    authenticate: app.access.authenticate,
    onRefused: app.access.refused,
    onNoted: app.access.noted,
    request_key: app.access.tokens.request_key,
    ready: readyOf(app),
    fault: () => app.clockWatch?.fault(),
    ...(folder === undefined
      ? {}
      : {
          console: {
            folder,
            facts: { version: VERSION, environment, documents: options.public_documents === true },
          },
        }),
  })
}

/** What every port of the service answers. */
export const readyOf =
  ({ readiness }: Pick<App, 'readiness'>): Ready =>
  () =>
    readiness.missing()
