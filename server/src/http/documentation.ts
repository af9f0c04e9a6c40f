/**
 * The documentation at `/docs`: files that were built ahead, and nothing else. Its pages run
 * scripts of ours and load nothing from elsewhere.
 */
import { readdir } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { formFor, isBuilt, sendBuilt } from './built-files.ts'

const PATH = '/docs'
const NO_PAGE = '404.html'
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
  const names = new Set(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/')),
  )
  const files = { folder, names }
  // The pages name each other relative to themselves.
  server.get(PATH, (_request, reply) => reply.redirect(`${PATH}/`, 301))
  server.get(`${PATH}/*`, (request, reply) => {
    const { '*': path } = request.params as { '*': string }
    if (names.has(`${path}/index.html`)) return reply.redirect(`${PATH}/${path}/`, 301)
    const wanted = path === '' || path.endsWith('/') ? `${path}index.html` : path
    const name = isBuilt(files, wanted) ? wanted : NO_PAGE
    const form = formFor(request, files, name)
    // The folder is named after what it was built from.
    const tag = `"${basename(folder)}${form.ending}"`
    reply.header('cache-control', 'no-cache').header('content-security-policy', POLICY)
    if (name !== wanted) reply.code(404)
    else if (request.headers['if-none-match'] === tag) return reply.code(304).send()
    else reply.header('etag', tag)
    return sendBuilt(reply, files, name, form)
  })
}
