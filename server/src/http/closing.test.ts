/** The server ends while callers are in the middle of things. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { describe, it } from 'node:test'
import { newId } from '../core/ids.ts'
import { sql } from '../store/sql.ts'
import { fixture, USERS } from './http.fixture.ts'

describe('a server that ends', () => {
  it('does not wait for ever for a reader who has stopped reading', { timeout: 20_000 }, async () => {
    const place = await fixture({ drain_ms: 300 })
    try {
      const workspace = USERS['all']?.workspace ?? ''
      const ids = Array.from({ length: 30_000 }, () => newId())
      await place.db.query(sql`insert into things (workspace, id, label, amount, note) select ${workspace}::uuid, id, 'a thing', 1, repeat('x', 400) from unnest(${ids}::uuid[]) as id`)
      await place.server.listen({ port: 0 })
      const address = place.server.server.address()
      const socket = net.connect(typeof address === 'object' && address !== null ? address.port : 0)
      socket.on('error', () => undefined)
      socket.write('GET /api/things HTTP/1.1\r\nHost: kontor\r\nAuthorization: Bearer all\r\n\r\n')
      await once(socket, 'readable')
      const started = performance.now()
      await place.server.close()
      assert.ok(performance.now() - started < 5_000)
      socket.destroy()
    } finally {
      await place.close()
    }
  })
})
