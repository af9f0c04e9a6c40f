/**
 * For tests: a workspace with venues, customers and routes, served at an address of its own. The
 * next answers can be lost, as when a connection breaks or the program that asks is killed.
 */
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { PERMISSIONS } from '../../../server/src/access/index.ts'
import { customersEndpoints } from '../../../server/src/customers/index.ts'
import { deskEndpoints } from '../../../server/src/desk/index.ts'
import type { Principal } from '../../../server/src/http/index.ts'
import { testServer } from '../../../server/src/http/testing.ts'
import { ledgerEndpoints } from '../../../server/src/ledger/index.ts'
import { openBatches } from '../../../server/src/treasury/batches/batches.testing.ts'
import { treasuryEndpoints } from '../../../server/src/treasury/index.ts'
import { venuesEndpoints } from '../../../server/src/venues/index.ts'

/** The answer to the `nth` request of this path is lost; `instead` runs in its place. */
type Loss = { path: string; nth: number; when: 'before' | 'after'; instead(): void }

export type Served = Awaited<ReturnType<typeof openServed>>

export async function openServed() {
  const batches = await openBatches()
  const { place } = batches
  const permissions = new Set(Object.keys(PERMISSIONS))
  const principal: Principal = { ...place.principal, permissions }
  const api = await testServer({
    db: place.db,
    clock: place.clock,
    endpoints: [
      ...treasuryEndpoints(place.app),
      ...deskEndpoints(place.app),
      // Nobody deletes a customer here, whose quotes would be looked at.
      ...customersEndpoints(place.app, async () => false),
      ...ledgerEndpoints({ ...place.app, openPeriod: async () => ({ from: null, to: null }) }),
      ...venuesEndpoints(place.app),
    ],
    authenticate: () => principal,
  })
  const { server, calls, lose } = relayTo(api.server)
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    batches,
    place,
    /** Every request so far: `GET /accounts`. */
    calls,
    lose,
    base_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close(): Promise<void> {
      server.closeAllConnections()
      server.close()
      await api.close()
      await place.close()
    },
  }
}

function relayTo(api: FastifyInstance) {
  const calls: string[] = []
  let loss: Loss | undefined

  async function relay(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '' } = request
    const path = url.replace(/^\/api/, '')
    const payload = await text(request)
    calls.push(`${method} ${path}`)
    const lost = lostNow(path)
    if (lost?.when !== 'before') {
      const headers = request.headers as Record<string, string>
      const answer = await api.inject({ method: method as 'GET', url, headers, payload })
      if (lost === undefined) {
        response.writeHead(answer.statusCode, answer.headers as Record<string, string>)
        response.end(answer.body)
        return
      }
    }
    lost?.instead()
    response.destroy()
  }

  function lostNow(path: string): Loss | undefined {
    if (loss?.path !== path) return undefined
    loss.nth -= 1
    if (loss.nth > 0) return undefined
    const found = loss
    loss = undefined
    return found
  }

  return {
    calls,
    server: createServer((request, response) => {
      relay(request, response).catch((error: unknown) => {
        console.error('the request was not relayed', error)
        response.destroy()
      })
    }),
    lose(next: Loss): void {
      loss = { ...next }
    },
  }
}
