/** Addresses in everything that a caller can send: none of them may be called. */
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { unless } from '../../faults/flow.ts'
import type { Ask } from '../client.ts'
import type { Attack, Seen } from '../table.ts'
import type { Target } from '../target.ts'
import { askOf, filledPath, withOther } from './shape.ts'
import type { Shape } from './shape.ts'

const SETTLES_MILLISECONDS = 2_000
const HEADERS = [
  'host',
  'x-forwarded-host',
  'x-forwarded-for',
  'forwarded',
  'referer',
  'origin',
  'x-callback-url',
  'x-original-url',
  'profile',
]

/** Somebody who is never to be called; counts who does. */
async function openTrap(): Promise<{ address: string; calls(): number; close(): Promise<void> }> {
  let calls = 0
  const server = createServer((socket) => {
    calls += 1
    socket.destroy()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    address: `127.0.0.1:${port}`,
    calls: () => calls,
    close: async () => {
      server.close()
      await once(server, 'close')
    },
  }
}

function requestsWith(target: Target, address: string, token: string): Ask[] {
  const urls = [`http://${address}/x`, `//${address}/x`, `x@${address}`]
  const bodies = target.endpoints.flatMap((endpoint) =>
    urls.flatMap((url) =>
      withOther(
        endpoint,
        (shape: Shape) => shape.type === 'string',
        () => url,
      ).map(({ body }) => ({ ...askOf(endpoint, undefined, token), body })),
    ),
  )
  const filters = target.endpoints
    .filter(({ method, permission }) => method === 'GET' && permission !== 'public')
    .flatMap((endpoint) =>
      Object.keys((endpoint.query as Shape | undefined)?.properties ?? {}).map((name) => ({
        method: 'GET',
        path: `${filledPath(endpoint, undefined)}?${name}=${encodeURIComponent(urls[0] ?? '')}`,
        token,
      })),
    )
  const headers = HEADERS.map((name) => ({
    method: 'GET',
    path: '/api/venues?limit=1',
    token,
    headers: { [name]: name === 'host' || name.endsWith('-host') ? address : (urls[0] ?? '') },
  }))
  return [...bodies, ...filters, ...headers]
}

async function called(target: Target): Promise<Seen> {
  const trap = await openTrap()
  try {
    const { access_token } = target.other.people.EVERY
    const requests = requestsWith(target, trap.address, access_token)
    const failed: string[] = []
    for (const request of requests) {
      const { status, text } = await target.client.ask(request)
      if (status >= 500) failed.push(`${request.path}: ${status} ${text.slice(0, 150)}`)
    }
    await target.client.raw(
      `GET http://${trap.address}/api/auth/me HTTP/1.1\r\nHost: ${trap.address}\r\n\r\n`,
    )
    await pause(SETTLES_MILLISECONDS)
    return {
      seen: `${requests.length + 1} requests, ${trap.calls()} calls`,
      wrong: [...failed, ...unless(trap.calls() === 0, `${trap.calls()} calls came`)],
    }
  } finally {
    await trap.close()
  }
}

export const SSRF: readonly Attack[] = [
  {
    of: 'API7',
    name: 'addresses in every text, filter and header',
    does: 'puts an address that listens into every text of every body, every filter and headers',
    wanted: '0 calls to it',
    run: called,
  },
]
