/**
 * What Kraken says of the client's key ("Get API Key Info": the fields as in a recorded answer,
 * JKorf/Kraken.Net, Endpoints/Spot/Account/GetApiKeyInfo.txt). Its nonce window is a setting of the
 * key that its owner changes at Kraken.
 */
import type { FastifyInstance } from 'fastify'
import { bad } from '../bad-request.ts'
import type { Exchange } from '../exchange.ts'
import type { Operation } from './request.ts'

/** Its name among the settings. */
export const NONCE_WINDOW = 'nonce_window'

const PERMISSIONS = [
  'query-funds',
  'add-funds',
  'withdraw-funds',
  'query-open-trades',
  'query-closed-trades',
  'modify-trades',
  'close-trades',
  'query-ledger',
  'create-ws-token',
]

export const keyOperations = ({ settings, credentials }: Exchange): Record<string, Operation> => ({
  GetApiKeyInfo: () => ({
    api_key_name: 'kontor',
    api_key: credentials.api_key,
    nonce: settings.get('nonce') ?? '0',
    nonce_window: settings.get(NONCE_WINDOW) ?? '0',
    permissions: PERMISSIONS,
    valid_until: '0',
    query_from: '0',
    query_to: '0',
    ip_allowlist: [''],
  }),
})

export const KEY_ROUTES = ['POST api-key {nonce_window}']

export function mountApiKey(server: FastifyInstance, part: string, { settings }: Exchange): void {
  server.post<{ Body: Record<string, unknown> }>(
    `/control/${part}/api-key`,
    async (request, reply) => {
      const window = String(request.body?.['nonce_window'])
      if (!/^[0-9]{1,15}$/.test(window)) return bad(reply, 'nonce_window is a whole number')
      settings.set(NONCE_WINDOW, window)
      return { nonce_window: window }
    },
  )
}
