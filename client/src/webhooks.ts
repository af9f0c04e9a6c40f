/**
 * Verifies what a webhook delivers, as Standard Webhooks says. Uses Web Crypto, so it also runs
 * where Node's modules are missing.
 */
import type { Event } from './events.ts'

const TOLERANCE_SECONDS = 300
const SECRET_PREFIX = 'whsec_'
const SCHEME = 'v1,'

/** An event, or the test that somebody sent, of which nothing is true. */
export type WebhookEvent = Event | (Omit<Event, 'type'> & { type: 'webhook.test' })

type HeadersLike =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

export type WebhookDelivery = {
  /** `whsec_…`; several while it is rotated. */
  secret: string | readonly string[]
  /** Of the request: those of Node (`request.headers`) or of fetch (`Headers`). */
  headers: HeadersLike
  /** As it came, before it is parsed: every byte is signed. */
  body: string | Uint8Array
  /** How old, or ahead of our clock, a delivery may be; five minutes when absent. */
  tolerance_seconds?: number
  /** Replaces the clock: Unix milliseconds. */
  now?: number
}

/** What was sent is not from the owner of the secret, or not from now. Answer 400. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError'
}

/** The event that was delivered. Throws WebhookError. */
export async function verifyWebhook({
  secret,
  headers,
  body,
  tolerance_seconds = TOLERANCE_SECONDS,
  now = Date.now(),
}: WebhookDelivery): Promise<WebhookEvent> {
  const id = headerOf(headers, 'webhook-id')
  const timestamp = headerOf(headers, 'webhook-timestamp')
  const signatures = headerOf(headers, 'webhook-signature')
    .split(' ')
    .filter((signature) => signature.startsWith(SCHEME))
    .flatMap((signature) => bytesOf(signature.slice(SCHEME.length)) ?? [])
  if (!/^\d{1,15}$/.test(timestamp)) throw new WebhookError('webhook-timestamp is not a time')
  if (Math.abs(now / 1000 - Number(timestamp)) > tolerance_seconds)
    throw new WebhookError('the delivery is too old, or from the future')
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), bytes)
  for (const one of typeof secret === 'string' ? [secret] : secret) {
    const key = await keyOf(one)
    for (const signature of signatures)
      if (await crypto.subtle.verify('HMAC', key, signature, signed))
        return JSON.parse(new TextDecoder().decode(bytes)) as WebhookEvent
  }
  throw new WebhookError('no signature is of the secret')
}

async function keyOf(secret: string) {
  const bytes = bytesOf(
    secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret,
  )
  if (bytes === undefined || bytes.length === 0)
    throw new TypeError('the secret of a webhook is whsec_ and base64')
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
}

function headerOf(headers: HeadersLike, name: string): string {
  const value =
    typeof headers['get'] === 'function'
      ? (headers as Headers).get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  if (typeof value !== 'string' || value === '') throw new WebhookError(`${name} is missing`)
  return value
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(base64)) return undefined
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(first.length + second.length)
  all.set(first)
  all.set(second, first.length)
  return all
}
