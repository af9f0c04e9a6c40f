/** What a request's body may be: JSON, read strictly. */
import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { refuse } from '../core/errors.ts'
import type { Json } from '../core/json.ts'
import type { Endpoint } from './endpoint.ts'
import type { TObject } from './shapes.ts'
import { assertStorableText, mayBeDeep } from './prepare.ts'

const FORM = 'application/x-www-form-urlencoded'

const notJson = () => refuse('FORMAT', 'Content-Type', 'the body must be application/json')

/** Makes JSON the only body that the server takes, but for endpoints that take forms. */
export function takeJsonOnly(server: FastifyInstance): void {
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    request.sent = body as Buffer
    // Many clients name the type also where they send nothing.
    if (body.length === 0 && request.routeOptions.config.endpoint?.body === undefined)
      return done(null, undefined)
    try {
      done(null, parseJson(body as Buffer))
    } catch (error) {
      done(error as Error)
    }
  })
  server.addContentTypeParser(FORM, { parseAs: 'buffer' }, (request, body, done) => {
    const { endpoint } = request.routeOptions.config
    try {
      if (endpoint?.form !== true) throw notJson()
      done(null, parseForm(body as Buffer, endpoint))
    } catch (error) {
      done(error as Error)
    }
  })
  server.addContentTypeParser('*', (_request, _payload, done) => {
    done(notJson())
  })
}

/**
 * The body of a request that names a content type is read to its end. The stream of an empty one
 * has ended before, and would never say so again: it gets a new empty stream.
 */
export function replaceEndedBodies(server: FastifyInstance): void {
  server.addHook('preParsing', (request, _reply, payload, done) => {
    done(
      null,
      request.headers['content-type'] !== undefined && request.raw.readableEnded
        ? Readable.from([])
        : payload,
    )
  })
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true })
const SUSPECT = /\\u0000|\\u[dD][89abAB]|\\u[dD][c-fC-F]/

function decoded(body: Buffer): string {
  try {
    return strictUtf8.decode(body)
  } catch {
    throw refuse('ENCODING', '', 'the body is not valid UTF-8')
  }
}

/** What the endpoint does not know is left out, as Back-Channel Logout demands. */
function parseForm(body: Buffer, endpoint: Endpoint): Json {
  const known = Object.keys((endpoint.body as TObject | undefined)?.properties ?? {})
  const fields = new URLSearchParams(decoded(body))
  const form: Record<string, string> = {}
  for (const name of known) {
    const [value, ...more] = fields.getAll(name)
    if (more.length > 0) throw refuse('DUPLICATE', name, `${name} must be there once`)
    if (value !== undefined) form[name] = value
  }
  assertStorableText(form)
  return form
}

function parseJson(body: Buffer): Json {
  if (body.length === 0) throw refuse('MALFORMED_JSON', '', 'the body is empty')
  const text = decoded(body)
  let value: Json
  try {
    value = JSON.parse(text) as Json
  } catch (error) {
    throw refuse(
      'MALFORMED_JSON',
      '',
      `the body is not valid JSON: ${(error as Error).message.slice(0, 200)}`,
    )
  }
  if (text.includes('\0') || SUSPECT.test(text) || mayBeDeep(text)) assertStorableText(value)
  return value
}
