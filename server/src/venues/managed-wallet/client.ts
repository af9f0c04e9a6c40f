/**
 * Signed JSON requests to the custodian, each answered, refused or not answered. Nothing is
 * repeated in here.
 */
import { createHmac } from 'node:crypto'
import { Agent, request } from 'undici'
import { ApiError, refuse } from '../../core/errors.ts'
import type { Outcome } from '../contract.ts'

export type Failure = { status: number | null; code: string | null; reason: string }
export type Answer<Data> = { ok: true; data: Data } | { ok: false; failure: Failure }

export type Client = {
  get<Data>(path: string, query?: Record<string, string>): Promise<Answer<Data>>
  post<Data>(path: string, body: Record<string, string>): Promise<Answer<Data>>
  close(): Promise<void>
}

export type ClientConfig = {
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

export function openClient({
  base_url,
  api_key,
  api_secret,
  request_timeout_ms,
}: ClientConfig): Client {
  const root = base_url.replace(/\/+$/, '')
  const agent = new Agent({
    headersTimeout: request_timeout_ms,
    bodyTimeout: request_timeout_ms,
    connect: { timeout: request_timeout_ms },
    maxResponseSize: LARGEST_ANSWER_BYTES,
  })

  async function ask<Data>(
    method: 'GET' | 'POST',
    path: string,
    body: string,
  ): Promise<Answer<Data>> {
    const url = new URL(root + path)
    const timestamp = String(Date.now())
    const signature = createHmac('sha256', api_secret)
      .update(`${timestamp}${method}${url.pathname}${url.search}${body}`)
      .digest('hex')
    const headers = {
      'x-api-key': api_key,
      'x-timestamp': timestamp,
      'x-signature': signature,
      ...(method === 'POST' && { 'content-type': 'application/json' }),
    }
    let status: number | null = null
    let text: string
    try {
      const response = await request(url, {
        method,
        headers,
        dispatcher: agent,
        signal: AbortSignal.timeout(request_timeout_ms),
        ...(method === 'POST' && { body }),
      })
      status = response.statusCode
      text = await response.body.text()
    } catch (error) {
      const code = (error as { code?: unknown }).code
      return {
        ok: false,
        failure: {
          status: null,
          code: null,
          reason: `no answer from the custodian${typeof code === 'string' ? ` (${code})` : ''}`,
        },
      }
    }
    const parsed = parse(text)
    if (status >= 200 && status < 300 && parsed !== undefined)
      return { ok: true, data: parsed as Data }
    const told = (parsed as { error?: { code?: unknown; message?: unknown } } | undefined)?.error
    const reason =
      typeof told?.message === 'string'
        ? told.message.slice(0, LONGEST_REASON)
        : `the custodian answered ${status}`
    return {
      ok: false,
      failure: { status, code: typeof told?.code === 'string' ? told.code : null, reason },
    }
  }

  return {
    get: (path, query = {}) =>
      ask(
        'GET',
        `${path}${Object.keys(query).length === 0 ? '' : `?${new URLSearchParams(query).toString()}`}`,
        '',
      ),
    post: (path, body) => ask('POST', path, JSON.stringify(body)),
    close: () => agent.destroy(),
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

/** The custodian itself has said no, not something on the way to it. */
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
