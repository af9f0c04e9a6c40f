/** What every answer of the service must be, whatever was asked. */
import { Compile } from 'typebox/compile'
import { DETAIL_CODES, ERRORS } from '../../src/core/errors.ts'
import { isId } from '../../src/core/ids.ts'
import type { RequestPlan } from './requests.ts'
import { closed, Type } from '../../src/http/index.ts'
import type { Endpoint } from '../../src/http/index.ts'
import type { HttpAnswer } from '../service-under-test.ts'

type Envelope = {
  success: unknown
  data?: unknown
  error_code?: unknown
  error_message?: unknown
  error_description?: unknown
  error_details?: unknown
  request_id?: unknown
}

const REFUSED_FIELDS: ReadonlySet<string> = new Set([
  'success',
  'error_code',
  'error_message',
  'error_description',
  'error_details',
  'request_id',
])
/** Such a request reaches its own endpoint, if it is accepted at all. */
const OWN_ENDPOINT: ReadonlySet<string> = new Set([
  'sensible',
  'another value in the body',
  'another value in the query',
])

/** `kind` is `accepted` or the error code; `wrong` says in words what the answer breaks. */
export function judgeAnswer(
  plan: Pick<RequestPlan, 'how' | 'method' | 'endpoint' | 'body'>,
  reply: HttpAnswer,
  otherWorkspace: string,
): { kind: string; wrong?: string } {
  return reply.status === 200
    ? { kind: 'accepted', ...wrongWithAccepted(plan, reply, otherWorkspace) }
    : wrongWithRefused(plan, reply)
}

/** A list as CSV, a statement as camt.053: no envelope. */
export const isDocument = ({ type }: HttpAnswer): boolean =>
  type.startsWith('text/csv') || type.startsWith('application/xml')

const wrong = (what: string) => ({ wrong: what })

function wrongWithAccepted(
  plan: Pick<RequestPlan, 'how' | 'endpoint'>,
  reply: HttpAnswer,
  otherWorkspace: string,
): { wrong?: string } {
  // Inside a text of a caller the quotes would be escaped.
  if (reply.text.includes(`"workspace":"${otherWorkspace}"`))
    return wrong('shows the other workspace')
  if (isDocument(reply))
    return reply.text.includes(otherWorkspace) ? wrong('shows the other workspace') : {}
  const answer = parsed(reply)
  if (
    answer === undefined ||
    answer.success !== true ||
    Object.keys(answer).join() !== 'success,data'
  )
    return wrong('is not the envelope of an accepted request')
  if (plan.endpoint === undefined || !OWN_ENDPOINT.has(plan.how)) return {}
  const check = checkOf(plan.endpoint)
  if (check.Check(answer)) return {}
  const errors = JSON.stringify(check.Errors(answer)).slice(0, 400)
  return wrong(`answers other data than it declares: ${errors}`)
}

function wrongWithRefused(
  plan: Pick<RequestPlan, 'method' | 'endpoint' | 'body'>,
  reply: HttpAnswer,
): { kind: string; wrong?: string } {
  const answer = parsed(reply)
  const kind = String(answer?.error_code)
  const fault = refusalFault(plan, reply, answer)
  return fault === undefined ? { kind } : { kind, wrong: fault }
}

function refusalFault(
  plan: Pick<RequestPlan, 'method' | 'endpoint' | 'body'>,
  reply: HttpAnswer,
  answer: Envelope | undefined,
): string | undefined {
  if (answer === undefined || answer.success !== false)
    return 'is not the envelope of a refused request'
  const known = Object.values(ERRORS).find((error) => error.code === answer.error_code)
  if (
    known === undefined ||
    known.status !== reply.status ||
    known.message !== answer.error_message
  )
    return 'code, status and message do not belong together'
  const strange = Object.keys(answer).filter((name) => !REFUSED_FIELDS.has(name))
  if (strange.length > 0) return `the envelope has ${strange.join()}`
  if (typeof answer.request_id !== 'string' || !isId(answer.request_id))
    return 'names no request id'
  // A fault of ours says nothing about itself.
  if (
    reply.status >= 500 &&
    (!maySay5xx(plan, known.code) || typeof answer.error_description !== 'string')
  )
    return 'answers 5xx'
  if (known.code !== ERRORS.BadRequest.code && known.code !== ERRORS.NewResourceNotFound.code)
    return undefined
  return typeof answer.error_description === 'string' && arePrecise(answer.error_details)
    ? undefined
    : 'gives no precise reason'
}

function arePrecise(details: unknown): boolean {
  return (
    Array.isArray(details) &&
    details.length > 0 &&
    details.every(
      (detail: { path?: unknown; code?: unknown; message?: unknown }) =>
        typeof detail.path === 'string' &&
        (DETAIL_CODES as readonly unknown[]).includes(detail.code) &&
        typeof detail.message === 'string' &&
        detail.message.length > 3 &&
        Object.keys(detail).length === 3,
    )
  )
}

/** The specification's one 5xx for a caller's mistake, and venues that do not answer. */
function maySay5xx(
  { method, endpoint, body }: Pick<RequestPlan, 'method' | 'endpoint' | 'body'>,
  code: number,
): boolean {
  if (code !== ERRORS.InternalServerError.code) return code === ERRORS.VenueUnreachable.code
  return (
    method === 'POST' &&
    endpoint?.path === '/price-stream/quotes' &&
    typeof (body as { request_asset?: unknown } | undefined)?.request_asset === 'string'
  )
}

type Check = { Check(value: unknown): boolean; Errors(value: unknown): unknown }
const checks = new WeakMap<Endpoint, Check>()

function checkOf(endpoint: Endpoint): Check {
  let check = checks.get(endpoint)
  if (check === undefined) {
    check = Compile(
      closed({
        success: Type.Literal(true),
        data: endpoint.effect === 'list' ? Type.Array(endpoint.data) : endpoint.data,
      }),
    )
    checks.set(endpoint, check)
  }
  return check
}

function parsed(reply: HttpAnswer): Envelope | undefined {
  if (!reply.type.startsWith('application/json')) return undefined
  try {
    const value = JSON.parse(reply.text) as Envelope | null
    return value ?? undefined
  } catch {
    return undefined // which the caller judges: it is no envelope
  }
}
