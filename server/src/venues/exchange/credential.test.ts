/** What is signed for an exchange is sent only by the process that holds the lease. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { decimal } from '../../core/decimal.ts'
import { LOST_CREDENTIAL } from '../lease/lease.testing.ts'
import { EXCHANGES } from './ccxt.ts'
import { order, withdrawalOf } from './exchange.fixture.ts'
import { openExchange } from './exchange.ts'

/** Headers of each exchange that only a signed request has. */
const SIGNED = ['api-sign', 'x-auth-signature', 'ok-access-sign']

describe('an exchange whose credential another process holds', () => {
  const signed: string[] = []
  const server = createServer((request, response) => {
    if (SIGNED.some((header) => header in request.headers)) signed.push(request.url ?? '')
    response.setHeader('content-type', 'application/json')
    response.end('{"error":[],"result":{},"code":"0","data":[]}')
  })
  let url = ''
  before(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  after(async () => {
    server.close()
    server.closeAllConnections()
  })

  for (const exchange of EXCHANGES)
    it(`${exchange}: nothing signed reaches it, and what was to be sent is unknown`, async () => {
      const venue = await openExchange(
        {
          exchange,
          api_key: 'key',
          api_secret: Buffer.from('secret').toString('base64'),
          passphrase: 'words',
          base_url: `${url}/${exchange}`,
          websocket_url: `${url.replace('http', 'ws')}/${exchange}/v2`,
          private_websocket_url: `${url.replace('http', 'ws')}/${exchange}/v2`,
          tier: 'AGREED',
        },
        LOST_CREDENTIAL,
      )
      const stop = venue.listen?.(() => undefined)
      await assert.rejects(venue.balances(), { kind: 'VenueUnreachable' })
      assert.notEqual(
        (await venue.transfers?.send(withdrawalOf({ tag: null })))?.outcome,
        'accepted',
      )
      const sent = await venue.trading?.send(order({ quantity: decimal('0.01') }))
      assert.notEqual(sent?.outcome, 'accepted')
      assert.deepEqual(signed, [])
      stop?.()
      await venue.close()
    })
})
