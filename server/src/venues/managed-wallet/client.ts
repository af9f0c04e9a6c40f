/**
 * Signed JSON requests to the custodian, each answered, refused or not answered. Nothing is
 * repeated in here.
 */
import { createHmac } from 'node:crypto'
import { Agent, request } from 'undici'
import { ApiError, refuse } from '../../core/errors.ts'
import { wireFaultIn } from '../../core/wire-faults.ts'
import type { Outcome } from '../contract.ts'

type Failure = { status: number | null; code: string | null; reason: string }
export type Answer<Data> = { ok: true; data: Data } | { ok: false; failure: Failure }

export type Client = {
  get<Data>(path: string, query?: Record<string, string>): Promise<Answer<Data>>
  post<Data>(path: string, body: Record<string, string>): Promise<Answer<Data>>
  close(): Promise<void>
}

type ClientConfig = {
  /** Up to and including the version: `https://api.custodian.example/v1`. */
  base_url: string
  api_key: string
  api_secret: string
  request_timeout_ms: number
}

const LONGEST_REASON = 300
const LARGEST_ANSWER_BYTES = 8_388_608
/** Statuses below 500 after which a repeated request may be served. */
const NOT_FINAL = [408, 425, 429]

export function openClient(config: ClientConfig): Client {
  const { request_timeout_ms } = config
  const agent = new Agent({
    headersTimeout: request_timeout_ms,
    bodyTimeout: request_timeout_ms,
    connect: { timeout: request_timeout_ms },
    maxResponseSize: LARGEST_ANSWER_BYTES,
  })
  return {
    get: (path, query = {}) =>
      ask(config, agent, { method: 'GET', path: `${path}${queryText(query)}`, body: '' }),
    post: (path, body) => ask(config, agent, { method: 'POST', path, body: JSON.stringify(body) }),
    close: () => agent.destroy(),
  }
}

function queryText(query: Record<string, string>): string {
  return Object.keys(query).length === 0 ? '' : `?${new URLSearchParams(query).toString()}`
}

type Call = { method: 'GET' | 'POST'; path: string; body: string }

async function ask<Data>(config: ClientConfig, agent: Agent, call: Call): Promise<Answer<Data>> {
  const { base_url, request_timeout_ms } = config
  const { method, path, body } = call
  const url = new URL(base_url.replace(/\/+$/, '') + path)
  let status: number | null = null
  let text: string
  try {
    const response = await request(url, {
      method,
      headers: signedHeaders(config, call, url),
      dispatcher: agent,
      signal: AbortSignal.timeout(request_timeout_ms),
      ...(method === 'POST' && { body }),
    })
    status = response.statusCode
    text = await response.body.text()
  } catch (error) {
    const { code, message } = error as { code?: unknown; message?: unknown }
    const why = wireFaultIn(`${String(code)} ${String(message)}`) ?? code
    const reason = `no answer from the custodian${typeof why === 'string' ? ` (${why})` : ''}`
    return { ok: false, failure: { status: null, code: null, reason } }
  }
  const parsed = parse(text)
  if (status >= 200 && status < 300 && parsed !== undefined)
    return { ok: true, data: parsed as Data }
  return { ok: false, failure: failureOf(status, parsed) }
}

function signedHeaders(
  { api_key, api_secret }: ClientConfig,
  { method, body }: Call,
  url: URL,
): Record<string, string> {
  const timestamp = String(Date.now())
  const signature = createHmac('sha256', api_secret)
    .update(`${timestamp}${method}${url.pathname}${url.search}${body}`)
    .digest('hex')
  return {
    'x-api-key': api_key,
    'x-timestamp': timestamp,
    'x-signature': signature,
    ...(method === 'POST' && { 'content-type': 'application/json' }),
  }
}

function failureOf(status: number, answer: object | undefined): Failure {
  const { error } = (answer ?? {}) as { error?: { code?: unknown; message?: unknown } }
  return {
    status,
    code: typeof error?.code === 'string' ? error.code : null,
    reason:
      typeof error?.message === 'string'
        ? error.message.slice(0, LONGEST_REASON)
        : `the custodian answered ${status}`,
  }
}

function parse(text: string): object | undefined {
  try {
    const value = JSON.parse(text) as unknown
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/** The custodian itself has refused, not something on the way to it. */
export function isRefusal({ status, code }: Failure): boolean {
  return (
    status !== null && status >= 400 && status < 500 && !NOT_FINAL.includes(status) && code !== null
  )
}

export function outcomeOf<Report>(failure: Failure): Outcome<Report> {
  if (isRefusal(failure))
    return { outcome: 'refused', reason: failure.reason, native: failure.code }
  return { outcome: 'unknown', reason: failure.reason }
}

/**
 * For reads: the data, or VenueUnreachable, or REFUSED_BY_VENUE where the custodian refuses what
 * the caller asked for.
 */
export function readOf<Data>(answer: Answer<Data>): Data {
  if (answer.ok) return answer.data
  const { failure } = answer
  if (isRefusal(failure) && failure.status !== 401 && failure.status !== 403)
    throw refuse('REFUSED_BY_VENUE', '', `custodian: ${failure.reason}`)
  throw new ApiError('VenueUnreachable', `custodian: ${failure.reason}`)
}
