/** The vault's webhooks: a detached JWS (RS512) over the raw body, in one header. */
import { createPublicKey } from 'node:crypto'
import type { TransactionResponse } from '@fireblocks/ts-sdk'
import { errors, flattenedVerify } from 'jose'
import { ApiError } from '../../core/errors.ts'

/** `data` is there when the event is about a transaction. */
type VaultEvent = { type: string; data?: TransactionResponse }
export type VerifyWebhook = (
  body: Buffer,
  headers: Record<string, string | undefined>,
) => Promise<VaultEvent>

const HEADER = 'fireblocks-webhook-signature'

/**
 * Throws MissingToken for a message that the vault did not sign; without a key that is every
 * message.
 */
export function webhookVerifier(publicKeyPem: string | undefined): VerifyWebhook {
  const key = publicKeyPem === undefined ? undefined : createPublicKey(publicKeyPem)
  return async (body, headers) => {
    const [header, empty, signature, ...rest] = (headers[HEADER] ?? '').split('.')
    if (key === undefined || !header || empty !== '' || !signature || rest.length > 0)
      throw new ApiError('MissingToken', 'the webhook is not signed by the vault')
    try {
      await flattenedVerify(
        { protected: header, payload: body.toString('base64url'), signature },
        key,
        { algorithms: ['RS512'] },
      )
    } catch (error) {
      if (error instanceof errors.JOSEError)
        throw new ApiError('MissingToken', 'the webhook is not signed by the vault')
      throw error
    }
    const event = JSON.parse(body.toString('utf8')) as { eventType?: unknown; data?: unknown }
    const type = typeof event.eventType === 'string' ? event.eventType : ''
    const concerns =
      type.startsWith('transaction.') && typeof event.data === 'object' && event.data !== null
    return concerns ? { type, data: event.data as TransactionResponse } : { type }
  }
}
