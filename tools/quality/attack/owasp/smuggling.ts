/**
 * Requests hidden in others. Whoever stands in front of us and reads the bytes otherwise than we do
 * would let a request through that it never saw. So a request that can be read in two ways is
 * refused, and its connection ends; what stands behind it is no request.
 */
import type { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { unless } from '../../faults/flow.ts'
import { told } from '../client.ts'
import type { Attack, Seen } from '../table.ts'
import type { Target } from '../target.ts'

/** Longer than any answer takes, that is asked for on a quiet connection. */
const WAIT_MILLISECONDS = 2_000
const SHOWN = 160
/** Once; with 403 when the head was whole, and what is broken comes behind it. */
const REFUSED = ['400', '403']
const END = '0\r\n\r\n'

type Words = {
  /** The heads of a request that carries another, without its lengths. */
  post: string
  get: string
  /** A whole request, which would be answered with 200. */
  hidden: string
}
type Carriers = (words: Words) => Readonly<Record<string, string>>

function wordsFor({ home }: Target): Words {
  const heads =
    `Host: localhost\r\nAuthorization: Bearer ${home.people.READER.access_token}\r\n` +
    'Content-Type: application/json\r\n'
  const get = `GET /api/auth/me HTTP/1.1\r\n${heads}`
  return { post: `POST /api/bookings HTTP/1.1\r\n${heads}`, get, hidden: `${get}\r\n` }
}

const chunk = (text: string, end = '\r\n'): string =>
  `${text.length.toString(16)}${end}${text}${end}`

const lengthOf = (text: string): string => `Content-Length: ${text.length}\r\n`
const LENGTH_2 = 'Content-Length: 2\r\n'
const CHUNKED = 'Transfer-Encoding: chunked\r\n'

/** The one in front goes by the length, and we by the chunks. */
const CL_TE: Carriers = ({ post, get, hidden }) => {
  const body = `${END}${hidden}`
  return {
    'length, then chunks': `${post}${lengthOf(body)}${CHUNKED}\r\n${body}`,
    'chunks, then length': `${post}${CHUNKED}${lengthOf(body)}\r\n${body}`,
    'of a GET': `${get}${lengthOf(body)}${CHUNKED}\r\n${body}`,
    'of HTTP/1.0': `${post.replace('1.1', '1.0')}${lengthOf(body)}${CHUNKED}\r\n${body}`,
  }
}

/** The one in front goes by the chunks, and we by the length. */
const TE_CL: Carriers = ({ post, hidden }) => {
  const body = `${chunk(hidden)}${END}`
  const size = body.indexOf('\r\n') + 2
  return {
    'length, then chunks': `${post}Content-Length: ${size}\r\n${CHUNKED}\r\n${body}`,
    'chunks, then length': `${post}${CHUNKED}Content-Length: ${size}\r\n\r\n${body}`,
    'no length at all': `${post}${CHUNKED}Content-Length: 0\r\n\r\n${body}`,
  }
}

/** One of the two does not take the coding for chunks. */
const TE_TE: Carriers = ({ post, hidden }) => {
  const body = `${END}${hidden}`
  const codings = {
    'another coding': 'Transfer-Encoding: xchunked\r\n',
    'two codings': 'Transfer-Encoding: chunked, identity\r\n',
    'two heads': `${CHUNKED}Transfer-Encoding: identity\r\n`,
    'a blank before the colon': 'Transfer-Encoding : chunked\r\n',
    'a vertical tab': 'Transfer-Encoding: \vchunked\r\n',
    'a zero byte': 'Transfer-Encoding: chunked\0\r\n',
    'in quotes': 'Transfer-Encoding: "chunked"\r\n',
  }
  return Object.fromEntries(
    Object.entries(codings).map(([what, coding]) => [
      what,
      `${post}${coding}${lengthOf(body)}\r\n${body}`,
    ]),
  )
}

/** One of the two takes the first length, and one the last. */
const CL_CL: Carriers = ({ post, hidden }) => ({
  'two lengths': `${post}${LENGTH_2}${lengthOf(`{}${hidden}`)}\r\n{}${hidden}`,
  'two, the other way': `${post}${lengthOf(`{}${hidden}`)}${LENGTH_2}\r\n{}${hidden}`,
  'the same length twice': `${post}${LENGTH_2}${LENGTH_2}\r\n{}${hidden}`,
  'a list of lengths': `${post}Content-Length: 2, ${2 + hidden.length}\r\n\r\n{}${hidden}`,
  'the same length as a list': `${post}Content-Length: 2, 2\r\n\r\n{}${hidden}`,
  'a sign': `${post}Content-Length: +2\r\n\r\n{}${hidden}`,
  'in hexadecimal': `${post}Content-Length: 0x2\r\n\r\n{}${hidden}`,
  'a fraction': `${post}Content-Length: 2.0\r\n\r\n{}${hidden}`,
  'too large for a number': `${post}Content-Length: 18446744073709551618\r\n\r\n{}${hidden}`,
})

/** One of the two reads a folded line as a head of its own, or as part of the one before. */
const FOLDED: Carriers = ({ post, hidden }) => {
  const body = `${END}${hidden}`
  return {
    'a folded coding': `${post}${lengthOf(body)}Transfer-Encoding:\r\n chunked\r\n\r\n${body}`,
    'a coding in a fold': `${post}${lengthOf(body)}X: a\r\n ${CHUNKED}\r\n${body}`,
    'a coding behind a tab': `${post}${lengthOf(body)}X: a\r\n\t${CHUNKED}\r\n${body}`,
    'a folded length': `${post}Content-Length:\r\n 2\r\n\r\n{}${hidden}`,
    'a fold before all heads': `${post.replace('\r\n', '\r\n X: a\r\n')}\r\n${hidden}`,
  }
}

/** One of the two takes a line feed, or a carriage return, alone for the end of a line. */
const BARE: Carriers = ({ post, get, hidden }) => {
  const body = `${END}${hidden}`
  const measured = `${post}${lengthOf(body)}`
  const chunked = `${post}${CHUNKED}\r\n`
  return {
    'line feeds alone': `${get}X: a\n\n${hidden}`,
    'a head behind a line feed': `${measured}X: a\n${CHUNKED}\r\n${body}`,
    'a head behind a carriage return': `${measured}X: a\r${CHUNKED}\r\n${body}`,
    'a line feed after a size': `${chunked}2\n{}\r\n${body}`,
    'a line feed after a chunk': `${chunked}2\r\n{}\n${body}`,
    'a line feed in an extension': `${chunked}2;a\nb\r\n{}\r\n${body}`,
    'a request line that ends so': `${get.replace('\r\n', '\n')}\r\n${hidden}`,
    'a size that is none': `${chunked}0x2\r\n{}\r\n${body}`,
    'a size that overflows': `${chunked}10000000000000002\r\n{}\r\n${body}`,
  }
}

/** What comes within a while; and whether the other side has closed the connection by then. */
async function heard(socket: Socket): Promise<{ text: string; isClosed: boolean }> {
  const parts: Buffer[] = []
  socket.on('data', (part: Buffer) => parts.push(part))
  const all = await Promise.race([told(socket), pause(WAIT_MILLISECONDS)])
  socket.destroy()
  return { text: Buffer.concat(parts).toString('latin1'), isClosed: all !== undefined }
}

const statusesIn = (text: string): number[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))

async function refusedWhole(target: Target, carriers: Carriers): Promise<Seen> {
  const words = wordsFor(target)
  const ask = (text: string) => heard(target.client.open(Buffer.from(text, 'latin1')))
  // Without them nothing would show that the hidden ones are not answered.
  const honest = statusesIn((await ask(`${words.hidden}${words.hidden}`)).text)
  const all = Object.entries(carriers(words))
  const answers = await Promise.all(
    all.map(async ([what, text]) => ({ what, ...(await ask(text)) })),
  )
  const wrong = answers.flatMap(({ what, text, isClosed }) =>
    unless(
      REFUSED.includes(statusesIn(text).join()) && isClosed,
      `${what}${isClosed ? '' : ', still open'}: ${text.slice(0, SHOWN)}`,
    ),
  )
  return {
    seen: `${all.length} requests; ${all.length - wrong.length} refused whole`,
    wrong: [
      ...unless(honest.join() === '200,200', `two honest requests: ${honest.join()}`),
      ...wrong,
    ],
  }
}

const row = (name: string, does: string, carriers: Carriers): Attack => ({
  of: 'API8',
  name: `smuggling, ${name}`,
  does,
  wanted: 'each refused and its connection closed; 0 hidden ones answered',
  run: (target) => refusedWhole(target, carriers),
})

export const SMUGGLING: readonly Attack[] = [
  row('CL.TE', 'says a length, and hides a request behind the last chunk', CL_TE),
  row('TE.CL', 'says a length that ends before a chunk, which hides a request', TE_CL),
  row('TE.TE', 'writes the coding so that not everybody takes it for chunks', TE_TE),
  row('two lengths', 'says its length twice, or as no number', CL_CL),
  row('folded heads', 'hides length and coding in folded lines (obs-fold)', FOLDED),
  row('bare line ends', 'ends lines, sizes and chunks with half of what ends them', BARE),
]
