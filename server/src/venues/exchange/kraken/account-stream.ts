/**
 * What Kraken says of the account over its websocket, version 2: the channels `balances` and
 * `executions` (docs.kraken.com/exchange/api-reference/spot-websocket-v2/balances and
 * …/executions). A message only says that something is new. What it is, the lists say: they have
 * every digit, and one id for each trade.
 */
import type { Row } from '../answers.ts'

const CHANNELS = ['balances', 'executions'] as const
/** Kraken sends a heartbeat about every second ("Reconnection", docs.kraken.com). */
const SILENT_MILLISECONDS = 10_000
const LOOK_MILLISECONDS = 2_000
const AGAIN_FIRST_MILLISECONDS = 5_000
const AGAIN_LONGEST_MILLISECONDS = 300_000

type Parts = {
  url: string
  /** Costs a call. */
  token(): Promise<string>
  /** Something is new, or may have been missed. */
  changed(): void
}

export class AccountStream {
  readonly #parts: Parts
  #socket: WebSocket | undefined
  #again: NodeJS.Timeout | undefined
  #watch: NodeJS.Timeout | undefined
  #pause = AGAIN_FIRST_MILLISECONDS
  #heardAt = 0
  #subscribed = new Set<string>()
  #state: 'new' | 'open' | 'closed' = 'new'

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Whether Kraken would have said what is new. */
  get listening(): boolean {
    return (
      CHANNELS.every((channel) => this.#subscribed.has(channel)) &&
      Date.now() - this.#heardAt < SILENT_MILLISECONDS
    )
  }

  /** Connects, and again whenever the connection is lost. */
  start(): void {
    if (this.#state !== 'new') return
    this.#state = 'open'
    void this.#connect()
  }

  close(): void {
    this.#state = 'closed'
    clearTimeout(this.#again)
    this.#drop()
  }

  async #connect(): Promise<void> {
    try {
      const token = await this.#parts.token()
      if (this.#state === 'closed') return
      this.#listen(new WebSocket(this.#parts.url), token)
    } catch {
      // Without the stream the lists are read more often: nothing depends on it.
      this.#retry()
    }
  }

  #listen(socket: WebSocket, token: string): void {
    this.#socket = socket
    this.#heardAt = Date.now()
    const lost = () => {
      if (this.#socket !== socket) return
      this.#drop()
      this.#retry()
    }
    socket.addEventListener('open', () => {
      for (const channel of CHANNELS)
        socket.send(JSON.stringify({ method: 'subscribe', params: { channel, token } }))
    })
    socket.addEventListener('message', ({ data }) => {
      if (this.#socket !== socket || typeof data !== 'string') return
      this.#heardAt = Date.now()
      if (!this.#hear(data)) lost()
    })
    socket.addEventListener('close', lost)
    socket.addEventListener('error', lost)
    this.#watch = setInterval(() => {
      if (Date.now() - this.#heardAt >= SILENT_MILLISECONDS) lost()
    }, LOOK_MILLISECONDS)
    this.#watch.unref()
  }

  /** False when Kraken refuses to tell. */
  #hear(text: string): boolean {
    const message = read(text)
    if (message['method'] === 'subscribe') {
      if (message['success'] !== true) return false
      const { channel } = (message['result'] ?? {}) as Row
      this.#subscribed.add(String(channel))
      if (this.listening) this.#pause = AGAIN_FIRST_MILLISECONDS
    }
    const about = message['channel'] ?? message['method']
    if (about === 'subscribe' || CHANNELS.some((channel) => channel === about))
      this.#parts.changed()
    return true
  }

  #drop(): void {
    clearInterval(this.#watch)
    const socket = this.#socket
    this.#socket = undefined
    this.#subscribed = new Set()
    socket?.close()
    this.#parts.changed()
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

/** What cannot be read says that something is there. */
function read(text: string): Row {
  try {
    return JSON.parse(text) as Row
  } catch {
    return { channel: CHANNELS[0] }
  }
}
