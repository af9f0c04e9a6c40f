export { MAXIMUM_BODY_BYTES } from './body-limits.ts'
export { workerCaller } from './caller.ts'
export type {
  ApiKeyTerms,
  Authenticate,
  Caller,
  Principal,
  NotedCall,
  RefusedRequest,
  Source,
} from './caller.ts'
export { certificateFigures, openCertificate } from './certificate.ts'
export type { Certificate } from './certificate.ts'
export { fieldCheck } from './compilers.ts'
export { doorFrom, urlOf } from './door.ts'
export type { Door } from './door.ts'
export { endpoint, fileEndpoint, listEndpoint, streamEndpoint } from './endpoint.ts'
export type {
  AnyCall,
  Call,
  Endpoint,
  FileAnswer,
  ListQuery,
  Message,
  PaperAnswer,
  Papers,
  Work,
} from './endpoint.ts'
export { performerOf } from './handlers.ts'
export {
  withIdempotentReplay,
  idempotencyOf,
  isAnswered,
  isSameRequest,
  onceInTransaction,
  storedReplyId,
} from './idempotency.ts'
export { forgetKey, forgetOldKeys } from './forgotten-keys.ts'
export { exposeFigures, measureWaits } from './figures.ts'
export { LIMIT_VARIABLES, limitsFrom } from './limits.ts'
export type { Limits } from './limits.ts'
export { page } from './lists.ts'
export { metricsPlaceFrom, openMetricsPort } from './metrics-port.ts'
export type { Environment } from './console.ts'
export type { MetricsPlace } from './metrics-port.ts'
export { openApiDocument } from './openapi/document.ts'
export { CONFIRMED_MILLISECONDS } from './registration.ts'
export { READ_ONLY_FIELDS } from './prepare.ts'
export type { Ready } from './probes.ts'
export {
  assertPeriod,
  queryAsset,
  queryAssets,
  queryDay,
  queryFlag,
  queryId,
  queryInteger,
  queryOneOf,
  queryReference,
  queryQuantity,
  MAXIMUM_TAG,
  queryTag,
  queryText,
  queryTime,
  queryTimeZone,
  requiredQueryId,
  requiredQueryText,
} from './query.ts'
export { buildServer } from './server.ts'
export { onceShowing } from './shown-once.ts'
export { TOTALS_COST, totalsOf, totalsShape } from './totals.ts'
export { readTime, timeInput, timeOf } from './times.ts'
export {
  asset,
  assetInAnyCase,
  closed,
  currentVersion,
  dateText,
  decimalText,
  flag,
  id,
  integer,
  MAXIMUM_TEXT,
  notNegativeText,
  nullable,
  oneOf,
  optional,
  optionalBlank,
  positiveText,
  record,
  refusedForm,
  requiredText,
  emailText,
  MAXIMUM_EMAIL,
  text,
  time,
  Type,
} from './shapes.ts'
export type { Static, TSchema } from './shapes.ts'
export { quantityConditions } from './quantity-filter.ts'
export { isTagged, tagCondition } from './tag-filter.ts'
