/**
 * The console, built ahead, served at `/`. Hashed assets are kept for ever, and come from their
 * compressed copies where the browser takes them. Every other address that is not the service's own
 * answers the page.
 *
 * The page gets a nonce per answer for the styles that its components write; scripts come from our
 * own files only.
 */
import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { notFound } from '../core/errors.ts'
import { formFor, isBuilt, sendBuilt } from './built-files.ts'

/** Whether the venues are simulated, are real ones for tests, or move real money. */
export type Environment = 'sandbox' | 'test' | 'live'

export type Console = {
  /** Where the built files lie. */
  folder: string
  /** What the page may show to a user who has not logged in. */
  facts: { version: string; environment: Environment; documents: boolean }
}

const NONCE_BYTES = 16
/** In the built page, in the place of what each answer fills in. */
const NONCE_MARK = '__NONCE__'
const FACTS_MARK = '__FACTS__'
/** Addresses of the service itself; everything else without a dot is a place in the console. */
const OWN = /^\/(api|assets|docs|healthz|livez|readyz|metrics)(\/|$)/

const policy = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "object-src 'none'",
  ].join('; ')

export type ConsolePages = {
  isPage(request: FastifyRequest): boolean
  page(reply: FastifyReply): FastifyReply
}

/**
 * Registers `/` and `/assets/*`; answers how to serve the page elsewhere. Throws when the folder
 * holds no built console.
 */
export async function serveConsole(
  server: FastifyInstance,
  { folder, facts }: Console,
): Promise<ConsolePages> {
  const template = (await readFile(join(folder, 'index.html'), 'utf8')).replace(
    FACTS_MARK,
    JSON.stringify(facts).replaceAll('"', '&quot;'),
  )
  const assets = {
    folder: join(folder, 'assets'),
    names: new Set(await readdir(join(folder, 'assets'))),
  }
  const files = Object.entries(
    JSON.parse(await readFile(join(folder, 'pages.json'), 'utf8')) as Record<string, string[]>,
  )

  server.get('/assets/:name', async (request, reply) => {
    const { name } = request.params as { name: string }
    if (!isBuilt(assets, name)) throw notFound('resource', `GET /assets/${name.slice(0, 200)}`)
    reply.header('cache-control', 'public, max-age=31536000, immutable')
    return sendBuilt(reply, assets, name, formFor(request, assets, name))
  })

  const pages: ConsolePages = {
    isPage: ({ method, url }) => {
      const path = url.split('?')[0] ?? ''
      return (
        (method === 'GET' || method === 'HEAD') && !OWN.test(path) && !/\.[a-z0-9]+$/i.test(path)
      )
    },
    page(reply) {
      const nonce = randomBytes(NONCE_BYTES).toString('base64')
      const path = reply.request.url.split('?')[0] ?? ''
      // What this address needs comes together with what every page needs, not after it.
      const [, needed = []] =
        files.find(([page]) => path === page || path.startsWith(`${page}/`)) ??
        (path === '/' ? files[0] : undefined) ??
        []
      const links = needed
        .map(
          (file) => `<link rel="modulepreload" crossorigin href="${file}" nonce="${NONCE_MARK}">`,
        )
        .join('\n')
      return reply
        .code(200)
        .type('text/html; charset=utf-8')
        .header('cache-control', 'no-store')
        .header('content-security-policy', policy(nonce))
        .send(template.replace('</head>', `${links}\n</head>`).replaceAll(NONCE_MARK, nonce))
    },
  }
  server.get('/', (_request, reply) => pages.page(reply))
  return pages
}
