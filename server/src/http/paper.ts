/** An endpoint's answer as a paper: as PDF for people, as XML or CSV for programs. */
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { takePlace } from './bulk-reads.ts'
import type { BulkReads } from './bulk-reads.ts'
import type { PaperAnswer, PaperOf, Papers } from './endpoint.ts'
import { AHEAD_BYTES, inPieces } from './slow-readers.ts'
import type { Pacing } from './slow-readers.ts'

type Form = keyof Papers
type Wanted = { form: Form; write: PaperOf }

export const PAPER_TYPES: Readonly<Record<Form, string>> = {
  pdf: 'application/pdf',
  xml: 'application/xml',
  csv: 'text/csv',
}
const FORMS = Object.keys(PAPER_TYPES) as Form[]

/** Whoever reads pages (`text/html`) accepts XML beside them, and wants none. */
export function wantedPaper(
  { headers: { accept = '' } }: FastifyRequest,
  papers: Papers,
): Wanted | undefined {
  const types = accept.split(',').map((type) => type.split(';', 1)[0]?.trim())
  const isBrowser = types.includes('text/html')
  for (const form of FORMS) {
    const write = papers[form]
    const isWanted = types.includes(PAPER_TYPES[form]) && !(form === 'xml' && isBrowser)
    if (write !== undefined && isWanted) return { form, write }
  }
  return undefined
}

/** It takes places as a list does. What refuses it is answered as JSON. */
export async function answerPaper(
  parts: Pacing & { bulk: BulkReads },
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  form: Form,
  open: () => Promise<PaperAnswer>,
): Promise<FastifyReply> {
  const type = PAPER_TYPES[form]
  if (request.method === 'HEAD') return reply.type(type).send(Readable.from([]))
  await takePlace(parts.bulk, request, reply, undefined)
  const { name, rows, pieces } = await open()
  parts.bulk.charge(request.principal, rows)
  // A program's file has the name that the program wants.
  const file = form === 'csv' ? name : fileName(name)
  reply.type(type).header('content-disposition', `inline; filename="${file}.${form}"`)
  return reply.send(inPieces(reply, pieces, parts, AHEAD_BYTES))
}

/** In letters that every header can carry. */
const fileName = (name: string): string =>
  name
    .normalize('NFD')
    .replaceAll(/[^\w ]/g, '')
    .replaceAll(' ', '-')
    .toLowerCase()
