import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'
import Fastify from 'fastify'
import { ApiError, ERRORS } from '../core/errors.ts'
import { serveConsole } from './console.ts'

const folder = await mkdtemp(join(tmpdir(), 'kontor-built-'))
const script = 'console.log(1)\n'
await mkdir(join(folder, 'assets'))
await writeFile(
  join(folder, 'index.html'),
  '<head><meta name="kontor-facts" content="__FACTS__"></head>' +
    '<script src="/assets/a-1.js" nonce="__NONCE__"></script>',
)
await writeFile(
  join(folder, 'pages.json'),
  JSON.stringify({
    '/overview': ['/assets/o.js'],
    '/treasury/deposits': ['/assets/d.js', '/assets/list.js'],
  }),
)
await writeFile(join(folder, 'assets/a-1.js'), script)
await writeFile(join(folder, 'assets/a-1.js.br'), brotliCompressSync(script))
const server = Fastify()
const pages = await serveConsole(server, {
  folder,
  facts: { version: '1.2.3', environment: 'sandbox', documents: false },
})
server.setErrorHandler((error, _request, reply) =>
  reply.code(error instanceof ApiError ? ERRORS[error.kind].status : 500).send('refused'),
)
server.setNotFoundHandler((request, reply) =>
  pages.isPage(request) ? pages.page(reply) : reply.code(404).send('none'),
)
after(async () => {
  await server.close()
  await rm(folder, { recursive: true })
})

test('its page is not kept, has a new nonce each time, and runs no other scripts', async () => {
  const nonces = new Set<string>()
  for (const url of [
    '/',
    '/treasury/deposits?state=FAILED',
    '/books/accounts/01a1fd07-0000-7000-8000-000000000000',
  ]) {
    const { statusCode, headers, body } = await server.inject({ url })
    assert.deepEqual([statusCode, headers['cache-control']], [200, 'no-store'])
    assert.match(body, /&quot;version&quot;:&quot;1\.2\.3&quot;/)
    const nonce = /nonce="([^"]+)"/.exec(body)?.[1] ?? ''
    nonces.add(nonce)
    const policy = String(headers['content-security-policy'])
    assert.ok(
      policy.includes(`style-src 'self' 'nonce-${nonce}'`) &&
        policy.includes("script-src 'self';") &&
        policy.includes("default-src 'none'"),
      policy,
    )
  }
  assert.equal(nonces.size, 3)
})

test('its page names the files of its address: a page, a record, the first page', async () => {
  const named = async (url: string) =>
    [
      ...(await server.inject({ url })).body.matchAll(
        /<link rel="modulepreload" crossorigin href="([^"]+)" nonce="[^"_]+">/g,
      ),
    ].map(([, file]) => file)
  for (const url of [
    '/treasury/deposits',
    '/treasury/deposits/01a1fd07-0000-7000-8000-000000000000?sort=-quantity',
  ])
    assert.deepEqual(await named(url), ['/assets/d.js', '/assets/list.js'], url)
  assert.deepEqual(await named('/'), ['/assets/o.js'])
  assert.deepEqual(await named('/treasury/depositsX'), [])
})

test('assets are kept for ever, compressed where the browser takes it', async () => {
  const plain = await server.inject({ url: '/assets/a-1.js' })
  assert.deepEqual(
    [plain.body, plain.headers['content-encoding'], plain.headers['cache-control']],
    [script, undefined, 'public, max-age=31536000, immutable'],
  )
  const small = await server.inject({
    url: '/assets/a-1.js',
    headers: { 'accept-encoding': 'gzip, br' },
  })
  assert.deepEqual(
    [small.headers['content-encoding'], brotliDecompressSync(small.rawPayload).toString()],
    ['br', script],
  )
})

test("what is not there, and what is the service's own, is no page of the console", async () => {
  for (const url of [
    '/assets/none.js',
    '/assets/..%2findex.html',
    '/assets/a-1.js.br',
    '/api/none',
    '/api',
    '/healthz/x',
    '/favicon.ico',
    '/wp-login.php',
  ])
    assert.equal((await server.inject({ url })).statusCode, 404, url)
  assert.equal((await server.inject({ method: 'POST', url: '/treasury/deposits' })).statusCode, 404)
})
