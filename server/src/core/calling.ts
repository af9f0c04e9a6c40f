/**
 * One call to a receiver, of whom nothing is taken for granted: it may be slow, never end, answer
 * without end, or lead elsewhere. All of it lasts 15 seconds at most, and of the answer no more is
 * read than is kept.
 *
 * The status decides. Once it is there, the rest of the answer changes nothing, unless it is the
 * answer that is asked for (`whole`).
 */
import { request as requestPlain } from 'node:http'
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import { request as requestTls } from 'node:https'
import { storableText } from './storable.ts'
import { tracingInUse } from './tracing.ts'
import { judgedAddresses } from './targets.ts'
import type { Address, TargetRules } from './targets.ts'

export const MAXIMUM_REASON = 500
/** Of an answer, where nothing else is said. */
export const MAXIMUM_ANSWER = 4_096
const CALL_MILLISECONDS = 15_000
/** The rest of an answer whose status is known. */
const REST_MILLISECONDS = 2_000
const MAXIMUM_HEADER_BYTES = 16_384
const MAXIMUM_HEADER = 500
const KEPT_HEADERS = ['content-type', 'location', 'retry-after', 'server'] as const

export type Call = {
  url: string
  /** POST when absent. */
  method?: string
  headers: Readonly<Record<string, string>>
  body: string
}

export type Answer = { status: number; headers: Record<string, string>; body: string }

/** `reason`: why there is no answer. */
export type Outcome = { answer: Answer } | { answer?: undefined; reason: string }

/** `longest`: how much of an answer is read. `whole`: one that is cut off is none. */
type Options = {
  rules: TargetRules
  call_ms?: number
  rest_ms?: number
  longest?: number
  whole?: boolean
}

export async function callReceiver(
  call: Call,
  {
    rules,
    call_ms = CALL_MILLISECONDS,
    whole = false,
    rest_ms = whole ? call_ms : REST_MILLISECONDS,
    longest = MAXIMUM_ANSWER,
  }: Options,
): Promise<Outcome> {
  const end = new AbortController()
  const timer = setTimeout(() => {
    end.abort()
  }, call_ms)
  let request: ClientRequest | undefined
  try {
    const url = new URL(call.url)
    const addresses = await judgedAddresses(url, rules, end.signal)
    end.signal.throwIfAborted()
    request = open(url, { ...call, addresses, rules, leaving: end.signal })
    const response = await responseTo(request, call.body)
    const body = await beginningOf(response, { rest_ms, longest, whole })
    return {
      answer: { status: response.statusCode ?? 0, headers: keptHeaders(response), body },
    }
  } catch (error) {
    const reason = end.signal.aborted ? `no answer within ${call_ms / 1000} s` : wordsOf(error)
    return { reason: storableText(reason).slice(0, MAXIMUM_REASON) }
  } finally {
    clearTimeout(timer)
    request?.destroy()
  }
}

type Opening = Pick<Call, 'method' | 'headers'> & {
  addresses: readonly Address[]
  rules: TargetRules
  leaving: AbortSignal
}

/** A connection of its own, to one of the addresses that were judged. */
function open(
  url: URL,
  { addresses, rules, method = 'POST', headers, leaving }: Opening,
): ClientRequest {
  const options: RequestOptions = {
    method,
    agent: false,
    headers: { ...headers, ...traceHeader(), connection: 'close' },
    signal: leaving,
    maxHeaderSize: MAXIMUM_HEADER_BYTES,
    lookup: (_name, { all }, found) => {
      const [first] = addresses
      if (all === true) found(null, [...addresses])
      else found(null, first?.address ?? '', first?.family)
    },
  }
  return url.protocol === 'http:'
    ? requestPlain(url, options)
    : requestTls(url, { ...options, ...(rules.ca === undefined ? {} : { ca: rules.ca }) })
}

/** By which the receiver's spans belong to ours. */
function traceHeader(): { traceparent?: string } {
  const traceparent = tracingInUse()?.header()
  return traceparent === undefined ? {} : { traceparent }
}

function responseTo(request: ClientRequest, body: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    // It stays: a receiver that goes on lying after its answer ends nothing.
    request.on('error', reject)
    // One that changes to another protocol ends without an error.
    request.on('close', () => {
      reject(new Error('the connection ended without an answer'))
    })
    request.on('response', resolve)
    request.end(body)
  })
}

/** Cut off where it is long, where it takes long, and where it breaks; an error where `whole`. */
function beginningOf(
  response: IncomingMessage,
  { rest_ms, longest, whole }: Required<Pick<Options, 'rest_ms' | 'longest' | 'whole'>>,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = []
    let length = 0
    const done = (): void => {
      clearTimeout(timer)
      const read = Buffer.concat(parts).subarray(0, longest)
      resolve(storableText(read.toString('utf8')).slice(0, longest))
    }
    const cut = (): void => {
      if (!whole) return done()
      clearTimeout(timer)
      reject(new Error('the answer was cut off, or is too long'))
    }
    const timer = setTimeout(cut, rest_ms)
    response.on('data', (part: Buffer) => {
      parts.push(part)
      length += part.length
      if (length >= longest) {
        response.pause()
        cut()
      }
    })
    response.on('end', done)
    for (const event of ['error', 'aborted', 'close']) response.on(event, cut)
  })
}

const keptHeaders = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    KEPT_HEADERS.flatMap((name): [string, string][] => {
      const value = headers[name]
      return value === undefined
        ? []
        : [[name, storableText(String(value)).slice(0, MAXIMUM_HEADER)]]
    }),
  )

function wordsOf(error: unknown): string {
  // Of several addresses none could be reached: each has an error of its own.
  if (error instanceof AggregateError && error.errors.length > 0) return wordsOf(error.errors[0])
  return error instanceof Error ? error.message : String(error)
}
