/**
 * The API reference. Its library holds 17 MB of text, and few people open the page: it is loaded
 * when it is first asked for. The page is ours, so that no script stands in it: what it runs comes
 * from two files.
 */
import Fastify from 'fastify'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { assert } from '../core/assert.ts'

const PATH = '/api/docs'
const LIBRARY = 'js/scalar.js'
const START = 'js/start.js'

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <title>Kontor API</title>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
  </head>
  <body>
    <div id="app"></div>
    <script src="${LIBRARY}"></script>
    <script src="${START}"></script>
  </body>
</html>
`

const CONFIGURATION = {
  url: '/api/openapi.json',
  withDefaultFonts: false,
  hideClientButton: true,
  agent: { disabled: true },
  mcp: { disabled: true },
  telemetry: false,
  showDeveloperTools: 'never',
}

const STARTING = `Scalar.createApiReference('#app', ${JSON.stringify(CONFIGURATION)})\n`

export function serveReference(server: FastifyInstance): void {
  let library: Promise<string> | undefined
  const get = (path: string, answer: (reply: FastifyReply) => unknown) => {
    server.get(path, async (_request, reply) => answer(reply))
  }
  const script = (reply: FastifyReply, text: string) =>
    reply.type('text/javascript; charset=utf-8').send(text)
  // The page names its scripts relative to itself.
  get(PATH, (reply) => reply.redirect(`${PATH}/`, 301))
  get(`${PATH}/`, (reply) => reply.type('text/html; charset=utf-8').send(PAGE))
  get(`${PATH}/${START}`, (reply) => script(reply, STARTING))
  get(`${PATH}/${LIBRARY}`, async (reply) => {
    library ??= readLibrary().catch((error: unknown) => {
      library = undefined
      throw error
    })
    return script(reply, await library)
  })
}

/** The package offers it as a route alone. */
async function readLibrary(): Promise<string> {
  const { default: apiReference } = await import('@scalar/fastify-api-reference')
  const server = Fastify()
  await server.register(
    apiReference as never,
    { routePrefix: PATH, configuration: { url: CONFIGURATION.url } } as never,
  )
  const { body, statusCode } = await server.inject({ url: `${PATH}/${LIBRARY}` })
  await server.close()
  assert(statusCode === 200, 'the package offers the library of the reference')
  return body
}
