/**
 * Nonces: each call has one above the last (the credential's lease draws them), and Kraken refuses
 * what comes with a lower one.
 */
import { optionalText, row } from '../answers.ts'
import type { KrakenCalls } from './calls.ts'
import { FAILURES } from './vocabulary.ts'

/**
 * Why Kraken may still accept a request that was sent before the last one; undefined when it
 * cannot.
 * A key may have a window, within which lower nonces are taken ("What is a nonce window?",
 * support.kraken.com/hc/en-us/articles/360001148023); GetApiKeyInfo names it.
 */
export async function lateRequests({ ask }: KrakenCalls): Promise<string | undefined> {
  let window: string | null
  try {
    const info = row(await ask('GetApiKeyInfo', {}, { urgency: 'lookup' }))
    window = optionalText(info, 'nonce_window')
  } catch (error) {
    const { certain, native } = FAILURES.failureOf(error)
    if (!certain || native === null) throw error
    return `kraken does not say whether this key takes late requests (${native})`
  }
  if (window === '0') return undefined
  const known = window ?? 'not known'
  return `this key of kraken takes late requests: its nonce window is ${known}, not 0`
}
