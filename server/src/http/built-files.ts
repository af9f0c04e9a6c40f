/** Files that were built ahead, each in the best form that the browser takes. */
import { createReadStream } from 'node:fs'
import { extname, join } from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
}
const OTHER_TYPE = 'text/plain; charset=utf-8'
/** Best first; the ending is that of the compressed copy beside the file. */
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const

type BuiltFiles = {
  folder: string
  /** Below the folder, compressed copies included. Nothing else is ever read. */
  names: ReadonlySet<string>
}

type Form = { encoding: string | undefined; ending: string }

/** Whether the name is that of a file, and not of a compressed copy. */
export function isBuilt({ names }: BuiltFiles, name: string): boolean {
  return names.has(name) && !ENCODINGS.some(([, ending]) => name.endsWith(ending))
}

/** The form in which the file is sent to who asks. */
export function formFor({ headers }: FastifyRequest, { names }: BuiltFiles, name: string): Form {
  const accepted = headers['accept-encoding'] ?? ''
  const [encoding, ending] = ENCODINGS.find(
    ([word, suffix]) => new RegExp(`\\b${word}\\b`).test(accepted) && names.has(name + suffix),
  ) ?? [undefined, '']
  return { encoding, ending }
}

/** `name` is one of the files. */
export function sendBuilt(
  reply: FastifyReply,
  { folder }: BuiltFiles,
  name: string,
  { encoding, ending }: Form,
): FastifyReply {
  if (encoding !== undefined) reply.header('content-encoding', encoding)
  return reply
    .type(TYPES[extname(name)] ?? OTHER_TYPE)
    .header('vary', 'Accept-Encoding')
    .send(createReadStream(join(folder, name + ending)))
}
