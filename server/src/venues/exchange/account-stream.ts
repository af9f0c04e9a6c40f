/**
 * What an exchange says of our account over a websocket, as far as all exchanges are alike: one
 * connection, which is kept, watched and made anew while this process may use the credential. A
 * message only says that something is new. What it is, the lists say: they have every digit, one id
 * for each trade, and what was missed.
 */
import type { HearNews, Listen, News } from '../contract.ts'
import type { Credential } from '../lease/credential.ts'

/** What a message says. END: the exchange refuses to tell, or wants another connection. */
export type Heard =
  | { heard: 'LIFE' }
  | { heard: 'CHANNEL'; channel: string }
  | { heard: 'NEWS'; news: readonly News[] }
  | { heard: 'ADMITTED'; say: readonly string[] }
  | { heard: 'END' }

/** What an exchange's stream has of its own. */
export type StreamDialect = {
  url: string
  /**
   * What is said first on a new connection, and the channels that the exchange then confirms. May
   * cost a call.
   */
  open(): Promise<{ say: readonly string[]; channels: readonly string[] }>
  /** What cannot be read is news: something is there. */
  hear(text: string): Heard
  /** Said after so many milliseconds of silence, and answered by a message. */
  ping?: { text: string; after_ms: number }
  /** A connection that has been silent for so long is lost. */
  silent_ms: number
  /** The pause before the first attempt to connect again. */
  again_ms: number
}

const LOOK_MILLISECONDS = 2_000
const AGAIN_LONGEST_MILLISECONDS = 300_000
/** A connection that ends sooner may have been refused: the next attempt waits longer. */
const GOOD_AFTER_MILLISECONDS = 60_000

export class AccountStream {
  readonly #dialect: StreamDialect
  readonly #credential: Credential
  readonly #hearers = new Set<HearNews>()
  #socket: WebSocket | undefined
  #again: NodeJS.Timeout | undefined
  #watch: NodeJS.Timeout | undefined
  #pause: number
  #heardAt = 0
  #askedAt = 0
  #listeningSince = Infinity
  #missing: Set<string> | undefined
  #state: 'new' | 'open' | 'closed' = 'new'
  /** The last one counts: an earlier one may end later. */
  #attempt = 0
  #stopHearing: (() => void) | undefined

  constructor(dialect: StreamDialect, credential: Credential) {
    this.#dialect = dialect
    this.#credential = credential
    this.#pause = dialect.again_ms
  }

  /** Whether the exchange would have said what is new. */
  get listening(): boolean {
    return this.#missing?.size === 0 && Date.now() - this.#heardAt < this.#dialect.silent_ms
  }

  hear(hearer: HearNews): () => void {
    this.#hearers.add(hearer)
    return () => {
      this.#hearers.delete(hearer)
    }
  }

  /** Connects, and again whenever the connection is lost. */
  start(): void {
    if (this.#state !== 'new') return
    this.#state = 'open'
    this.#stopHearing = this.#credential.onChange((held) => {
      this.#attempt += 1
      clearTimeout(this.#again)
      this.#drop()
      if (held) void this.#connect()
    })
    void this.#connect()
  }

  close(): void {
    this.#state = 'closed'
    this.#stopHearing?.()
    clearTimeout(this.#again)
    this.#drop()
  }

  async #connect(): Promise<void> {
    if (!this.#credential.held) return
    const attempt = (this.#attempt += 1)
    try {
      const { say, channels } = await this.#dialect.open()
      if (this.#state === 'closed' || attempt !== this.#attempt) return
      this.#missing = new Set(channels)
      this.#listen(new WebSocket(this.#dialect.url), say)
    } catch {
      // Without the stream the lists are read at their turns: nothing depends on it.
      if (attempt === this.#attempt) this.#retry()
    }
  }

  #listen(socket: WebSocket, first: readonly string[]): void {
    this.#socket = socket
    this.#heardAt = Date.now()
    const lost = () => {
      if (this.#socket !== socket) return
      this.#drop()
      this.#retry()
    }
    socket.addEventListener('open', () => {
      for (const text of first) socket.send(text)
    })
    socket.addEventListener('message', ({ data }) => {
      if (this.#socket !== socket || typeof data !== 'string') return
      this.#heardAt = Date.now()
      if (!this.#take(socket, data)) lost()
    })
    socket.addEventListener('close', lost)
    socket.addEventListener('error', lost)
    this.#watch = setInterval(
      () => {
        if (Date.now() - this.#heardAt >= this.#dialect.silent_ms) lost()
        else this.#ask(socket)
      },
      Math.min(LOOK_MILLISECONDS, this.#dialect.silent_ms / 4),
    )
    this.#watch.unref()
  }

  /** Once for each silence. */
  #ask(socket: WebSocket): void {
    const { ping } = this.#dialect
    if (ping === undefined || socket.readyState !== WebSocket.OPEN) return
    if (Date.now() - Math.max(this.#heardAt, this.#askedAt) < ping.after_ms) return
    this.#askedAt = Date.now()
    socket.send(ping.text)
  }

  /** False when the connection is of no use any more. */
  #take(socket: WebSocket, text: string): boolean {
    const message = this.#dialect.hear(text)
    if (message.heard === 'ADMITTED') for (const words of message.say) socket.send(words)
    if (message.heard === 'NEWS') this.#tell(message.news)
    if (message.heard === 'CHANNEL') this.#noteChannel(message.channel)
    return message.heard !== 'END'
  }

  #noteChannel(channel: string): void {
    if (this.#missing?.delete(channel) !== true || this.#missing.size > 0) return
    this.#listeningSince = Date.now()
    // Whatever happened before was said to nobody.
    this.#tell([{ about: 'ALL' }])
  }

  #tell(news: readonly News[]): void {
    for (const hearer of this.#hearers) for (const one of news) hearer(one)
  }

  #drop(): void {
    clearInterval(this.#watch)
    const socket = this.#socket
    const hasListened = this.#missing?.size === 0
    if (Date.now() - this.#listeningSince >= GOOD_AFTER_MILLISECONDS)
      this.#pause = this.#dialect.again_ms
    this.#socket = undefined
    this.#missing = undefined
    this.#listeningSince = Infinity
    socket?.close()
    if (hasListened && this.#state !== 'closed') this.#tell([{ about: 'ALL' }])
  }

  #retry(): void {
    if (this.#state === 'closed') return
    this.#again = setTimeout(() => {
      void this.#connect()
    }, this.#pause)
    this.#again.unref()
    this.#pause = Math.min(this.#pause * 2, AGAIN_LONGEST_MILLISECONDS)
  }
}

/** Starts the streams of an account with the first who listens. */
export const listenTo =
  (streams: readonly AccountStream[]): Listen =>
  (hear) => {
    const stops = streams.map((stream) => stream.hear(hear))
    for (const stream of streams) stream.start()
    return () => {
      for (const stop of stops) stop()
    }
  }

/** The JSON object of a message; undefined for one that cannot be read. */
export function messageIn(text: string): Record<string, unknown> | undefined {
  try {
    const message: unknown = JSON.parse(text)
    return typeof message === 'object' && message !== null
      ? (message as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}
