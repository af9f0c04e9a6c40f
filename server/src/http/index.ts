export { endpoint, listEndpoint, streamEndpoint } from './endpoint.ts'
export { workerCaller } from './caller.ts'
export type { Caller, Idempotency, Principal } from './caller.ts'
export type { Call, Endpoint, ListQuery, Message } from './endpoint.ts'
export {
  withIdempotentReplay,
  forgetOldKeys,
  KEPT_MILLISECONDS,
  onceInTransaction,
  storedReplyId,
} from './idempotency.ts'
export { page } from './lists.ts'
export { VERSION } from './openapi.ts'
export { READ_ONLY_FIELDS } from './prepare.ts'
export * from './query.ts'
export { buildServer, MAXIMUM_BODY_BYTES } from './server.ts'
export type { Authenticate, ServerParts } from './server.ts'
export * from './shapes.ts'
