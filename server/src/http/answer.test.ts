import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { Answer } from './answer.ts'
import { SECURITY_HEADERS } from './security-headers.ts'

const OWN = { 'content-security-policy': "default-src 'none'" }
const ANSWERS: Readonly<Record<string, { write(answer: ServerResponse): void; policy?: string }>> =
  {
    'nothing of its own': {
      write: (answer) => {
        answer.end()
      },
    },
    'headers at once': {
      write: (answer) => {
        answer.writeHead(200, { 'content-type': 'text/plain' }).end('a')
      },
    },
    'headers one by one': {
      write: (answer) => {
        answer.setHeader('content-type', 'text/plain').end('a')
      },
    },
    'a policy of its own at once': {
      write: (answer) => {
        answer.writeHead(200, OWN).end('a')
      },
      policy: "default-src 'none'",
    },
    'a policy of its own before the rest': {
      write: (answer) => {
        answer
          .setHeader('Content-Security-Policy', "default-src 'none'")
          .writeHead(200, { 'content-type': 'text/plain' })
          .end('a')
      },
      policy: "default-src 'none'",
    },
  }

test('an answer carries every security header once; its own policy replaces ours', async () => {
  const server = createServer({ ServerResponse: Answer }, (request, answer) => {
    ANSWERS[decodeURI(request.url?.slice(1) ?? '')]?.write(answer)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  try {
    for (const [name, { policy }] of Object.entries(ANSWERS)) {
      const { headers } = await fetch(
        `http://127.0.0.1:${(server.address() as AddressInfo).port}/${name}`,
      )
      // A header that came twice is joined by a comma here.
      const received = Object.fromEntries(
        Object.keys(SECURITY_HEADERS).map((key) => [key, headers.get(key)]),
      )
      assert.deepEqual(
        received,
        {
          ...SECURITY_HEADERS,
          ...(policy === undefined ? {} : { 'content-security-policy': policy }),
        },
        name,
      )
    }
  } finally {
    server.closeAllConnections()
    server.close()
  }
})
