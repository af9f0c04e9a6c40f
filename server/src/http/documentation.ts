/**
 * The documentation at `/docs`: files that were built ahead, and nothing else. Its pages run
 * scripts of ours and load nothing from elsewhere.
 */
import { createReadStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, extname, join, relative } from 'node:path'
import type { FastifyInstance } from 'fastify'

const PATH = '/docs'
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
}
const NO_PAGE = '404.html'
const OTHER_TYPE = 'text/plain; charset=utf-8'
/** Best first. */
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

export async function serveDocumentation(server: FastifyInstance, folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = new Set(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/')),
  )
  // The pages name each other relative to themselves.
  server.get(PATH, (_request, reply) => reply.redirect(`${PATH}/`, 301))
  server.get(`${PATH}/*`, (request, reply) => {
    const { '*': path } = request.params as { '*': string }
    const wanted = path === '' || path.endsWith('/') ? `${path}index.html` : path
    const name = files.has(wanted) ? wanted : NO_PAGE
    const accepted = request.headers['accept-encoding'] ?? ''
    const [encoding, suffix] = ENCODINGS.find(
      ([word, ending]) => new RegExp(`\\b${word}\\b`).test(accepted) && files.has(name + ending),
    ) ?? [undefined, '']
    // The folder is named after what it was built from.
    const tag = `"${basename(folder)}${suffix}"`
    reply
      .header('vary', 'Accept-Encoding')
      .header('cache-control', 'no-cache')
      .header('content-security-policy', POLICY)
    if (name !== wanted) reply.code(404)
    else if (request.headers['if-none-match'] === tag) return reply.code(304).send()
    else reply.header('etag', tag)
    if (encoding !== undefined) reply.header('content-encoding', encoding)
    return reply
      .type(TYPES[extname(name)] ?? OTHER_TYPE)
      .send(createReadStream(join(folder, name + suffix)))
  })
}
