import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'
import Fastify from 'fastify'
import type { FastifyInstance } from 'fastify'
import { serveDocumentation } from './documentation.ts'

const SCRIPT = 'console.log(1)\n'

describe('the documentation', () => {
  let folder: string
  let outside: string
  let server: FastifyInstance
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kontor-docs-'))
    outside = `${folder}.txt`
    await writeFile(outside, 'secret')
    await mkdir(join(folder, 'guides'))
    await writeFile(join(folder, 'index.html'), '<h1>First</h1>')
    await writeFile(join(folder, '404.html'), '<h1>No page</h1>')
    await writeFile(join(folder, 'guides/Caddyfile'), 'proxy')
    await writeFile(join(folder, 'guides/index.html'), '<h1>Guides</h1>')
    await writeFile(join(folder, 'guides/site.js'), SCRIPT)
    await writeFile(join(folder, 'guides/site.js.br'), brotliCompressSync(SCRIPT))
    server = Fastify()
    await serveDocumentation(server, folder)
  })
  after(async () => {
    await server.close()
    await rm(folder, { recursive: true })
    await rm(outside)
  })

  it('answers its pages under a policy without exceptions', async () => {
    for (const [url, text] of [
      ['/docs/', 'First'],
      ['/docs/guides/', 'Guides'],
      ['/docs/guides/index.html', 'Guides'],
    ] as const) {
      const { statusCode, headers, body } = await server.inject({ url })
      assert.deepEqual([statusCode, body], [200, `<h1>${text}</h1>`])
      const policy = String(headers['content-security-policy'])
      assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self'/)
      assert.doesNotMatch(policy, /unsafe/)
    }
    for (const url of ['/docs', '/docs/guides']) {
      const { statusCode, headers } = await server.inject({ url })
      assert.deepEqual([statusCode, headers.location], [301, `${url}/`])
    }
  })

  it('sends what was compressed to those who take it', async () => {
    const url = '/docs/guides/site.js'
    assert.equal((await server.inject({ url })).body, SCRIPT)
    const { headers, rawPayload } = await server.inject({
      url,
      headers: { 'accept-encoding': 'gzip, br' },
    })
    assert.equal(headers['content-encoding'], 'br')
    assert.equal(brotliDecompressSync(rawPayload).toString(), SCRIPT)
  })

  it('answers a file without an ending as text', async () => {
    const { headers, body } = await server.inject({ url: '/docs/guides/Caddyfile' })
    assert.deepEqual([headers['content-type'], body], ['text/plain; charset=utf-8', 'proxy'])
  })

  it('is asked for again, and sent again when there is another build', async () => {
    const { headers } = await server.inject({ url: '/docs/' })
    assert.equal(headers['cache-control'], 'no-cache')
    const askedFor = async (etag: unknown) => {
      const again = { 'if-none-match': String(etag) }
      return (await server.inject({ url: '/docs/', headers: again })).statusCode
    }
    assert.deepEqual([await askedFor(headers.etag), await askedFor('"other"')], [304, 200])
  })

  it('answers all else with its page for that', async () => {
    const name = basename(outside)
    for (const url of ['/docs/none.html', '/docs/none/', `/docs/..%2f${name}`]) {
      const { statusCode, body, headers } = await server.inject({ url })
      assert.deepEqual([statusCode, body], [404, '<h1>No page</h1>'], url)
      assert.equal(headers.etag, undefined)
    }
    // The client resolves these itself.
    for (const url of [`/docs/../${name}`, `/docs/%2e%2e/${name}`])
      assert.equal((await server.inject({ url })).statusCode, 404, url)
  })
})
