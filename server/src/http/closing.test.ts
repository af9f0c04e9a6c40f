/** The server, or what a caller sends, ends while an answer is under way. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { describe, it } from 'node:test'
import { newId } from '../core/ids.ts'
import { sql } from '../store/sql.ts'
import { fixture, USERS } from './http.fixture.ts'

describe('a connection that ends', () => {
  it(
    'does not wait for ever for a reader who has stopped reading',
    { timeout: 60_000 },
    async () => {
      const place = await fixture({ drain_ms: 300 })
      try {
        const workspace = USERS['all']?.workspace ?? ''
        const ids = Array.from({ length: 30_000 }, () => newId())
        await place.db.query(sql`
          insert into things (workspace, id, label, amount, note)
          select ${workspace}::uuid, id, 'a thing', 1, repeat('x', 400)
          from unnest(${ids}::uuid[]) as id`)
        await place.server.listen({ port: 0 })
        const address = place.server.server.address()
        const socket = net.connect(
          typeof address === 'object' && address !== null ? address.port : 0,
        )
        socket.on('error', () => undefined)
        socket.write(
          'GET /api/things HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer all\r\n\r\n',
        )
        await once(socket, 'readable')
        await place.server.close()
        socket.destroy()
      } finally {
        await place.close()
      }
    },
  )

  it('answers a running request before it refuses the nonsense behind it', async () => {
    const place = await fixture()
    try {
      await place.server.listen({ port: 0 })
      const address = place.server.server.address()
      const port = typeof address === 'object' && address !== null ? address.port : 0
      const socket = net.connect(port)
      let got = ''
      socket.on('data', (data: Buffer) => {
        got += data.toString()
      })
      const ended = once(socket, 'close')
      let go: () => void = () => undefined
      const inside = new Promise<void>((resolve) => {
        place.hooks.work = () => {
          resolve()
          return new Promise((done) => {
            go = done
          })
        }
      })
      const body = '{"label":"a"}'
      socket.write(
        [
          'POST /api/runs/transaction HTTP/1.1',
          'Host: localhost',
          'Authorization: Bearer all',
          'Content-Type: application/json',
          `Content-Length: ${body.length}`,
          '',
          `${body}\0\0nonsense`,
          '',
          '',
        ].join('\r\n'),
      )
      await inside
      // The nonsense has been seen once a request on another connection has been answered.
      await fetch(`http://127.0.0.1:${port}/healthz`)
      go()
      await ended
      assert.match(got, /^HTTP\/1\.1 200 OK/)
      assert.equal(await place.runs(), 1)
    } finally {
      await place.close()
    }
  })
})
